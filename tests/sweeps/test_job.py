"""What a worker reports while it computes a run."""

from __future__ import annotations

import logging
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from pconv.sweeps import job
from pconv.sweeps.job import ComputedRun, Job, Progress, compute
from pconv.training.checkpoint import save_checkpoint
from pconv.training.options import RunOptions
from tests.fakes import tiny


def test_a_worker_reports_compilation_epochs_and_census(monkeypatch: pytest.MonkeyPatch) -> None:
    log, build = logging.getLogger("pconv.engines.sparse.compilation"), job.new_training
    level = logging.getLogger("pconv").level

    def compiled(*arguments: object) -> object:
        log.info("compiling the training loops")
        return build(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(job, "new_training", compiled)
    reports: list[Progress] = []
    assert isinstance(compute(Job(tiny()), reports.append), ComputedRun)
    first, *epochs, last = reports
    assert first == Progress(tiny().run_id, stage="compiling the training loops")
    assert [(report.epochs, report.stage) for report in epochs] == [(0.1, ""), (1, ""), (2, "")]
    assert last.epoch == 2
    assert last.stage.startswith("census ")
    assert logging.getLogger("pconv").level == level


def test_a_resumed_run_reports_its_epoch_at_once(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    training = job.new_training(tiny(), RunOptions())
    training.run_epoch()
    save_checkpoint(checkpoint, training)
    reports: list[Progress] = []
    compute(Job(tiny(), checkpoint=checkpoint), reports.append)
    assert (reports[0].epoch, reports[0].share) == (1, 0.1)


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, 1), (2.0, 20)])
def test_reports_within_an_epoch_are_at_least_two_seconds_apart(
    monkeypatch: pytest.MonkeyPatch, seconds: float, expected: int
) -> None:
    clock = count(step=seconds)  # passing at each look
    # the clock of this module alone: event loops of other tests may run in this process
    monkeypatch.setattr(job, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    reports: list[Progress] = []
    compute(Job(tiny()), reports.append)
    assert sum(report.share > 0 for report in reports) == expected, "of 2 epochs of 10 steps"
