"""Reading a store: by the start of an id, without changing a byte, and never less than there is."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pconv.errors import InputError
from pconv.store import schema
from pconv.store.schema import StoreError
from pconv.store.sqlite import WATCHED, Claim, Store
from pconv.sweeps.run import claimed
from pconv.training.options import RunOptions
from tests.fakes import fake_result, tiny, with_census
from tests.store.test_sqlite import SNAPSHOT, VERDICTS, WEIGHTS, keep


def test_a_path_may_be_text(path: Path) -> None:
    with Store.open(str(path)) as store:
        run_id = keep(store, weights=WEIGHTS)
        assert store.path == path
    with Store.read(str(path)) as store:
        assert store.weights(run_id) is not None


def test_the_start_of_an_id_is_enough(store: Store) -> None:
    ids = [keep(store, seed, WEIGHTS) for seed in range(20)]
    shortest = next(k for k in range(1, 17) if sum(i.startswith(ids[3][:k]) for i in ids) == 1)
    start = ids[3][:shortest]
    assert store.result(start) == fake_result(tiny(3))
    assert store.verdicts(start) == VERDICTS
    assert store.weights(start) == store.weights(ids[3])
    run = store.run(start)
    assert run is not None
    assert run.result.run_id == ids[3]
    twice = next(i[0] for i in ids if sum(other[0] == i[0] for other in ids) > 1)
    with pytest.raises(InputError, match="give more of it"):
        store.result(twice)
    assert [store.result(unknown) for unknown in ("", "xyz", "%")] == [None] * 3
    with pytest.raises(InputError, match="is not in the store"):
        store.find("\udc80")


def test_a_link_to_a_store_leads_to_its_files(path: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.db"
    link.symlink_to(path)
    with Store.open(link) as store:
        run_id = keep(store, weights=WEIGHTS)
    with Store.read(path) as store:
        assert (
            store.weights(run_id) == tmp_path / "pconv.db.d" / "weights" / f"{WEIGHTS.checksum}.safetensors"
        )
        assert store.weights(run_id) is not None
        assert store.lost_weights() == []
    assert list(link.parent.iterdir()) == [link]


def test_a_store_in_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", Path(":memory:")):
        with pytest.raises(InputError, match="must be a file"):
            Store.open(name)
        with pytest.raises(InputError, match="must be a file"):
            Store.read(name)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_has_no_runs_and_stays_empty(path: Path) -> None:
    path.touch()
    with Store.read(path) as store:
        assert (store.summaries(), store.run_ids(), store.timings(), store.damage()) == ([], [], [], [])
    assert path.read_bytes() == b""


def test_a_log_that_cannot_be_read_is_not_ignored(store: Store, path: Path) -> None:
    """As on a read-only file system: here SQLite cannot make the log's index, a link to nowhere."""
    keep(store)
    whole, log = path.read_bytes(), path.with_name("pconv.db-wal").read_bytes()
    store.close()
    path.write_bytes(whole)
    path.with_name("pconv.db-wal").write_bytes(log)
    path.with_name("pconv.db-shm").symlink_to("nowhere/index")
    with pytest.raises(StoreError, match=r"its latest runs are in pconv\.db-wal, which cannot be read"):
        Store.read(path)
    path.with_name("pconv.db-wal").write_bytes(b"")
    with Store.read(path) as again:
        assert again.run_ids() == [], "an empty log has nothing to miss"


DAMAGE = [
    ("configs", "config", "{"),
    ("results", "document", '{"census": '),
    ("results", "document", "[]"),
    ("results", "losses", b"123"),
    ("verdicts", "document", "nothing"),
]


@pytest.mark.parametrize(("table", "column", "value"), DAMAGE)
def test_a_damaged_row_is_named(store: Store, table: str, column: str, value: object) -> None:
    bad, good = keep(store, 0), keep(store, 1)
    store._connection.execute(f"UPDATE {table} SET {column} = ? WHERE run_id = ?", (value, bad))
    assert [line for line in store.damage() if f"run {bad} is damaged" in line] == store.damage() != []
    with pytest.raises(StoreError, match=f"run {bad} is damaged"):
        store.run(bad)
    assert store.result(good) == fake_result(tiny(1))
    if table == "configs":
        with pytest.raises(StoreError, match=f"run {bad} is damaged"):
            store.summaries()
        with pytest.raises(StoreError, match=f"run {bad} is damaged"):
            store.timings()
    else:
        assert [summary.run_id for summary in store.summaries()] == [bad, good]


def interrupt(store: Store, after: int = 1) -> str:
    """Train a run and stop after some of its epochs; its id."""

    def stop(epoch: object) -> None:
        if len(run.training.epochs) > after:
            raise InterruptedError

    with pytest.raises(InterruptedError), claimed(store, tiny(), RunOptions(save_after=0)) as run:
        run.train(on_epoch=stop)
    return tiny().run_id


def test_an_interrupted_run_is_listed_as_far_as_it_is(store: Store) -> None:
    finished, run_id = keep(store, 1), interrupt(store)
    assert [summary.run_id for summary in store.summaries()] == [finished, run_id]
    interrupted = store.find(run_id[:6])
    assert (interrupted.status, interrupted.epochs, interrupted.owner) == ("interrupted", 1, None)
    store.claim(tiny(), "me")
    assert store.find(run_id).status == "running"
    store.release("me")
    store.files.checkpoint(run_id).write_bytes(b"damaged")
    assert [summary.run_id for summary in store.summaries()] == [finished], "it has nothing to go on from"


