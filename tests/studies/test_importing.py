"""Imports: every format comes back as it was, the first result stays, a damaged source changes nothing."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pconv.errors import InputError, PconvError
from pconv.models.pconv import PrimeConvNet
from pconv.models.weights import packed_weights
from pconv.result import RunResult
from pconv.store import tables
from pconv.store.export import json_lines
from pconv.store.files import Weights
from pconv.store.judging import verdicts_on
from pconv.store.rows import row_of
from pconv.store.sqlite import Store
from pconv.studies.directory import add_results
from pconv.studies.importing import Imported, import_runs
from tests.fakes import fake_result, tiny, with_census

CONFIG = tiny()
FIRST = with_census(fake_result(CONFIG), (1,))


def weights(epoch: int) -> Weights:
    network = PrimeConvNet.of(CONFIG)
    return Weights(*packed_weights(network.state_dict(), CONFIG, epoch))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A store with a run that has all that a run may have, one without, and one that failed."""
    path = tmp_path / "source.db"
    with Store.open(path) as store:
        store.finish(FIRST, weights(2), verdicts_on(FIRST), "me", {1: weights(1)})
        store.finish(fake_result(tiny(1)), None, {}, "me")
        store.fail(tiny(2), "ValueError: no", "me")
    return path


def in_short(result: RunResult) -> RunResult:
    return replace(result, losses=tuple(epoch.loss for epoch in result.epochs), loss_width=10)


def test_a_store_comes_with_its_weights(source: Path, path: Path) -> None:
    assert import_runs(source, path) == Imported(new=2, replaced=0, kept=0, unfinished=1)
    with Store.read(source) as there, Store.read(path) as here:
        for run_id in (FIRST.run_id, tiny(1).run_id):
            assert here.result(run_id) == there.result(run_id)
            assert here.contents(run_id) == there.contents(run_id)
        for epoch in (None, 1):
            ours, theirs = here.weights(FIRST.run_id, epoch), there.weights(FIRST.run_id, epoch)
            assert ours is not None
            assert theirs is not None
            assert ours.read_bytes() == theirs.read_bytes()
        assert here.verdicts(FIRST.run_id) == verdicts_on(FIRST)
        assert here.damage() == []
    assert import_runs([source, source], path) == Imported(new=0, replaced=0, kept=2, unfinished=2)
    assert import_runs(path, path) == Imported(new=0, replaced=0, kept=2, unfinished=0)


def test_files_that_export_writes(source: Path, path: Path, tmp_path: Path) -> None:
    with Store.read(source) as store:
        (tmp_path / "runs.jsonl").write_text("".join(json_lines(store, store.summaries())))
        add_results(tmp_path / "results", store)
    assert import_runs(tmp_path / "runs.jsonl", path) == Imported(2, 0, 0, unfinished=1)
    with Store.read(path) as store:
        assert store.result(FIRST.run_id) == FIRST, "to the digit"
        assert store.verdicts(FIRST.run_id) == verdicts_on(FIRST)
    for name in ("results", "results/other.jsonl"):
        short = tmp_path / f"{Path(name).name}.db"
        assert import_runs(tmp_path / name, short) == Imported(2, 0, 0, 0)
        with Store.read(short) as store:
            assert store.result(FIRST.run_id) == in_short(FIRST)
    assert import_runs(source, short) == Imported(new=0, replaced=1, kept=1, unfinished=1)
    with Store.read(short) as store:
        assert store.weights(FIRST.run_id) is not None, "what was imported without weights gets them"


def test_a_failure_ends_with_a_result(path: Path, tmp_path: Path) -> None:
    with Store.open(path) as store:
        store.fail(CONFIG, "ValueError: no", "me")
        checkpoint = store.files.checkpoint(CONFIG.run_id)
        checkpoint.parent.mkdir(parents=True)
        checkpoint.write_bytes(b"state")
    _write(tmp_path / "one.jsonl", FIRST.to_dict())
    assert import_runs(tmp_path / "one.jsonl", path).new == 1
    with Store.read(path) as store:
        [run] = store.summaries()
        assert (run.status, run.reason, checkpoint.exists()) == ("finished", None, False)


def _write(path: Path, *documents: Any) -> None:
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))


def test_the_first_result_stays_unless_the_new_one_has_a_census(path: Path, tmp_path: Path) -> None:
    plain = fake_result(CONFIG)
    slower = replace(plain, epochs=tuple(replace(e, seconds=e.seconds + 1) for e in plain.epochs))
    file = tmp_path / "one.jsonl"
    for result, expected, stored in (
        (plain, Imported(1, 0, 0, 0), plain),
        (slower, Imported(0, 0, 1, 0), plain),
        (with_census(slower), Imported(0, 1, 0, 0), with_census(slower)),
        (with_census(plain), Imported(0, 0, 1, 0), with_census(slower)),
        (plain, Imported(0, 0, 1, 0), with_census(slower)),
    ):
        _write(file, result.to_dict())
        assert import_runs(file, path) == expected
        with Store.read(path) as store:
            assert store.result(CONFIG.run_id) == stored
    _write(file, slower.to_dict(), with_census(slower).to_dict(), plain.to_dict())
    assert import_runs(file, tmp_path / "new.db") == Imported(1, 0, 0, 0), "the same rule between sources"
    with Store.read(tmp_path / "new.db") as store:
        assert store.result(CONFIG.run_id) == with_census(slower)


