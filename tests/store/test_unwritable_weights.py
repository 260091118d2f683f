"""Weights that cannot be written: noticed before the training where possible, and no result is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from pconv.store.files import Weights
from pconv.store.run import RunRecord
from pconv.store.schema import StoreError
from pconv.store.sqlite import Claim, Store
from tests.fakes import fake_result, tiny, with_census
from tests.store.test_sqlite import PLAIN, SNAPSHOT, VERDICTS, WEIGHTS


@pytest.mark.parametrize(("weights", "snapshots"), [(WEIGHTS, {}), (None, {1: SNAPSHOT})])
def test_a_result_is_stored_where_its_weights_cannot_be_written(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    weights: Weights | None,
    snapshots: dict[int, Weights],
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    result = with_census(PLAIN, (1,))
    assert store.claim(PLAIN.config, "me") is Claim.ACQUIRED
    assert store.finish(result, weights, VERDICTS, "me", snapshots)
    assert store.result(PLAIN.run_id) == result
    assert [(each.status, each.weights, each.owner) for each in store.summaries()] == [
        ("finished", False, None)
    ]
    assert store.lost_weights() == [], "they were never there"
    [line] = caplog.messages
    assert "No space left" in line
    assert line.endswith(f"; run {PLAIN.run_id} is stored without weights")


def test_an_import_whose_weights_cannot_be_written_imports_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is lost: the source has them."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StoreError, match="No space left"):
        store.add([RunRecord(PLAIN), RunRecord(fake_result(tiny(1)), weights=WEIGHTS)])
    assert store.summaries() == []


@pytest.mark.parametrize("how", ["a file", "a file inside", "there", "not there"])
def test_whether_weights_can_be_written_is_known_beforehand(store: Store, how: str) -> None:
    directory = store.files.directory
    if how == "a file":
        directory.write_text("in its place")
    elif how == "a file inside":
        directory.mkdir()
        (directory / "weights").write_text("in its place")
    elif how == "there":
        store.files.keep_weights(WEIGHTS)
    before = sorted(directory.parent.rglob("*"))
    if how.startswith("a file"):
        with pytest.raises(StoreError, match=r"weights of runs cannot be kept in .*pconv\.db\.d: Not a dir"):
            store.files.check_writable()
    else:
        store.files.check_writable()
    assert sorted(directory.parent.rglob("*")) == before
