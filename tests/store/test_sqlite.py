"""The store: what is kept comes back, whole or not at all; nobody works twice; bad files stay unharmed."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pconv.errors import InputError
from pconv.result import RunResult
from pconv.store import schema
from pconv.store.files import Files, Weights
from pconv.store.judging import verdicts_on
from pconv.store.schema import APPLICATION, MIGRATIONS, StoreError
from pconv.store.sqlite import Claim, Store
from tests.fakes import fake_result, fake_weights, tiny, with_census

VERDICTS = verdicts_on(with_census(fake_result(tiny())))
WEIGHTS = fake_weights()
SNAPSHOT = fake_weights(epoch=1)
SECOND = fake_weights(7)


def keep(store: Store, seed: int = 0, weights: Weights | None = None) -> str:
    result = fake_result(tiny(seed))
    store.finish(result, weights, VERDICTS, "me")
    return result.run_id


def keep_many(store: Store) -> None:
    for seed in range(1, 100):
        keep(store, seed)


def test_what_is_kept_comes_back(store: Store, path: Path) -> None:
    run_id = keep(store, weights=WEIGHTS)
    store.close()
    with Store.read(path) as again:
        assert again.result(run_id) == fake_result(tiny())
        assert again.verdicts(run_id) == VERDICTS
        kept = again.weights(run_id)
        assert kept is not None
        assert kept.read_bytes() == WEIGHTS.data
        [summary] = again.summaries()
        assert (summary.run_id, summary.status) == (run_id, "finished")
        assert summary.verdict == VERDICTS["signature"].status
        assert summary.seconds == 0.75
        assert again.damage() == []
        assert again.timings()[0].seconds == 0.375


def test_a_result_is_there_whole_or_not_at_all(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last statement of the transaction fails: nothing of the run is seen."""
    nameless: Any = {None: VERDICTS["signature"]}
    with pytest.raises(StoreError):
        store.finish(fake_result(tiny()), None, nameless, "me")
    assert store.summaries() == []
    assert store.result(tiny().run_id) is None
    keep(store)
    assert len(store.summaries()) == 1


def test_the_first_result_stays_unless_weights_are_added(store: Store) -> None:
    run_id = keep(store)
    keep(store)
    assert store.weights(run_id) is None
    keep(store, weights=WEIGHTS)
    assert store.weights(run_id) is not None
    keep(store)
    assert store.weights(run_id) is not None


def test_all_that_a_run_may_have_comes_back(store: Store, path: Path) -> None:
    """To the digit: censuses, held-out losses, snapshots, the engine's revision."""
    whole = with_census(fake_result(tiny()), snapshots=(1, 2))
    store.finish(whole, WEIGHTS, VERDICTS, "me", {1: SNAPSHOT, 2: SECOND})
    store.close()
    with Store.read(path) as again:
        assert again.result(whole.run_id) == whole
        first, second, third = (again.weights(whole.run_id, epoch) for epoch in (1, 2, 3))
        assert first is not None
        assert second is not None
        assert (first.read_bytes(), second.read_bytes(), third) == (SNAPSHOT.data, SECOND.data, None)
        assert again.weights("0" * 16, 1) is None
        assert again.summaries()[0].census
        kept = again.weights(whole.run_id)
        assert kept is not None
        assert kept.read_bytes() == WEIGHTS.data


def test_the_census_of_a_run_that_was_removed_is_refused(store: Store) -> None:
    whole = with_census(fake_result(tiny()))
    store.finish(fake_result(tiny()), None, {}, "me")
    store.remove([whole.run_id])
    assert whole.census is not None
    with pytest.raises(InputError, match=f"run {whole.run_id}: was removed meanwhile"):
        store.set_census(whole.run_id, whole.census, VERDICTS)
    assert store.summaries() == []


