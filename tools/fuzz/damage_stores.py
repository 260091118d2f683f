"""Damage to a store: to the bytes of its file, to its rows, and to the files beside it."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from tools.fuzz.damage_bytes import damage_bytes
from tools.fuzz.damage_documents import damage_document, write_document
from tools.fuzz.template import STORE
from tools.fuzz.valid_values import run_ids
from tools.fuzz.values import FLOATS, INTEGERS, TEXTS

_TABLES = ("configs", "results", "epochs", "verdicts", "failures", "claims")


def damage_store(rng: random.Random) -> None:
    """Damages the store of the current directory."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choice(_WAYS)(rng)


def _damage_file(rng: random.Random) -> None:
    path = Path(STORE)
    path.write_bytes(damage_bytes(rng, path.read_bytes()))


def _damage_page(rng: random.Random) -> None:
    """Overwrite a part of the header or of one page with something else."""
    data = bytearray(Path(STORE).read_bytes())
    if not data:
        return
    start = rng.choice((rng.randrange(100), 4_096 * rng.randrange(max(1, len(data) // 4_096)))) % len(data)
    piece = rng.choice((b"\0", b"\xff", rng.randbytes(8))) * rng.choice((1, 16, 512))
    data[start : start + len(piece)] = piece
    Path(STORE).write_bytes(data[: rng.choice((len(data), len(data), len(data) // 2))])


def _damage_row(rng: random.Random) -> None:
    """Another value in one column of one row; a JSON document may be damaged inside."""

    def change(db: sqlite3.Connection) -> None:
        table = rng.choice(_TABLES[:4])
        rows = db.execute(f"SELECT * FROM {table}").fetchall()
        if not rows:
            return
        row = rng.choice(rows)
        columns = row.keys()
        column = rng.choice([*columns, *[name for name in columns if name in ("document", "config")] * 5])
        where = " AND ".join(f"{name} IS ?" for name in columns)
        statement = f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {where}"
        db.execute(statement, (_other(rng, row[column]), *row))

    _with_database(change)


def _other(rng: random.Random, value: Any) -> Any:
    if isinstance(value, str) and value.startswith("{") and rng.random() < 0.85:
        return write_document(rng, damage_document(rng, json.loads(value)))
    if isinstance(value, str):
        return rng.choice((*TEXTS, value[:-1], value + "0", "{}", "[]", "null", "1", "\ufffd"))
    if isinstance(value, bytes):
        return damage_bytes(rng, value)
    if isinstance(value, float):
        return rng.choice(FLOATS)
    return rng.choice([number for number in INTEGERS if abs(number) < 2**63])


def _remove_rows(rng: random.Random) -> None:
    table, run_id = rng.choice(_TABLES[:4]), rng.choice(run_ids())
    everything = rng.random() < 0.5
    _with_database(lambda db: db.execute(f"DELETE FROM {table} WHERE run_id = ? OR ?", (run_id, everything)))


def _damage_schema(rng: random.Random) -> None:
    statement = rng.choice(
        (
            *(f"DROP TABLE {table}" for table in _TABLES),
            *(f"ALTER TABLE {table} RENAME TO other" for table in _TABLES),
            *(f"PRAGMA user_version = {version}" for version in (-5, 0, 2, 2**31 - 1)),
            *(f"PRAGMA application_id = {number}" for number in (0, 1, -1)),
            "ALTER TABLE results DROP COLUMN document",
            "ALTER TABLE results ADD COLUMN more TEXT",
            "CREATE VIEW more AS SELECT * FROM nothing",
            "PRAGMA journal_mode = DELETE",
            "CREATE TRIGGER stop BEFORE INSERT ON claims BEGIN SELECT RAISE(ABORT, 'no'); END",
        )
    )
    _with_database(lambda db: db.execute(statement))


def _add_claim(rng: random.Random) -> None:
    """A claim of a worker that is alive, dead for long, or of the future."""
    heartbeat = rng.choice((0.0, -1e300, 1e300, 4e9))
    owner = rng.choice(TEXTS)
    _with_database(
        lambda db: db.execute(
            "INSERT OR REPLACE INTO claims SELECT run_id, ?, ? FROM configs", (owner, heartbeat)
        )
    )


def _damage_beside(rng: random.Random) -> None:
    """Files beside the store: its log, weights, snapshots and checkpoints."""
    target = rng.choice((Path(STORE + "-wal"), Path(STORE + "-shm"), Path(STORE + "-journal"), *_kept()))
    match rng.randrange(4):
        case 0:
            target.write_bytes(rng.randbytes(rng.choice((0, 1, 32, 5_000))))
        case 1:
            target.write_bytes(damage_bytes(rng, target.read_bytes() if target.exists() else b""))
        case 2:
            target.unlink(missing_ok=True)
        case _:
            shutil.rmtree(STORE + ".d", ignore_errors=True)


def _kept() -> list[Path]:
    return sorted(path for path in Path(STORE + ".d").rglob("*") if path.is_file())


def _with_database(change: Callable[[sqlite3.Connection], object]) -> None:
    """Make a change where the file is still a database that allows it."""
    allowed = suppress(sqlite3.Error, ValueError, OverflowError, RecursionError)
    with allowed, closing(sqlite3.connect(STORE, isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        change(db)


_WAYS = (
    *(_damage_file, _damage_page, _damage_row, _damage_row, _damage_row, _damage_row),
    *(_remove_rows, _damage_schema, _add_claim, _damage_beside),
)
