"""What a worker reports while it computes a run."""

from __future__ import annotations

import logging

import pytest

from pconv.sweeps import job
from pconv.sweeps.job import ComputedRun, Job, Progress, compute
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
    assert [(report.epoch, report.stage) for report in epochs] == [(1, ""), (2, "")]
    assert last.epoch == 2
    assert last.stage.startswith("census ")
    assert logging.getLogger("pconv").level == level
