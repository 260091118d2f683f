"""Runs as rows of the store's tables."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from array import array
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pconv.config import RunConfig
from pconv.result import RunResult
from pconv.store.files import Weights

if TYPE_CHECKING:
    from pconv.evaluate.verdict import Verdict


def insert_config(db: sqlite3.Connection, config: RunConfig) -> None:
    """Write a configuration unless it is there."""
    row = (config.run_id, json.dumps(config.to_dict()))
    db.execute("INSERT OR IGNORE INTO configs VALUES (?, ?)", row)


def insert_result(
    db: sqlite3.Connection, result: RunResult, weights: Weights | None, verdicts: Mapping[str, Verdict]
) -> None:
    """Write a result, its epochs and its verdicts; its configuration must be there.

    Parameters
    ----------
    db
        A connection inside a transaction.
    result
        A finished run that has no result yet.
    weights
        Its weights, where they are kept.
    verdicts
        The verdict on each theory.
    """
    run_id = result.run_id
    document = result.to_dict()
    for column in ("config", "epochs", "losses"):
        del document[column]
    document["held_out_losses"] = [epoch.held_out_loss for epoch in result.epochs]
    row = {
        "run_id": run_id,
        "finished": time.time(),
        "seconds": sum(epoch.seconds for epoch in result.epochs),
        "best_epoch": result.best_epoch,
        "best_accuracy": result.best_accuracy,
        "test_accuracy": result.test.accuracy,
        "losses": _bytes(result.losses),
        "document": json.dumps(document),
        "weights": weights.checksum if weights else None,
    }
    db.execute(f"INSERT INTO results ({','.join(row)}) VALUES (:{',:'.join(row)})", row)
    epochs = [(run_id, e.epoch, e.loss, e.accuracy, e.seconds) for e in result.epochs]
    db.executemany("INSERT INTO epochs VALUES (?, ?, ?, ?, ?)", epochs)
    replace_verdicts(db, run_id, verdicts)


def replace_verdicts(db: sqlite3.Connection, run_id: str, verdicts: Mapping[str, Verdict]) -> None:
    """Write the verdicts of a run in place of those that it has.

    Parameters
    ----------
    db
        A connection inside a transaction.
    run_id
        The run.
    verdicts
        The verdict on each theory.
    """
    rows = [
        (run_id, theory, str(verdict.status), json.dumps(verdict.to_dict()))
        for theory, verdict in verdicts.items()
    ]
    db.execute("DELETE FROM verdicts WHERE run_id = ?", (run_id,))
    db.executemany("INSERT INTO verdicts VALUES (?, ?, ?, ?)", rows)


def read_result(db: sqlite3.Connection, run_id: str) -> RunResult | None:
    """The result of a run; None if it has none."""
    query = "SELECT * FROM results JOIN configs USING (run_id) WHERE run_id = ?"
    row = db.execute(query, (run_id,)).fetchone()
    if row is None:
        if db.execute("SELECT 1 FROM results WHERE run_id = ?", (run_id,)).fetchone():
            raise ValueError("its configuration is missing")
        return None
    epochs = db.execute("SELECT * FROM epochs WHERE run_id = ? ORDER BY epoch", (run_id,)).fetchall()
    data = json.loads(row["document"])
    data["config"] = json.loads(row["config"])
    data["losses"] = _floats(row["losses"])
    held_out = data.pop("held_out_losses", [None] * len(epochs))
    data["epochs"] = [
        {**{name: epoch[name] for name in epoch.keys()[1:]}, "held_out_loss": loss}
        for epoch, loss in zip(epochs, held_out, strict=True)
    ]
    return RunResult.from_dict(data)


def read_verdicts(db: sqlite3.Connection, run_id: str) -> dict[str, Verdict] | None:
    """The verdict on each theory; None where another version of the tests has written them."""
    from pconv.evaluate.verdict import Verdict, is_current

    rows = db.execute("SELECT theory, document FROM verdicts WHERE run_id = ?", (run_id,))
    documents = {row["theory"]: json.loads(row["document"]) for row in rows}
    if not all(map(is_current, documents.values())):
        return None
    return {theory: Verdict.from_dict(document) for theory, document in documents.items()}


def _bytes(values: Iterable[float]) -> bytes:
    """Floats as eight little-endian bytes each."""
    numbers = array("d", values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _floats(data: bytes) -> list[float]:
    numbers = array("d", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()
