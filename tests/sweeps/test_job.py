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
from tests.sweeps.test_runner import without_times


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


@pytest.mark.parametrize(("before", "now"), [(2, 1), (1, 2)])
def test_a_run_goes_on_with_the_threads_of_its_checkpoint(tmp_path: Path, before: int, now: int) -> None:
    """As in a sweep that is started again with another --jobs: no epoch is lost, the bits are the same."""
    checkpoint, other = tmp_path / "checkpoint", RunOptions(threads=now)
    training = job.new_training(tiny(), RunOptions(threads=before))
    training.run_epoch()
    save_checkpoint(checkpoint, training)
    reports: list[Progress] = []
    resumed = compute(Job(tiny(), other, checkpoint), reports.append)
    whole = compute(Job(tiny(), RunOptions(threads=before)))
    assert isinstance(resumed, ComputedRun)
    assert isinstance(whole, ComputedRun)
    assert resumed.result.environment.threads == before
    assert without_times(resumed.result) == without_times(whole.result)
    assert reports[0].stage.endswith(f"goes on with the threads of its checkpoint: {before}")
    assert min(report.epoch for report in reports if report.share) == 1, "the first epoch is not run again"


@pytest.mark.parametrize("how", ["another run", "damaged", "too many threads"])
def test_threads_are_taken_from_no_checkpoint_that_cannot_be_used(tmp_path: Path, how: str) -> None:
    checkpoint = tmp_path / "checkpoint"
    training = job.new_training(tiny(1 if how == "another run" else 0), RunOptions(threads=2))
    training.run_epoch()
    if how == "too many threads":
        training.threads = 10**6
    save_checkpoint(checkpoint, training)
    if how == "damaged":
        checkpoint.write_bytes(checkpoint.read_bytes()[:100])
    assert job.new_training(tiny(), RunOptions(threads=1), checkpoint).threads == 1


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
