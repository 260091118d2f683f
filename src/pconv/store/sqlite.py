"""The store: one SQLite file with runs, their results and verdicts, failures, and claims of workers."""

from __future__ import annotations

import json
import logging
import re
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pconv._text import shortened
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.result import Census, RunResult
from pconv.store.contents import replaces
from pconv.store.files import Dropped, Weights, WeightsNotKept
from pconv.store.reading import StoreReader
from pconv.store.run import RunRecord
from pconv.store.schema import StoreError, checked_path, open_to_write, store_errors, transaction
from pconv.store.summary import CLAIM_TIMEOUT
from pconv.store.tables import insert_config, insert_result, replace_verdicts

if TYPE_CHECKING:
    from pconv.evaluate.verdict import Verdict

log = logging.getLogger(__name__)

WATCHED = CLAIM_TIMEOUT / 3
"""Seconds without a change, on the clock of this process, after which an old claim has lapsed."""
_NOTHING_KNOWN = """
SELECT run_id FROM configs EXCEPT SELECT run_id FROM results EXCEPT SELECT run_id FROM failures
EXCEPT SELECT run_id FROM claims
"""
"""The runs that a worker began and left without result, failure or claim."""


class Claim(Enum):
    """The outcomes of claiming a run."""

    ACQUIRED = "ours"
    FINISHED = "finished"
    HELD = "busy"  # by another live worker
    SILENT = "silent"  # by a worker that seems dead; if it stays silent, the run can be claimed soon


class Added(Enum):
    """The outcomes of adding a finished run."""

    NEW = "new"
    REPLACED = "replaced"  # the store had less of it
    KEPT = "kept"  # the store has as much of it


def _looks_old(claim: sqlite3.Row) -> bool:
    """Whether its last heartbeat is long ago, or far in the future, by the clock of this process."""
    return abs(time.time() - float(claim["heartbeat"])) >= CLAIM_TIMEOUT