PLAIN = fake_result(tiny())
FORMS: dict[str, tuple[RunResult, Weights | None]] = {
    "plain": (PLAIN, None),
    "weights": (PLAIN, WEIGHTS),
    "census": (with_census(PLAIN), None),
    "both": (with_census(PLAIN), WEIGHTS),
    "snapshots": (with_census(PLAIN, (1,)), WEIGHTS),
    "more snapshots": (with_census(PLAIN, (1, 2)), WEIGHTS),
    "other snapshots": (with_census(PLAIN, (2,)), WEIGHTS),
    "no weights": (with_census(PLAIN, (1,)), None),
}
TAKES_THE_PLACE = {
    "plain": set(FORMS) - {"plain"},
    "weights": {"both", "snapshots", "more snapshots", "other snapshots"},
    "census": {"both", "snapshots", "more snapshots", "other snapshots", "no weights"},
    "both": {"snapshots", "more snapshots", "other snapshots"},
    "snapshots": {"more snapshots"},
    "more snapshots": set[str](),
    "other snapshots": {"more snapshots"},
    "no weights": {"snapshots", "more snapshots"},
}


def took_longer(result: RunResult) -> RunResult:
    return replace(result, epochs=tuple(replace(e, seconds=e.seconds + 1) for e in result.epochs))


@pytest.mark.parametrize("there", FORMS)
@pytest.mark.parametrize("new", FORMS)
def test_a_result_is_replaced_by_one_that_has_more_and_lacks_nothing(
    store: Store, there: str, new: str
) -> None:
    first, later = FORMS[there], (took_longer(FORMS[new][0]), FORMS[new][1])
    for result, weights in (first, later):
        snapshots = {snapshot.epoch: SNAPSHOT for snapshot in result.snapshots}
        store.finish(result, weights, VERDICTS, "me", snapshots)
    result, weights = later if new in TAKES_THE_PLACE[there] else first
    assert store.result(PLAIN.run_id) == result
    assert (store.weights(PLAIN.run_id) is None) == (weights is None)
    for snapshot in result.snapshots:
        assert store.weights(PLAIN.run_id, snapshot.epoch) is not None


def test_a_failure_is_no_result_and_a_result_ends_it(store: Store) -> None:
    store.claim(tiny(), "me")
    store.fail(tiny(), "ValueError: no", "me")
    [summary] = store.summaries()
    assert (summary.status, summary.reason, summary.owner) == ("failed", "ValueError: no", None)
    assert store.finished([tiny().run_id]) == set()
    assert store.claim(tiny(), "you") is Claim.ACQUIRED
    keep(store)
    [summary] = store.summaries()
    assert (summary.status, summary.reason) == ("finished", None)


def test_runs_are_found_by_the_start_of_their_id(store: Store) -> None:
    ids = [keep(store, seed) for seed in range(20)]
    assert store.find(ids[0]).run_id == ids[0]
    shortest = next(k for k in range(1, 17) if sum(i.startswith(ids[0][:k]) for i in ids) == 1)
    assert store.find(ids[0][:shortest]).run_id == ids[0]
    with pytest.raises(InputError, match="give more of it"):
        store.find(ids[0][: shortest - 1] or next(i[0] for i in ids if sum(j[0] == i[0] for j in ids) > 1))
    for wrong in ("", "xyz", "%"):
        with pytest.raises(InputError, match="is not in the store"):
            store.find(wrong)


def test_garbage_is_what_no_run_needs(store: Store) -> None:
    keep(store, 0, WEIGHTS)
    finished, under_way = tiny(0).run_id, tiny(1).run_id
    store.files.keep_weights(Weights("5bad", b"of nobody"))
    for run_id in (finished, under_way, f".{under_way}.tmp"):
        checkpoint = store.files.checkpoint(run_id)
        checkpoint.parent.mkdir(exist_ok=True)
        checkpoint.write_bytes(b"state")
    assert store.collect_garbage() == (2, len(b"of nobody") + len(b"state"))
    left = sorted(file.name for file in store.files.directory.glob("*/*"))
    assert left == sorted([f".{under_way}.tmp", under_way, f"{WEIGHTS.checksum}.safetensors"])


