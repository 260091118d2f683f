"""One file that keeps runs: what was asked, what came out, what failed, and who is working on what."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.result import Census, RunResult
from pconv.store.files import Files, Weights
from pconv.store.run import JudgedRun, Verdicts
from pconv.store.schema import open_to_read, open_to_write, speaking_of, transaction
from pconv.store.timing import Timing

if TYPE_CHECKING:
    from pconv.probes.finding import Finding

CLAIM_TIMEOUT = 30.0
"""Seconds without a heartbeat after which the run of a dead worker may be claimed by another."""


class Claim(Enum):
    """What became of the wish to work on a run."""

    ACQUIRED = "ours"
    FINISHED = "finished"
    HELD = "busy"  # another is working on it


@dataclass(frozen=True)
class Summary:
    """A run as `pconv runs` lists it; what is not known yet is None."""

    run_id: str
    status: str  # finished, running or failed
    config: dict[str, Any]
    best_accuracy: float | None
    test_accuracy: float | None
    best_epoch: int | None
    epochs: int | None
    seconds: float | None
    verdict: str | None  # on the signature theory
    weights: bool
    census: bool
    reason: str | None  # of a failure
    owner: str | None  # who is working on it


_SUMMARIES = """
SELECT configs.run_id, config, best_accuracy, test_accuracy, best_epoch,
       (SELECT count(*) FROM epochs WHERE epochs.run_id = configs.run_id) AS epochs,
       results.seconds, verdicts.status AS verdict, weights IS NOT NULL AS weights,
       json_type(results.document, '$.census') = 'object' AS census, reason,
       owner, finished
FROM configs LEFT JOIN results USING (run_id) LEFT JOIN failures USING (run_id)
     LEFT JOIN claims ON claims.run_id = configs.run_id AND abs(:now - heartbeat) < :lapse
     LEFT JOIN verdicts ON verdicts.run_id = configs.run_id AND theory = 'signature'
