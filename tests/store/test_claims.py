"""Claims: a run is computed by one worker at a time, and that of a dead one by another."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import pytest

from pconv.store.sqlite import WATCHED, Claim, Store
from pconv.store.summary import CLAIM_TIMEOUT
from tests.fakes import fake_result, tiny
from tests.store.test_sqlite import VERDICTS


def test_a_claim_is_held_by_one_and_lapses_without_heartbeat(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1e9
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    assert store.claim(tiny(), "first") is Claim.ACQUIRED
    assert store.claim(tiny(), "first") is Claim.ACQUIRED
    assert store.claim(tiny(), "second") is Claim.HELD
    now += CLAIM_TIMEOUT - 1
    store.heartbeat("first")
    now += CLAIM_TIMEOUT - 1
    assert store.claim(tiny(), "second") is Claim.HELD
    assert store.summaries()[0].status == "running"
    now += 2
    assert store.summaries() == []
    assert store.claim(tiny(), "second") is Claim.SILENT, "the last heartbeat was first seen 2 s ago"
    now += WATCHED - 2
    assert store.claim(tiny(), "second") is Claim.ACQUIRED
    store.heartbeat("first")  # it was only asleep: the run is no longer its own
    assert store.summaries()[0].owner == "second"
    store.release("second")
    assert store.claim(tiny(), "third") is Claim.ACQUIRED
    store.finish(fake_result(tiny()), None, VERDICTS, "third")
    assert store.claim(tiny(), "first") is Claim.FINISHED
    assert store.claim(tiny(), "first", with_weights=True) is Claim.ACQUIRED


def test_a_live_worker_keeps_its_run_whatever_its_clock_shows(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, behind = 1e9, 3600.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(time, "time", lambda: now - behind)
    assert store.claim(tiny(), "first") is Claim.ACQUIRED
    for _ in range(100):
        now, behind = now + CLAIM_TIMEOUT / 6, 0.0
        assert store.claim(tiny(), "second") is Claim.SILENT
        behind = 3600.0
        store.heartbeat("first")
    behind = 0.0
    assert store.claim(tiny(), "second") is Claim.SILENT
    now += WATCHED
    assert store.claim(tiny(), "second") is Claim.ACQUIRED, "no heartbeat came"


def test_gc_leaves_the_claim_of_a_live_worker_whatever_its_clock_shows(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, behind = 1e9, 3600.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(time, "time", lambda: now - behind)
    for owner, seed in (("live", 0), ("dead", 1)):
        assert store.claim(tiny(seed), owner) is Claim.ACQUIRED
    behind = 0.0
    store.collect_garbage()
    assert store.watch_claims() == 2, "not watched for long enough"
    now, behind = now + WATCHED, 3600.0
    store.heartbeat("live")
    behind = 0.0
    store.collect_garbage()
    assert [row["owner"] for row in store._connection.execute("SELECT owner FROM claims")] == ["live"]


def _claim_all(path: Path, owner: str, seeds: int) -> list[int]:
    with Store.open(path) as store:
        return [seed for seed in range(seeds) if store.claim(tiny(seed), owner) is Claim.ACQUIRED]


def test_processes_that_open_a_new_store_at_once_share_the_runs(path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        shares = pool.starmap(_claim_all, [(path, f"worker {i}", 60) for i in range(3)])
    assert sorted(seed for share in shares for seed in share) == list(range(60))


def test_a_worker_that_lost_its_claim_leaves_the_claim_of_another(store: Store) -> None:
    for seed in (0, 1):
        assert store.claim(tiny(seed), "second") is Claim.ACQUIRED
    store.finish(fake_result(tiny(0)), None, VERDICTS, "first")
    store.fail(tiny(1), "ValueError: no", "first")
    for seed in (0, 1):
        assert store.claim(tiny(seed), "third", again=True) is Claim.HELD