def test_the_checkpoint_of_a_run_that_is_computed_again_is_no_garbage(store: Store) -> None:
    checkpoint = store.files.checkpoint(keep(store))
    checkpoint.parent.mkdir(parents=True)
    checkpoint.write_bytes(b"state")
    assert store.claim(tiny(), "me", again=True) is Claim.ACQUIRED
    assert store.collect_garbage() == (0, 0)
    store.release("me")
    assert store.collect_garbage() == (1, len(b"state"))
    assert not checkpoint.exists()


def test_snapshots_stay_as_long_as_their_run_is_known(store: Store) -> None:
    finished, under_way, unknown = (tiny(seed).run_id for seed in range(3))
    store.finish(with_census(fake_result(tiny(0)), (1, 2)), None, VERDICTS, "me", {1: SNAPSHOT, 2: SNAPSHOT})
    assert store.claim(tiny(1), "you") is Claim.ACQUIRED
    for run_id in (under_way, unknown):
        store.files.keep_snapshot(run_id, 7, SNAPSHOT)
    assert store.collect_garbage() == (1, len(SNAPSHOT.data))
    kept = {(path.parent.name, path.stem) for path in store.files.directory.glob("snapshots/*/*")}
    assert kept == {(finished, "1"), (finished, "2"), (under_way, "7")}
    store.release("you")
    assert store.collect_garbage() == (1, len(SNAPSHOT.data))
    assert store.weights(finished, 2) is not None


def test_a_full_disk_loses_nothing_that_was_finished(store: Store, path: Path) -> None:
    keep(store, 0)
    [pages] = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="disk is full"):
        keep_many(store)
    store.close()
    with Store.open(path) as again:
        assert again.damage() == []
        whole = [s.run_id for s in again.summaries()]
        assert tiny(0).run_id in whole
        assert all(again.result(run_id) is not None for run_id in whole)


def spoil(path: Path, how: str) -> None:
    if how in ("newer", "of no version"):
        with sqlite3.connect(path) as db:
            db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1 if how == 'newer' else -5}")
            db.execute(f"PRAGMA application_id = {APPLICATION}")
    elif how == "another program's":
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE recipes (name TEXT)")
    elif how == "no database":
        path.write_text("modulus = 11\n" * 100)
    else:
        Store.open(path).close()
        path.chmod(0o444)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("newer", "newer pconv"),
        ("of no version", r"damaged \(version -5"),
        ("another program's", "not a store"),
        ("no database", "not a store"),
        ("read-only", "read-only"),
    ],
)
def test_what_is_no_store_of_ours_is_refused_unharmed(path: Path, how: str, message: str) -> None:
    spoil(path, how)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=message) as caught:
        Store.open(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    if how == "read-only":
        with Store.read(path) as reading:
            assert reading.summaries() == []
    else:
        with pytest.raises(StoreError, match=message):
            Store.read(path)
    assert path.read_bytes() == before


def test_places_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        Store.read(tmp_path / "pconv.db")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open(tmp_path / "nowhere" / "pconv.db")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open(tmp_path)


def test_an_older_store_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the file by whoever writes to it; readers do not change the file."""
    with Store.open(path) as store:
        run_id = keep(store)
    before = path.read_bytes()
    added = (*MIGRATIONS, ("ALTER TABLE results ADD COLUMN note TEXT",))
    monkeypatch.setattr(schema, "MIGRATIONS", added)
    for open_store in (Store.read, Store.open):
        with open_store(path) as again:
            assert again.result(run_id) == fake_result(tiny())
            [version] = again._connection.execute("PRAGMA user_version").fetchone()
            assert version == len(added)
        assert (path.read_bytes() == before) == (open_store == Store.read)


def test_with_a_checkpoint_goes_what_a_killed_worker_left_beside_it(tmp_path: Path) -> None:
    files = Files(tmp_path / "pconv.db")
    place = files.checkpoint("ab12")
    place.parent.mkdir(parents=True)
    others = [place.with_name("cd34"), place.with_name(".cd34.tmp")]
    for path in (place, place.with_name(".ab12.x1"), place.with_name(".ab12.x2"), *others):
        path.touch()
    files.drop_checkpoint("ab12")
    assert sorted(place.parent.iterdir()) == sorted(others)
