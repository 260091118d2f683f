"""Claims are kept alive and released, and whoever cannot do so says it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pconv.store.schema import StoreError
from pconv.store.sqlite import Claim, Store
from pconv.sweeps import heartbeat
from pconv.sweeps.heartbeat import working
from tests.fakes import tiny


def last_heartbeat(store: Store) -> float:
    [row] = store._connection.execute("SELECT heartbeat FROM claims")
    return float(row["heartbeat"])


def test_a_store_that_cannot_be_opened_is_tried_again(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    refused: list[Path] = []

    class Busy(Store):
        @classmethod
        def open(cls, path: Path | str) -> Store:  # type: ignore[override]
            if len(refused) < 3:
                refused.append(Path(path))
                raise StoreError("another process has been writing for 60 s")
            return Store.open(path)

    monkeypatch.setattr(heartbeat, "Store", Busy)
    monkeypatch.setattr(heartbeat, "_EVERY", 0.01)
    with working(path) as owner:
        assert store.claim(tiny(), owner) is Claim.ACQUIRED
        claimed = last_heartbeat(store)
        deadline = time.monotonic() + 20
        while last_heartbeat(store) == claimed:
            assert time.monotonic() < deadline, "no heartbeat"
            time.sleep(0.01)
    assert store.claim(tiny(), "next") is Claim.ACQUIRED, "released"
    assert caplog.messages == ["the heartbeat failed: another process has been writing for 60 s"] * 3


def test_claims_that_cannot_be_released_are_reported(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(store: Store, owner: str) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Store, "release", refuse)
    with working(path):
        pass
    assert caplog.messages == ["the claims could not be released, and lapse: the disk is full"]