def test_lost_weights_are_not_there(store: Store) -> None:
    first, second = keep(store, 0, WEIGHTS), keep(store, 1)
    assert store.finished([first, second], with_weights=True) == {first}
    weights = store.weights(first)
    assert weights is not None
    weights.unlink()
    assert store.weights(first) is None
    assert store.finished([first], with_weights=True) == set()
    assert store.lost_weights() == [first]
    keep(store, 0, WEIGHTS)
    assert weights.read_bytes() == WEIGHTS.data, "the same run computed again brings them back"
    assert store.lost_weights() == []


def spoil(path: Path | None) -> None:
    """Change a number in a file: its length and its header stay as they were."""
    assert path is not None
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def test_damaged_weights_count_as_lost(path: Path) -> None:
    result = with_census(fake_result(tiny()), (1,))
    run_id = result.run_id
    with Store.open(path) as store:
        store.finish(result, WEIGHTS, VERDICTS, "me", {1: SNAPSHOT})
        files = [store.weights(run_id), store.weights(run_id, 1)]
    for file in files:
        spoil(file)
    with Store.open(path) as store:
        assert store.finished([run_id]) == {run_id}
        assert store.finished([run_id], with_weights=True) == set()
        assert [store.sound_weights(run_id, epoch) for epoch in (None, 1, 2)] == [None] * 3
        assert store.lost_weights() == []
        assert store.damaged_weights() == dict.fromkeys(files, run_id)
        assert store.claim(tiny(), "me", with_weights=True) is Claim.ACQUIRED
        store.finish(result, WEIGHTS, VERDICTS, "me", {1: SNAPSHOT})
        assert store.damaged_weights() == {}
        assert [store.sound_weights(run_id, epoch) for epoch in (None, 1)] == files
        assert store.claim(tiny(), "me", with_weights=True) is Claim.FINISHED


def test_lost_snapshots_are_brought_back(store: Store) -> None:
    result = with_census(fake_result(tiny()), (1,))
    for _ in range(2):
        store.finish(result, None, VERDICTS, "me", {1: SNAPSHOT})
        snapshot = store.weights(result.run_id, 1)
        assert snapshot is not None
        snapshot.unlink()


def emptied(path: Path, how: str) -> None:
    if how == "an empty file":
        path.write_bytes(b"")
    else:
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("DELETE FROM results")


@pytest.mark.parametrize("how", ["an empty file", "no results"])
def test_weights_of_an_emptied_store_are_not_garbage(path: Path, how: str) -> None:
    with Store.open(path) as store:
        run_id = keep(store, weights=WEIGHTS)
        weights = store.weights(run_id)
    emptied(path, how)
    before = path.read_bytes()
    with Store.read(path) as store, pytest.raises(StoreError, match=r"has no results, but .* 1 files"):
        store.check_not_emptied()
    assert path.read_bytes() == before
    with Store.open(path) as store, pytest.raises(StoreError, match="nothing was removed"):
        store.collect_garbage()
    assert weights is not None
    assert weights.exists()


@pytest.mark.parametrize("opened", [Store.read, Store.open])
def test_the_log_of_an_emptied_file_stays(
    path: Path, tmp_path: Path, opened: Callable[[Path], Store]
) -> None:
    """SQLite would delete it, even if it opens the file for reading, and the runs that only the log has."""
    with Store.open(path) as store:
        keep(store)
        cut = tmp_path / "cut.db"
        log = path.with_name("pconv.db-wal").read_bytes()  # before the last process closes the store
    cut.touch()
    cut.with_name("cut.db-wal").write_bytes(log)
    with pytest.raises(StoreError, match=r"it is empty, but its log cut\.db-wal is not"):
        opened(cut)
    assert cut.with_name("cut.db-wal").read_bytes() == log != b""


def test_traces_of_dead_workers_are_garbage(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(store)
    for seed in (1, 2):
        store.claim(tiny(seed), "dead")
    store._connection.execute("UPDATE claims SET heartbeat = 0 WHERE run_id = ?", (tiny(1).run_id,))
    assert store.watch_claims() == 1
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + WATCHED)
    store.collect_garbage()
    [claims] = store._connection.execute("SELECT group_concat(run_id) FROM claims").fetchone()
    assert claims == tiny(2).run_id
    known = {row[0] for row in store._connection.execute("SELECT run_id FROM configs")}
    assert known == {tiny(0).run_id, tiny(2).run_id}, "one has a checkpoint, one is running"


def test_a_store_that_another_process_makes_meanwhile_is_recognised(path: Path) -> None:
    """Its tables appear between two statements of the process that checks it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        statements = []

        def make_the_store(statement: str) -> None:
            statements.append(statement)
            if len(statements) == 3 and not statement.startswith("--"):  # "--": a part of one statement
                Store.open(path).close()

        connection.set_trace_callback(make_the_store)
        assert schema._checked_version(connection, path) == 0
        connection.set_trace_callback(None)
        Store.open(path).close()
        assert schema._checked_version(connection, path) == len(schema.MIGRATIONS)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE results SET document = replace(hex(zeroblob(50000)), '00', '[')",
        "UPDATE verdicts SET document = replace(hex(zeroblob(50000)), '00', '[')",
        "DELETE FROM configs",
    ],
)
def test_rows_that_cannot_be_read_are_named(store: Store, path: Path, statement: str) -> None:
    run_id = keep(store)
    store.close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement)
    with Store.read(path) as read, pytest.raises(StoreError, match=f"run {run_id} is damaged"):
        read.run(run_id)


def test_a_configuration_that_cannot_be_read_is_named(store: Store, path: Path) -> None:
    run_id = keep(store)
    store.close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE configs SET config = replace(hex(zeroblob(50000)), '00', '[')")
    with Store.read(path) as read, pytest.raises(StoreError, match=f"run {run_id} is damaged"):
        read.summaries()
