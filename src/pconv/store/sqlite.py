"""The store: one SQLite file with runs, their results and verdicts, failures, and claims of workers."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.result import Census, RunResult
from pconv.store.files import Files, Weights
from pconv.store.judging import verdicts_on
from pconv.store.run import JudgedRun
from pconv.store.schema import open_to_read, open_to_write, store_errors, transaction
from pconv.store.summary import Summary, read_summaries
from pconv.store.tables import insert_config, insert_result, insert_verdicts, read_result, read_verdicts
from pconv.store.timing import Timing

if TYPE_CHECKING:
    from pconv.evaluate.verdict import Verdict
    from pconv.probes.finding import Finding

CLAIM_TIMEOUT = 30.0
"""Seconds without a heartbeat after which the run of a dead worker may be claimed by another."""


class Claim(Enum):
    """The outcomes of claiming a run."""

    ACQUIRED = "ours"
    FINISHED = "finished"
    HELD = "busy"  # by another live worker


class Store:
    """An open store. Every method is one transaction; several processes may hold the same file open."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.files = Files(path)
        self._connection = connection
        connection.row_factory = sqlite3.Row

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a store for writing; makes the file where there is none."""
        return cls(path, open_to_write(path))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open an existing store for reading."""
        return cls(path, open_to_read(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with store_errors(self.path), transaction(self._connection):
            yield self._connection

    def _rows(self, query: str, **values: Any) -> list[sqlite3.Row]:
        with store_errors(self.path):
            return self._connection.execute(query, values).fetchall()

    # Claims and results.

    def claim(self, config: RunConfig, owner: str, with_weights: bool = False, again: bool = False) -> Claim:
        """Claims a run.

        FINISHED if it is stored (with weights, if `with_weights`), unless `again`; HELD if another live
        worker has claimed it.

        Parameters
        ----------
        config
            The run's configuration.
        owner
            The worker that claims it.
        with_weights
            A stored run without weights does not count as finished.
        again
            The run is to be computed again though it is stored.
        """
        now = time.time()
        with self._writing() as db:
            if not again and self.finished([config.run_id], with_weights):
                return Claim.FINISHED
            held = db.execute("SELECT * FROM claims WHERE run_id = ?", (config.run_id,)).fetchone()
            if held and held["owner"] != owner and abs(now - held["heartbeat"]) < CLAIM_TIMEOUT:
                return Claim.HELD
            insert_config(db, config)
            db.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (config.run_id, owner, now))
        return Claim.ACQUIRED

    def heartbeat(self, owner: str) -> None:
        """Renew all claims of a worker, so that they do not lapse."""
        with self._writing() as db:
            db.execute("UPDATE claims SET heartbeat = ? WHERE owner = ?", (time.time(), owner))

    def release(self, owner: str) -> None:
        """Give up all claims of a worker."""
        with self._writing() as db:
            db.execute("DELETE FROM claims WHERE owner = ?", (owner,))

    def finish(
        self,
        result: RunResult,
        weights: Weights | None,
        verdicts: Mapping[str, Verdict],
        owner: str,
        snapshots: Mapping[int, Weights] | None = None,
    ) -> None:
        """Store a finished run in one transaction, and end the claim on it.

        The first result stays, unless a later one brings weights, a census or snapshots that it lacks and
        takes nothing away.

        Parameters
        ----------
        result
            The run's record.
        weights
            Its weights, where they are kept.
        verdicts
            The verdict on each theory.
        owner
            The worker that computed it.
        snapshots
            The weights of single epochs, where they are kept.
        """
        run_id = result.run_id
        with self._writing() as db:
            insert_config(db, result.config)
            if self._is_more(result, weights):
                if weights:
                    self.files.keep_weights(weights)
                for epoch, kept in (snapshots or {}).items():
                    self.files.keep_snapshot(run_id, epoch, kept)
                db.execute("DELETE FROM results WHERE run_id = ?", (run_id,))
                insert_result(db, result, weights, verdicts)
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

    def set_census(self, run_id: str, census: Census, verdicts: Mapping[str, Verdict]) -> None:
        """Add a census to a stored result, with the verdicts that follow from it."""
        with self._writing() as db:
            row = db.execute("SELECT document FROM results WHERE run_id = ?", (run_id,)).fetchone()
            document = {**json.loads(row["document"]), "census": census.to_dict()}
            db.execute("UPDATE results SET document = ? WHERE run_id = ?", (json.dumps(document), run_id))
            db.execute("DELETE FROM verdicts WHERE run_id = ?", (run_id,))
            insert_verdicts(db, run_id, verdicts)

    def fail(self, config: RunConfig, reason: str, owner: str) -> None:
        """Record that a run cannot be computed, and why."""
        with self._writing() as db:
            insert_config(db, config)
            row = (config.run_id, time.time(), reason)
            db.execute("INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", row)
            db.execute("DELETE FROM claims WHERE run_id = ? AND owner = ?", (config.run_id, owner))

    # Reading.

    def finished(self, run_ids: Iterable[str], with_weights: bool = False) -> set[str]:
        """Which of these runs have a result; with `with_weights` also their weights."""
        query = """SELECT run_id FROM results WHERE run_id IN (SELECT value FROM json_each(:ids))
                   AND (weights IS NOT NULL OR NOT :kept)"""
        rows = self._rows(query, ids=json.dumps(list(run_ids)), kept=with_weights)
        return {row["run_id"] for row in rows}

    def result(self, run_id: str) -> RunResult | None:
        """The result of a finished run; None if it has not finished."""
        with store_errors(self.path):
            return read_result(self._connection, run_id)

    def run_ids(self) -> list[str]:
        """The ids of all finished runs, those that ended last at the end."""
        return [row["run_id"] for row in self._rows("SELECT run_id FROM results ORDER BY finished")]

    def run(self, run_id: str) -> JudgedRun | None:
        """A finished run with its verdicts."""
        result = self.result(run_id)
        return JudgedRun(result, self.verdicts(run_id)) if result else None

    def extrapolated(self, run_id: str) -> tuple[Finding, ...]:
        """The findings of the extrapolation probe on the kept weights; empty without weights."""
        weights = self.weights(run_id)
        if weights is None or not weights.exists():
            return ()
        from pconv.models.weights import Model
        from pconv.probes.suite import probe  # loads torch

        return probe(Model.load(weights), ["extrapolation"]).findings

    def verdicts(self, run_id: str) -> Mapping[str, Verdict]:
        """The verdict on each theory; those of an older version are computed again."""
        with store_errors(self.path):
            verdicts = read_verdicts(self._connection, run_id)
        if verdicts is not None:
            return verdicts
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
        with store_errors(self.path):
            return read_summaries(self._connection, CLAIM_TIMEOUT)

    def find(self, prefix: str) -> Summary:
        """The run whose id starts with `prefix`."""
        with store_errors(self.path):
            found = read_summaries(self._connection, CLAIM_TIMEOUT, prefix)
        if not prefix or not found:
            raise InputError("run", repr(prefix), f"is not in the store {self.path} (`pconv runs` lists it)")
        if len(found) > 1:
            raise InputError("run", repr(prefix), f"is the start of {len(found)} runs; give more of it")
        return found[0]

    def timings(self) -> list[Timing]:
        """The mean seconds of an epoch of each finished run."""
        query = """SELECT config, avg(epochs.seconds) AS seconds FROM epochs JOIN configs USING (run_id)
                   GROUP BY run_id"""
        rows = self._rows(query)
        return [Timing(RunConfig.from_dict(json.loads(row["config"])), row["seconds"]) for row in rows]

    # Maintenance.

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file; empty if it is sound."""
        found = [row[0] for row in self._rows("PRAGMA integrity_check")]
        loose = [f"{row[0]} refers to nothing" for row in self._rows("PRAGMA foreign_key_check")]
        return [line for line in found if line != "ok"] + loose

    def collect_garbage(self) -> tuple[int, int]:
        """Remove lapsed claims, weights of no run and checkpoints of finished runs.

        Returns the number of files removed and their bytes.
        """
        with self._writing() as db:
            db.execute("DELETE FROM claims WHERE abs(? - heartbeat) >= ?", (time.time(), CLAIM_TIMEOUT))
            results = db.execute("SELECT run_id, weights FROM results").fetchall()
            busy = {row[0] for row in db.execute("SELECT run_id FROM claims")}
            finished = {row["run_id"] for row in results}
            gone = self.files.drop_spare(
                {row["weights"] for row in results}, finished - busy, finished | busy
            )
        with store_errors(self.path):
            self._connection.execute("VACUUM")
        return gone
