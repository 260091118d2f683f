"""What must hold of a store after a scenario: nothing lost, nothing stored twice, same bits, nothing left."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from pconv.errors import PconvError
from pconv.store.sqlite import Store

Fingerprint = dict[str, Any]
"""The result of a run without its times, and the digest of its weights."""

_LOG = (
    "CREATE TABLE chaos_stored (run_id TEXT NOT NULL)",
    """CREATE TRIGGER chaos_log AFTER INSERT ON results WHEN new.weights IS NOT NULL
       BEGIN INSERT INTO chaos_stored VALUES (new.run_id); END""",
)


def new_store(path: Path) -> None:
    """Makes a store that logs, by a trigger of SQLite, each time that a result is written with its weights.

    One without weights, which a full disk has no space for, is replaced by one with them.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as db:
        for statement in _LOG:
            db.execute(statement)
        db.commit()


def fingerprints(path: Path) -> dict[str, Fingerprint]:
    """Those of all finished runs of a store."""
    with Store.read(path) as store:
        return {run_id: _fingerprint(store, run_id) for run_id in store.run_ids()}


def _fingerprint(store: Store, run_id: str) -> Fingerprint:
    result, weights = store.result(run_id), store.weights(run_id)
    assert result is not None
    document = result.to_dict()
    for epoch in document["epochs"]:
        del epoch["seconds"]
    document["weights"] = _digest(weights) if weights else None
    return document


def _digest(weights: Path) -> str:
    """Of a safetensors file: the header, whose entries are in no fixed order, and the numbers after it."""
    data = weights.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8:end]), sort_keys=True)
    return hashlib.sha256(header.encode() + data[end:]).hexdigest()


def violations(path: Path, reference: Mapping[str, Fingerprint]) -> list[str]:
    """What is wrong with a store that should have exactly the runs of the reference, and nothing else.

    To be called when no process uses the store, after `pconv gc`.
    """
    try:
        found = left_over_files(path)
        found += _wrong_runs(fingerprints(path), reference)
        with Store.read(path) as store:
            found += [f"damaged: {line}" for line in store.damage()]
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
            found += _wrong_rows(db)
    except (PconvError, OSError, sqlite3.Error) as error:
        return [f"the store cannot be read: {error}"]
    return found


def _wrong_runs(there: Mapping[str, Fingerprint], reference: Mapping[str, Fingerprint]) -> list[str]:
    found = [f"run {run_id} is lost" for run_id in reference.keys() - there.keys()]
    found += [f"run {run_id} is not one of the sweep" for run_id in there.keys() - reference.keys()]
    for run_id in there.keys() & reference.keys():
        if there[run_id] != reference[run_id]:
            parts = [name for name, value in reference[run_id].items() if there[run_id].get(name) != value]
            found.append(f"run {run_id} has other bits: {', '.join(parts)}")
    return found


def _wrong_rows(db: sqlite3.Connection) -> list[str]:
    found = [f"claim left over: {row}" for row in db.execute("SELECT run_id, owner FROM claims")]
    found += [f"failure: {row}" for row in db.execute("SELECT run_id, reason FROM failures")]
    stored = "SELECT run_id, count(*) FROM chaos_stored GROUP BY run_id HAVING count(*) > 1"
    return found + [f"run {run_id} was stored {count} times" for run_id, count in db.execute(stored)]


def left_over_files(path: Path) -> list[str]:
    """Files beside a store and in its directory that are neither the database nor weights of a result."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        kept = {row[0] for row in db.execute("SELECT weights FROM results")}
    expected = {
        path,
        *(path.with_name(f"{path.name}.d") / "weights" / f"{name}.safetensors" for name in kept),
    }
    return files_except(path.parent, expected)


def files_except(directory: Path, expected: Collection[Path] = ()) -> list[str]:
    """The files below a directory that should not be there, a line each."""
    there = sorted(file for file in directory.rglob("*") if file.is_file() and file not in expected)
    return [f"file left over: {file.relative_to(directory)}" for file in there]
