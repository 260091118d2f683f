"""Weights of snapshots are in memory only where they are kept, and no longer than needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pconv.result import Epoch
from pconv.sweeps.job import collect, new_training
from pconv.training.checkpoint import resume
from pconv.training.loop import run_to_end
from pconv.training.options import RunOptions
from pconv.training.trainer import Training
from tests.training.test_selection import CONFIG, EVERY, Killed, _stop_after_two, finished, same


@pytest.fixture(scope="module")
def whole() -> Training:
    """A run of which all weights are kept."""
    return finished(Training(CONFIG, threads=1, snapshots=EVERY))


def test_snapshots_may_be_without_weights(
    tmp_path: Path, whole: Training, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a large network only their answers are recorded: its weights would be kept for nothing."""
    path = tmp_path / "checkpoint"
    for stop in (_stop_after_two, _stop_after_four):  # a new training, then one that is resumed
        training = Training(CONFIG, threads=1, snapshots=EVERY, keeps_snapshots=False)
        with pytest.raises(Killed):
            run_to_end(training, path, on_epoch=stop, save_after=0)
    resumed = Training(CONFIG, threads=1, snapshots=EVERY, keeps_snapshots=False)
    assert resume(path, resumed)
    assert not resume(path, Training(CONFIG, threads=1, snapshots=EVERY))
    assert "it has no weights of its snapshots" in caplog.text
    finished(resumed)
    assert [kept.weights for kept in resumed.snapshots.values()] == [{}] * 4
    assert resumed.result(census=False).snapshots == whole.result(census=False).snapshots
    assert resumed.chosen is not None
    assert whole.chosen is not None
    assert same(resumed.chosen.weights, whole.chosen.weights)


def _stop_after_four(epoch: Epoch) -> None:
    if epoch.epoch == 4:
        raise Killed


def test_a_job_keeps_no_tensors_that_it_does_not_return(monkeypatch: pytest.MonkeyPatch) -> None:
    options = RunOptions(threads=1, census=False, snapshots=(2, 4))
    kept = finished(new_training(CONFIG, options))
    collect(kept, census=False, keep_weights=False)
    assert kept.snapshots == {}, "they are bytes by now"
    monkeypatch.setattr("pconv.sweeps.job.SMALL", 0)
    large = finished(new_training(CONFIG, options))
    assert [snapshot.weights for snapshot in large.snapshots.values()] == [{}, {}]
    computed = collect(large, census=False, keep_weights=False)
    assert (computed.weights, computed.snapshots) == (None, {})
    assert [snapshot.epoch for snapshot in computed.result.snapshots] == [2, 4]
    large = finished(new_training(CONFIG, replace(options, keep_weights=True)))
    assert all(snapshot.weights for snapshot in large.snapshots.values())
