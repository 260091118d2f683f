"""Removing runs: all that is theirs goes, nothing else; a kill leaves nothing that `gc` does not clean."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from pconv.errors import InputError
from pconv.store.files import Files, Weights
from pconv.store.schema import StoreError
from pconv.store.sqlite import WATCHED, Claim, Store
from pconv.store.summary import CLAIM_TIMEOUT
from tests.fakes import fake_result, fake_weights, tiny, with_census
from tests.store.test_sqlite import SNAPSHOT, VERDICTS, WEIGHTS, keep

KEPT = f"weights/{WEIGHTS.checksum}.safetensors"
TABLES = ("configs", "results", "epochs", "verdicts", "failures", "claims")


def whole(store: Store, seed: int = 0) -> str:
    """A run with all that a run may have."""
    result = with_census(fake_result(tiny(seed)), (1, 2))
    weights = fake_weights(seed)
    store.finish(result, weights, VERDICTS, "me", {1: SNAPSHOT, 2: SNAPSHOT})
    _checkpoint(store, result.run_id)
    return result.run_id


def _checkpoint(store: Store, run_id: str) -> None:
    for name in (run_id, f".{run_id}.x1"):
        path = store.files.checkpoint(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"state")


def files(store: Store) -> list[str]:
    directory = store.files.directory
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def rows(store: Store, run_id: str) -> int:
    query = "SELECT count(*) FROM {} WHERE run_id = ?"
    return sum(store._connection.execute(query.format(table), (run_id,)).fetchone()[0] for table in TABLES)


def test_a_run_goes_with_all_that_is_its_own(store: Store) -> None:
    gone, stays = whole(store, 0), whole(store, 1)
    of_other = [name for name in files(store) if gone not in name and WEIGHTS.checksum not in name]
    kept = rows(store, stays)
    assert store.remove([gone]) == (5, len(WEIGHTS.data) + 2 * len(SNAPSHOT.data) + 2 * len(b"state"))
    assert (rows(store, gone), rows(store, stays)) == (0, kept)
    assert files(store) == of_other
    assert [run.run_id for run in store.summaries()] == [stays]
    assert store.damage() == []


def test_a_file_that_another_process_removes_first_is_not_counted(tmp_path: Path) -> None:
    files = Files(tmp_path / "pconv.db")
    for checksum in ("a0", "b1", "c2"):
        files.keep_weights(Weights(checksum, b"numbers"))
    gone = files.weights("b1")

    class Known(list[str]):
        """Removes a file after the directory was listed, as a simultaneous `gc` may."""

        def __contains__(self, name: object) -> bool:
            gone.unlink(missing_ok=True)
            return False

    assert files.drop_spare(Known(), [], []) == (2, 2 * len(b"numbers"))
    assert not any(files.directory.rglob("*.safetensors"))


def test_failed_and_interrupted_runs_can_be_removed(store: Store) -> None:
    store.fail(tiny(0), "ValueError: no", "me")
    assert store.claim(tiny(1), "me") is Claim.ACQUIRED
    _checkpoint(store, tiny(1).run_id)
    store.release("me")
    assert store.remove([tiny(0).run_id, tiny(1).run_id]) == (2, 2 * len(b"state"))
    assert (rows(store, tiny(0).run_id), rows(store, tiny(1).run_id), files(store)) == (0, 0, [])


def test_a_run_that_is_being_trained_stays_and_all_others_with_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished, running = keep(store, 0, WEIGHTS), tiny(1).run_id
    assert store.claim(tiny(1), "you") is Claim.ACQUIRED
    with pytest.raises(InputError, match=f"run {running}: is being trained by you; nothing was removed"):
        store.remove([finished, running])
    with pytest.raises(InputError, match="is not in the store"):
        store.remove([finished, "feed"])
    assert store.result(finished) is not None
    assert files(store) == [KEPT]
    now, ticks = time.time(), time.monotonic()
    monkeypatch.setattr(time, "time", lambda: now + CLAIM_TIMEOUT + 1)
    assert store.watch_claims([finished]) == 0
    with pytest.raises(InputError, match="is being trained by you"):  # the clocks may differ
        store.remove([running])
    monkeypatch.setattr(time, "monotonic", lambda: ticks + WATCHED)  # its worker is dead
    assert store.remove([finished, running]).files == 1
    assert [rows(store, run_id) for run_id in (finished, running)] == [0, 0]


def test_weights_that_another_run_has_too_stay(store: Store) -> None:
    first, second = keep(store, 0, WEIGHTS), keep(store, 1, WEIGHTS)
    assert store.remove([first]) == (0, 0)
    assert store.weights(second) is not None
    assert store.remove([second]).files == 1


class Killed(BaseException):
    """The end of the process."""


def killed(*_: object) -> None:
    raise Killed


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize("method", ["drop_removed", "drop_removal"])
def test_what_a_kill_leaves_is_garbage(
    store: Store, monkeypatch: pytest.MonkeyPatch, method: str, others: int
) -> None:
    """Also where no run is left in the store: `gc` would take weights without results for a lost store."""
    gone, stays = whole(store, 0), [keep(store, seed, WEIGHTS) for seed in range(1, 1 + others)]
    with monkeypatch.context() as patched:
        patched.setattr(Files, method, killed)
        with pytest.raises(Killed):
            store.remove([gone])
    assert rows(store, gone) == 0, "the run is gone before its files"
    assert any(gone in name for name in files(store))
    store.collect_garbage()
    assert files(store) == [KEPT] * others
    assert [run.run_id for run in store.summaries()] == stays


def test_a_kill_before_the_removal_leaves_the_run(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = keep(store, weights=WEIGHTS)
    with monkeypatch.context() as patched:
        note = Files.note_removal

        def noted(*given: Any) -> None:
            note(*given)
            raise Killed

        patched.setattr(Files, "note_removal", noted)
        with pytest.raises(Killed):
            store.remove([run_id])
    assert files(store) == [f"removed/{run_id}", KEPT]
    (store.files.directory / "removed" / f".{run_id}.x1").touch()  # the draft of a note
    assert store.collect_garbage() == (1, 0)
    assert files(store) == [KEPT]
    assert store.result(run_id) is not None


def test_a_run_that_came_back_keeps_its_files(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = keep(store, weights=WEIGHTS)
    with monkeypatch.context() as patched:
        patched.setattr(Files, "drop_removed", killed)
        with pytest.raises(Killed):
            store.remove([run_id])
    keep(store, weights=WEIGHTS)
    store.collect_garbage()
    assert files(store) == [KEPT]


def test_an_id_that_is_no_name_of_a_file_is_refused(store: Store, tmp_path: Path) -> None:
    """In a store that someone else wrote."""
    precious = tmp_path / "precious"
    precious.write_text("mine")
    store._connection.execute("INSERT INTO configs VALUES ('../../precious', '{}')")
    with pytest.raises(StoreError, match="is not an id"):
        store.remove(["../../precious"])
    run_id = keep(store)
    store._connection.execute("UPDATE results SET weights = '../../precious'")
    assert store.remove([run_id]) == (0, 0)
    assert precious.read_text() == "mine"