WHERE coalesce(finished, failed, heartbeat) IS NOT NULL
"""


class Store:
    """An open store. Every method is one transaction; several processes may hold the same file open."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.files = Files(path)
        self._connection = connection
        connection.row_factory = sqlite3.Row

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open to write; a new file where there is none."""
        return cls(path, open_to_write(path))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open to read what is there."""
        return cls(path, open_to_read(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with speaking_of(self.path), transaction(self._connection):
            yield self._connection

    def _rows(self, query: str, **values: Any) -> list[sqlite3.Row]:
        with speaking_of(self.path):
            return self._connection.execute(query, values).fetchall()

    # Work: claimed, kept alive, ended.

    def claim(self, config: RunConfig, owner: str, with_weights: bool = False, again: bool = False) -> Claim:
        """Claims a run.

        FINISHED if it is stored (with weights, if `with_weights`), unless it is to be computed `again`; BUSY
        if another live worker has it.
        """
        now = time.time()
        with self._writing() as db:
            if not again and self.finished([config.run_id], with_weights):
                return Claim.FINISHED
            held = db.execute("SELECT * FROM claims WHERE run_id = ?", (config.run_id,)).fetchone()
            if held and held["owner"] != owner and abs(now - held["heartbeat"]) < CLAIM_TIMEOUT:
                return Claim.HELD
            _know(db, config)
            db.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (config.run_id, owner, now))
        return Claim.ACQUIRED

    def heartbeat(self, owner: str) -> None:
        """The worker is alive: its claims do not lapse."""
        with self._writing() as db:
            db.execute("UPDATE claims SET heartbeat = ? WHERE owner = ?", (time.time(), owner))

    def release(self, owner: str) -> None:
        """Give up all claims, so that the next one need not wait for them to lapse."""
        with self._writing() as db:
            db.execute("DELETE FROM claims WHERE owner = ?", (owner,))

    def finish(
        self,
        result: RunResult,
        weights: Weights | None,
        verdicts: Verdicts,
        owner: str,
        snapshots: Mapping[int, Weights] | None = None,
    ) -> None:
        """Keep a finished run whole or not at all.

        The first result stays, unless a later one brings weights, a census or snapshots that it lacks and
        takes nothing away.

        Parameters
        ----------
        result
            The run's record.
        weights
            Its weights, where they are kept.
        verdicts
            Each theory's verdict as a document.
        owner
            Who computed it; the claim of this owner ends.
        snapshots
            The weights of single epochs, where they are kept.
        """
        run_id = result.run_id
        with self._writing() as db:
            _know(db, result.config)
            if self._is_more(result, weights):
                if weights:
                    self.files.keep_weights(weights)
                for epoch, kept in (snapshots or {}).items():
                    self.files.keep_snapshot(run_id, epoch, kept)
                db.execute("DELETE FROM results WHERE run_id = ?", (run_id,))
                _insert(db, result, weights, verdicts)
            db.execute("DELETE FROM failures WHERE run_id = ?", (run_id,))
            db.execute("DELETE FROM claims WHERE run_id = ? AND owner = ?", (run_id, owner))
        self.files.drop_checkpoint(run_id)

    def _is_more(self, result: RunResult, weights: Weights | None) -> bool:
        """Whether a result is new, or has something that the stored one lacks and lacks nothing it has."""
        stored = self.result(result.run_id)
        if stored is None:
            return True
        new = result.extras | ({"weights"} if weights else set())
        old = stored.extras | ({"weights"} if self.weights(result.run_id) else set())
        return new > old

    def set_census(self, run_id: str, census: Census, verdicts: Verdicts) -> None:
        """Add a census to a stored result, with the verdicts that follow from it."""
        with self._writing() as db:
            row = db.execute("SELECT document FROM results WHERE run_id = ?", (run_id,)).fetchone()
            document = {**json.loads(row["document"]), "census": census.to_dict()}
            db.execute("UPDATE results SET document = ? WHERE run_id = ?", (json.dumps(document), run_id))
            db.execute("DELETE FROM verdicts WHERE run_id = ?", (run_id,))
            _insert_verdicts(db, run_id, verdicts)

    def fail(self, config: RunConfig, reason: str, owner: str) -> None:
        """Record that a run cannot be computed, and why."""
        with self._writing() as db:
            _know(db, config)
            row = (config.run_id, time.time(), reason)
            db.execute("INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", row)
            db.execute("DELETE FROM claims WHERE run_id = ? AND owner = ?", (config.run_id, owner))

    # What is there.

    def finished(self, run_ids: Iterable[str], with_weights: bool = False) -> set[str]:
        """Which of these runs have a result, and if so asked, also their weights."""
        query = """SELECT run_id FROM results WHERE run_id IN (SELECT value FROM json_each(:ids))
                   AND (weights IS NOT NULL OR NOT :kept)"""
        rows = self._rows(query, ids=json.dumps(list(run_ids)), kept=with_weights)
        return {row["run_id"] for row in rows}

    def result(self, run_id: str) -> RunResult | None:
        """The result of a finished run."""
        query = "SELECT * FROM results JOIN configs USING (run_id) WHERE run_id = :id"
        found = self._rows(query, id=run_id)
        if not found:
            return None
        [row] = found
        epochs = self._rows("SELECT * FROM epochs WHERE run_id = :id ORDER BY epoch", id=run_id)
        data = json.loads(row["document"])
        data["config"] = json.loads(row["config"])
        data["losses"] = _floats(row["losses"])
        held_out = data.pop("held_out_losses", [None] * len(epochs))
        data["epochs"] = [
            {**{name: epoch[name] for name in epoch.keys()[1:]}, "held_out_loss": loss}
            for epoch, loss in zip(epochs, held_out, strict=True)
        ]
        return RunResult.from_dict(data)

    def run_ids(self) -> list[str]:
        """All finished runs, those that ended last at the end."""
        return [row["run_id"] for row in self._rows("SELECT run_id FROM results ORDER BY finished")]

    def run(self, run_id: str) -> JudgedRun | None:
        """A finished run with its verdicts."""
        result = self.result(run_id)
        return JudgedRun(result, self.verdicts(run_id)) if result else None

    def extrapolated(self, run_id: str) -> tuple[Finding, ...]:
        """What the kept network does on numbers past those it was trained on."""
        weights = self.weights(run_id)
        if weights is None or not weights.exists():
            return ()
        from pconv.models.weights import Model
        from pconv.probes.suite import probe_model  # loads torch: nothing else here asks a network again

        return probe_model(Model.load(weights), ["extrapolation"]).findings

    def verdicts(self, run_id: str) -> Verdicts:
        """Each theory's verdict; those of an older version are computed again."""
        rows = self._rows("SELECT theory, document FROM verdicts WHERE run_id = :id", id=run_id)
        found = {row["theory"]: json.loads(row["document"]) for row in rows}
        if all("parts" in verdict for verdict in found.values()):
            return found
        from pconv.store.judging import verdicts_on

        result = self.result(run_id)
        return verdicts_on(result) if result else {}

    def weights(self, run_id: str, epoch: int | None = None) -> Path | None:
        """The kept weights of a run, or those of its snapshot after an epoch."""
        if epoch is not None:
            snapshot = self.files.snapshot(run_id, epoch)
            return snapshot if snapshot.exists() else None
        rows = self._rows("SELECT weights FROM results WHERE run_id = :id", id=run_id)
        return self.files.weights(rows[0]["weights"]) if rows and rows[0]["weights"] else None

    def summaries(self) -> list[Summary]:
        """All runs, those that ended last at the end."""
        rows = self._rows(
            _SUMMARIES + "ORDER BY coalesce(finished, failed, heartbeat)",
            now=time.time(),
            lapse=CLAIM_TIMEOUT,
        )
        return [_summary(row) for row in rows]

    def find(self, prefix: str) -> Summary:
        """The run whose id starts like this."""
        query = _SUMMARIES + "AND substr(configs.run_id, 1, length(:prefix)) = :prefix"
        found = self._rows(query, now=time.time(), lapse=CLAIM_TIMEOUT, prefix=prefix)
        if not prefix or not found:
            raise InputError("run", repr(prefix), f"is not in the store {self.path} (`pconv runs` lists it)")
        if len(found) > 1:
            raise InputError("run", repr(prefix), f"is the start of {len(found)} runs; give more of it")
        return _summary(found[0])

    def timings(self) -> list[Timing]:
        """What an epoch of each finished run took."""
        query = """SELECT config, avg(epochs.seconds) AS seconds FROM epochs JOIN configs USING (run_id)
                   GROUP BY run_id"""
        return [Timing(_config(row["config"]), row["seconds"]) for row in self._rows(query)]

    # Upkeep.

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file; nothing if it is sound."""
        said = [row[0] for row in self._rows("PRAGMA integrity_check")]
        loose = [f"{row[0]} refers to nothing" for row in self._rows("PRAGMA foreign_key_check")]
        return [line for line in said if line != "ok"] + loose

    def collect_garbage(self) -> tuple[int, int]:
        """Remove lapsed claims, weights of no run, checkpoints of finished runs; files and bytes gone."""
        with self._writing() as db:
            db.execute("DELETE FROM claims WHERE abs(? - heartbeat) >= ?", (time.time(), CLAIM_TIMEOUT))
            results = db.execute("SELECT run_id, weights FROM results").fetchall()
            busy = {row[0] for row in db.execute("SELECT run_id FROM claims")}
            finished = {row["run_id"] for row in results}
            gone = self.files.drop_spare(
                {row["weights"] for row in results}, finished - busy, finished | busy
            )
        with speaking_of(self.path):
            self._connection.execute("VACUUM")
        return gone


def _know(db: sqlite3.Connection, config: RunConfig) -> None:
    row = (config.run_id, json.dumps(config.to_dict()))
    db.execute("INSERT OR IGNORE INTO configs VALUES (?, ?)", row)


def _insert(db: sqlite3.Connection, result: RunResult, weights: Weights | None, verdicts: Verdicts) -> None:
    run_id = result.run_id
    document = result.to_dict()
    for elsewhere in ("config", "epochs", "losses"):
        del document[elsewhere]
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
    _insert_verdicts(db, run_id, verdicts)


def _insert_verdicts(db: sqlite3.Connection, run_id: str, verdicts: Verdicts) -> None:
    judged = [(run_id, theory, says["status"], json.dumps(says)) for theory, says in verdicts.items()]
    db.executemany("INSERT INTO verdicts VALUES (?, ?, ?, ?)", judged)


def _config(text: str) -> RunConfig:
    return RunConfig.from_dict(json.loads(text))


def _summary(row: sqlite3.Row) -> Summary:
    data = {name: row[name] for name in row.keys() if name != "finished"}  # noqa: SIM118
    status = "finished" if row["finished"] is not None else "running" if row["owner"] else "failed"
    data["config"] = json.loads(row["config"])
    data["weights"], data["census"] = bool(row["weights"]), bool(row["census"])
    data["epochs"] = row["epochs"] or None
    return Summary(status=status, **data)


def _bytes(values: Iterable[float]) -> bytes:
    """Floats as they are, eight little-endian bytes each."""
    numbers = array("d", values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _floats(data: bytes) -> list[float]:
    numbers = array("d", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()