def _changed(**changes: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(FIRST.to_dict())), **changes}


HOSTILE: dict[str, Any] = {
    "no object": [1, 2],
    "no run": {"status": "finished"},
    "another id": _changed(run_id="0" * 16),
    "a loss that is not finite": _changed(losses=[float("nan")]),
    "infinite": _changed(losses=[1e999]),
    "an epoch without a loss": _changed(epochs=[{**FIRST.to_dict()["epochs"][0], "loss": float("nan")}]),
    "text for numbers": _changed(best_epoch="1"),
    "too many classes": _changed(config={**CONFIG.to_dict(), "modulus": 5}, run_id=tiny(0, 5).run_id),
    "no such task": _changed(config={**CONFIG.to_dict(), "task": "gone"}),
    "a short row with a wrong answer": {**row_of(FIRST), "test": [[7, 1]] * 3},
    "a census that is none": _changed(census={"numbers": "unseen"}),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_damaged_line_changes_nothing(path: Path, tmp_path: Path, kind: str) -> None:
    _write(tmp_path / "bad.jsonl", fake_result(tiny(1)).to_dict(), HOSTILE[kind])
    with pytest.raises(InputError, match=r"^file .*bad.jsonl line 2: is damaged: ") as caught:
        import_runs(tmp_path / "bad.jsonl", path)
    assert "\n" not in str(caught.value)
    assert not path.exists(), "not even a store"


def _mutated(document: Any, random: random.Random) -> Any:
    """The document with one value, somewhere in it, replaced or left out."""
    if random.random() < 0.25 or not isinstance(document, dict | list) or not document:
        return random.choice([None, -1, 10**30, 1e308, "x", "\x1b[2J", [], {}, True, 0.5])
    key = random.choice(list(document) if isinstance(document, dict) else range(len(document)))
    changed = document.copy()
    if random.random() < 0.1:
        del changed[key]
    else:
        changed[key] = _mutated(document[key], random)
    return changed


@pytest.mark.parametrize("short", [False, True])
def test_what_is_imported_can_be_read(path: Path, tmp_path: Path, short: bool) -> None:
    """A mutated document is refused, or gives a store without damage."""
    chance, document = random.Random(18), json.loads(json.dumps(row_of(FIRST) if short else FIRST.to_dict()))
    refused = 0
    for _ in range(60):
        _write(tmp_path / "runs.jsonl", _mutated(document, chance))
        try:
            import_runs(tmp_path / "runs.jsonl", path)
        except PconvError:
            refused += 1
    assert 30 < refused < 60, "some mutations change nothing that matters"
    with Store.read(path) as store:
        assert store.damage() == []
        assert all(store.run(run_id) for run_id in store.run_ids())


@pytest.mark.parametrize("which", ["weights", "snapshot", "of another run", "of another epoch"])
def test_damaged_weights_change_nothing(source: Path, path: Path, which: str) -> None:
    with Store.read(source) as store:
        file = store.weights(FIRST.run_id, None if which in ("weights", "of another run") else 1)
    assert file is not None
    if which == "of another run":
        other = PrimeConvNet.of(tiny(3))
        file.write_bytes(packed_weights(other.state_dict(), tiny(3), 2)[1])
    elif which == "of another epoch":
        file.write_bytes(weights(2).data)
    else:
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(data)
    with pytest.raises(InputError, match="is damaged or not a weights file"):
        import_runs(source, path)
    assert not path.exists()


def test_all_runs_are_stored_or_none(source: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second run cannot be written."""
    Store.open(path).close()
    insert, calls = tables.insert_result, []

    def full(*given: Any) -> None:
        calls.append(given)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        insert(*given)

    monkeypatch.setattr("pconv.store.sqlite.insert_result", full)
    with pytest.raises(OSError, match="No space left"):
        import_runs(source, path)
    with Store.read(path) as store:
        assert (len(calls), store.summaries()) == (2, [])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nowhere.jsonl", "does not exist"),
        ("runs.csv", "must be a store, a .jsonl file, or a directory of results"),
        ("empty", r"has no results \(\*.jsonl\)"),
        ("/dev/null", "is not a file"),
        ("text.db", "is not a store of pconv"),
    ],
)
def test_what_is_no_source(path: Path, tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "runs.csv").write_text("run_id\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.db").write_text("no store\n" * 100)
    with pytest.raises(PconvError, match=reason):
        import_runs(tmp_path / name, path)
    assert not path.exists()