class Store(StoreReader):
    """An open store. Every method is one transaction; several processes may hold the same file open."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        super().__init__(path, connection)
        self._watched: dict[str, tuple[tuple[str, float], float]] = {}  # claims, and since when unchanged

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open a store for writing; makes the file where there is none."""
        file = checked_path(path)
        return cls(file, open_to_write(file))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with store_errors(self.path), transaction(self._connection):
            yield self._connection

    # Claims and results.

    def claim(
        self,
        config: RunConfig,
        owner: str,
        with_weights: bool = False,
        snapshots: Collection[int] = (),
        *,
        again: bool = False,
    ) -> Claim:
        """Claims a run.

        FINISHED if it is stored with all that is wanted of it, unless `again`; HELD if another live worker
        has claimed it; SILENT if the claim is old, but this process has not watched it long enough to know
        that its worker is dead: the clocks of two machines may differ.

        Parameters
        ----------
        config
            The run's configuration.
        owner
            The worker that claims it.
        with_weights
            A stored run without weights does not count as finished.
        snapshots
            Nor does one without the answers after these epochs, as far as they were run.
        again
            The run is to be computed again though it is stored.
        """
        now = time.time()
        with self._writing() as db:
            stored = self.finished([config.run_id], with_weights)
            if not again and stored and self.has_snapshots(config.run_id, snapshots):
                return Claim.FINISHED
            held = db.execute("SELECT * FROM claims WHERE run_id = ?", (config.run_id,)).fetchone()
            if held and held["owner"] != owner:
                lapsed = self._has_lapsed(held)  # also starts to watch it
                if not _looks_old(held):
                    return Claim.HELD
                if not lapsed:
                    return Claim.SILENT
            insert_config(db, config)
            db.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (config.run_id, owner, now))
        return Claim.ACQUIRED

    def _has_lapsed(self, claim: sqlite3.Row) -> bool:
        """Whether a claim looks old, and this process has seen no new heartbeat for `WATCHED` seconds."""
        now, state = time.monotonic(), (claim["owner"], claim["heartbeat"])
        seen, since = self._watched.get(claim["run_id"], (None, now))
        if seen != state:
            since = now
        self._watched[claim["run_id"]] = (state, since)
        return _looks_old(claim) and now - since >= WATCHED

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
    ) -> bool:
        """Store a finished run in one transaction, and end the claim on it.

        The first result stays, unless a later one brings weights, a census or snapshots that it lacks and
        takes nothing away. Where weights cannot be written, the result is stored without them: it took a
        training. A warning says so.

        Returns whether this result was stored.

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
        record = RunRecord(result, verdicts, weights, snapshots or {})
        try:
            is_stored = self._finish(record, owner)
        except WeightsNotKept as error:
            is_stored = self._finish(replace(record, weights=None, snapshots={}), owner)
            log.warning("%s; run %s is stored without weights", error, record.run_id)
        self.files.drop_checkpoint(record.run_id)
        return is_stored

    def _finish(self, record: RunRecord, owner: str) -> bool:
        run_id = record.run_id
        with self._writing() as db:
            is_stored = self._put(db, record) is not Added.KEPT
            db.execute("DELETE FROM claims WHERE run_id = ? AND owner = ?", (run_id, owner))
        return is_stored

    def add(self, records: Iterable[RunRecord]) -> list[Added]:
        """Store finished runs of another source, all in one transaction, by the rule of `finish`."""
        with self._writing() as db:
            outcomes = {record.run_id: self._put(db, record) for record in records}
        for run_id in outcomes:
            self.files.drop_checkpoint(run_id)
        return list(outcomes.values())

    def _put(self, db: sqlite3.Connection, record: RunRecord) -> Added:
        """Write a run unless the store has as much of it; a failure of the run is forgotten."""
        run_id, there = record.run_id, self.contents(record.run_id)
        db.execute("DELETE FROM failures WHERE run_id = ?", (run_id,))
        if not replaces(record.contents, there):
            return Added.KEPT
        insert_config(db, record.result.config)
        if record.weights:
            self.files.keep_weights(record.weights)
        for epoch, kept in record.snapshots.items():
            self.files.keep_snapshot(run_id, epoch, kept)
        db.execute("DELETE FROM results WHERE run_id = ?", (run_id,))
        insert_result(db, record.result, record.weights, record.verdicts)
        return Added.NEW if there is None else Added.REPLACED

    def set_census(self, run_id: str, census: Census, verdicts: Mapping[str, Verdict]) -> None:
        """Add a census to a stored result, and replace its verdicts.

        Parameters
        ----------
        run_id
            The run, which must have a result.
        census
            The census.
        verdicts
            The verdict on each theory that follows from it.

        Raises
        ------
        InputError
            The run has no result: it was removed while the census was taken.
        """
        with self._writing() as db:
            row = db.execute("SELECT document FROM results WHERE run_id = ?", (run_id,)).fetchone()
            if row is None:
                raise InputError("run", run_id, f"was removed meanwhile from the store {self.path}")
            document = {**json.loads(row["document"]), "census": census.to_dict()}
            db.execute("UPDATE results SET document = ? WHERE run_id = ?", (json.dumps(document), run_id))
            replace_verdicts(db, run_id, verdicts)

    def set_verdicts(self, run_id: str, verdicts: Mapping[str, Verdict]) -> None:
        """Replace the verdicts of a finished run, unless it was removed meanwhile."""
        with self._writing() as db:
            if self.finished([run_id]):
                replace_verdicts(db, run_id, verdicts)

    def fail(self, config: RunConfig, reason: str, owner: str) -> None:
        """Record that a run cannot be computed, and end the claim on it.

        Parameters
        ----------
        config
            The run's configuration.
        reason
            The error in one line.
        owner
            The worker that tried.
        """
        with self._writing() as db:
            insert_config(db, config)
            row = (config.run_id, time.time(), reason)
            db.execute("INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", row)
            db.execute("DELETE FROM claims WHERE run_id = ? AND owner = ?", (config.run_id, owner))

    # Maintenance.

    def remove(self, run_ids: Collection[str]) -> Dropped:
        """Remove runs with their verdicts, weights, snapshots and checkpoints; all of them or none.

        The claim of a dead worker does not count if it has lapsed, as in `collect_garbage`.

        Raises
        ------
        InputError
            A run is not in the store, or a live worker has claimed it.
        """
        with self._writing() as db:
            for run_id in run_ids:
                self._check_removable(db, run_id)
            for run_id in run_ids:
                [row] = db.execute(
                    "SELECT weights FROM configs LEFT JOIN results USING (run_id) WHERE run_id = ?", (run_id,)
                )
                self.files.note_removal(run_id, row["weights"])
                for table in ("results", "failures", "claims", "configs"):
                    db.execute(f"DELETE FROM {table} WHERE run_id = ?", (run_id,))
        with self._writing() as db:
            return self._finish_removals(db, run_ids)

    def _check_removable(self, db: sqlite3.Connection, run_id: str) -> None:
        if not db.execute("SELECT 1 FROM configs WHERE run_id = ?", (run_id,)).fetchone():
            raise InputError("run", repr(run_id), f"is not in the store {self.path}")
        if not re.fullmatch("[0-9a-f]{1,64}", run_id):  # it becomes the name of a file
            raise StoreError(f"the store {self.path}: it is damaged ({shortened(repr(run_id))} is not an id)")
        claim = db.execute("SELECT * FROM claims WHERE run_id = ?", (run_id,)).fetchone()
        if claim and not self._has_lapsed(claim):
            raise InputError("run", run_id, f"is being trained by {claim['owner']}; nothing was removed")

    def _finish_removals(self, db: sqlite3.Connection, run_ids: Iterable[str]) -> Dropped:
        """Remove the files of runs whose removal is noted, unless the store has them (again)."""
        notes, count, size = self.files.removals(), 0, 0
        for run_id in (run_id for run_id in run_ids if run_id in notes):
            if not db.execute("SELECT 1 FROM configs WHERE run_id = ?", (run_id,)).fetchone():
                shared = db.execute("SELECT 1 FROM results WHERE weights = ?", (notes[run_id],)).fetchone()
                gone = self.files.drop_removed(run_id, None if shared else notes[run_id])
                count, size = count + gone.files, size + gone.size
            self.files.drop_removal(run_id)
        return Dropped(count, size)

    def watch_claims(self, run_ids: Collection[str] | None = None) -> int:
        """Begin to watch the claims; the number of those that look old and may lapse in `WATCHED` seconds.

        Parameters
        ----------
        run_ids
            The runs whose claims are watched. All if not given.
        """
        claims = self._rows("SELECT * FROM claims")
        wanted = [claim for claim in claims if run_ids is None or claim["run_id"] in run_ids]
        return sum(_looks_old(claim) and not self._has_lapsed(claim) for claim in wanted)

    def collect_garbage(self) -> Dropped:
        """Remove lapsed claims, weights of no run, checkpoints of finished runs and traces of dead workers.

        A claim has lapsed only if `watch_claims` was called `WATCHED` seconds before, and its worker has sent
        no heartbeat since.

        Raises
        ------
        StoreError
            The store has no result, but there are weights: more likely the results were lost.
        """
        self.check_not_emptied()
        with self._writing() as db:
            removed = self._finish_removals(db, self.files.removals())
            for claim in db.execute("SELECT * FROM claims").fetchall():
                if self._has_lapsed(claim):
                    db.execute("DELETE FROM claims WHERE run_id = ?", (claim["run_id"],))
            results = db.execute("SELECT run_id, weights FROM results").fetchall()
            busy = {row[0] for row in db.execute("SELECT run_id FROM claims")}
            finished = {row["run_id"] for row in results}
            for (run_id,) in db.execute(_NOTHING_KNOWN).fetchall():
                if not self.files.checkpoint(run_id).exists():
                    db.execute("DELETE FROM configs WHERE run_id = ?", (run_id,))
            gone = self.files.drop_spare(
                {row["weights"] for row in results}, finished - busy, finished | busy
            )
        with store_errors(self.path):
            self._connection.execute("VACUUM")
        return Dropped(removed.files + gone.files, removed.size + gone.size)
