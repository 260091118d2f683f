"""One run with a store: looked up, claimed, resumed, trained, judged once, stored."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

import pconv
from pconv.config import RunConfig
from pconv.errors import PconvError
from pconv.evaluate import comparison
from pconv.evaluate.comparison import Comparison
from pconv.result import Epoch, RunResult
from pconv.store.sqlite import Claim, Store
from pconv.sweeps.run import claimed, stored_result, train
from pconv.training.options import RunOptions
from tests.fakes import tiny
from tests.forked import ForkServer
from tests.sweeps.test_runner import without_times


def never(epoch: Epoch) -> None:
    raise AssertionError("a stored run is not trained")


def test_it_is_the_public_function() -> None:
    assert pconv.train is train


def test_a_store_changes_nothing_of_the_result(path: Path) -> None:
    assert without_times(train(tiny(), store=path)) == without_times(train(tiny()))


def test_a_finished_run_is_not_trained_again(store: Store, path: Path) -> None:
    first = train(tiny(), store=store)
    assert store.result(tiny().run_id) == first, "an open store stays open"
    assert set(store.verdicts(tiny().run_id)) == {v.theory for v in comparison.compare(first).verdicts}
    assert train(tiny(), store=str(path), on_epoch=never) == first


def test_a_run_is_trained_again_for_what_it_lacks(store: Store) -> None:
    config = tiny()
    first = train(config, store=store, census=False)
    assert first.census is None
    assert train(config, store=store, census=False, on_epoch=never, keep_weights=True) == first
    second = train(config, store=store, census=False, snapshots=[1])
    assert [snapshot.epoch for snapshot in second.snapshots] == [1]
    third = train(config, store=store, snapshots=[2])
    assert [snapshot.epoch for snapshot in third.snapshots] == [1, 2], "those of the stored run join"
    assert store.result(config.run_id) == third
    assert all(store.weights(config.run_id, epoch) for epoch in (1, 2))
    assert stored_result(store, config, [1, 2, 99], with_weights=True) == third, "epoch 99 is never run"


def test_a_run_that_is_trained_again_keeps_its_census(store: Store) -> None:
    first = train(tiny(), store=store)
    assert first.census is not None
    second = train(tiny(), store=store, census=False, snapshots=[1])
    assert second.census == first.census
    assert store.result(tiny().run_id) == second, "it lacks nothing of the first"


def test_what_another_process_has_claimed_is_refused(store: Store) -> None:
    assert store.claim(tiny(), "other:1") is Claim.ACQUIRED
    with pytest.raises(PconvError, match="is being trained by other:1"):
        train(tiny(), store=store)


def test_a_process_may_change_its_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pconv.sweeps.heartbeat._EVERY", 0.01)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    with Store.open("runs.db") as store:
        monkeypatch.chdir(elsewhere)
        assert str(store.path) == "runs.db", "messages name it as it was given"
        train(tiny(), store=store)
        assert store.claim(tiny(), "next", again=True) is Claim.ACQUIRED, "the claim was released"
        assert store.weights(tiny().run_id) is not None
    assert list(elsewhere.iterdir()) == []


def test_a_result_outlives_its_directory_of_weights(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    def block(epoch: Epoch) -> None:
        if epoch.epoch == 2:
            store.files.directory.write_text("a file in its place")

    result = train(tiny(), store=store, on_epoch=block, keep_weights=True)
    assert store.result(tiny().run_id) == result
    assert store.weights(tiny().run_id) is None
    assert any("is stored without weights" in line for line in caplog.messages)


class Stop(Exception):
    pass


def stop_after_two(epoch: Epoch) -> None:
    if epoch.epoch == 2:
        raise Stop


def test_a_claim_is_released_on_any_end(store: Store) -> None:
    with pytest.raises(Stop):
        train(tiny(), store=store, on_epoch=stop_after_two)
    assert store.claim(tiny(), "next") is Claim.ACQUIRED
    store.release("next")
    train(tiny(), store=store)
    assert store.claim(tiny(), "next", again=True) is Claim.ACQUIRED


def test_an_interrupted_run_is_resumed(store: Store) -> None:
    config, seen = replace(tiny(), epochs=4), list[Epoch]()
    options = RunOptions(threads=1, save_after=0)
    with pytest.raises(Stop), claimed(store, config, options) as run:
        run.train(on_epoch=stop_after_two)
    assert run.checkpoint.exists()
    result = train(config, store=store, threads=1, on_epoch=seen.append)
    assert [epoch.epoch for epoch in seen] == [2, 3, 4]
    assert without_times(result) == without_times(train(config, threads=1))
    assert not run.checkpoint.exists()


def test_a_run_that_is_interrupted_in_its_census_is_not_trained_again(store: Store) -> None:
    def stop(done: int, total: int) -> None:
        raise Stop

    config, seen = replace(tiny(), epochs=3), list[Epoch]()
    with claimed(store, config, RunOptions(threads=1, save_after=0)) as run:
        run.train()
        with pytest.raises(Stop):
            run.finish(stop)
    result = train(config, store=store, threads=1, on_epoch=seen.append)
    assert seen == []
    assert without_times(result) == without_times(train(config, threads=1))
    assert not run.checkpoint.exists()


def test_a_run_is_judged_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[Comparison] = []
    compare = comparison.compare

    def count(result: RunResult) -> Comparison:
        judged.append(compare(result))
        return judged[-1]

    monkeypatch.setattr(comparison, "compare", count)
    with claimed(store, tiny(), RunOptions()) as run:
        run.train()
        finished = run.finish()
    assert [finished.verdicts] == judged
    assert store.verdicts(tiny().run_id) == {each.theory: each for each in finished.verdicts.verdicts}


KILLED = """
import os, signal
from pathlib import Path
from pconv.config import RunConfig
from pconv.store.sqlite import Store
from pconv.sweeps.run import claimed
from pconv.training.options import RunOptions

def kill(epoch):
    if epoch.epoch == 3:
        os.kill(os.getpid(), signal.SIGKILL)

config = RunConfig.from_dict({config})
with Store.open(Path("pconv.db")) as store, claimed(store, config, RunOptions(save_after=0)) as run:
    run.train(on_epoch=kill)
"""


def test_a_killed_process_loses_its_claim_and_no_saved_epoch(
    path: Path, monkeypatch: pytest.MonkeyPatch, fork_server: ForkServer
) -> None:
    config: RunConfig = replace(tiny(), epochs=5)
    code = KILLED.format(config=config.to_dict())
    assert fork_server.start(["-c", code], path.parent).wait() == -signal.SIGKILL
    with pytest.raises(PconvError, match=r"is being trained by .*; if that is dead, wait 30 s"):
        train(config, store=path)
    monkeypatch.setattr("pconv.store.sqlite.CLAIM_TIMEOUT", 0.0)
    monkeypatch.setattr("pconv.store.sqlite.WATCHED", 0.0)
    seen: list[Epoch] = []
    result = train(config, store=path, on_epoch=seen.append)
    assert [epoch.epoch for epoch in seen] == [3, 4, 5]
    assert without_times(result) == without_times(train(config))
    assert os.listdir(path.parent / "pconv.db.d" / "checkpoints") == []
