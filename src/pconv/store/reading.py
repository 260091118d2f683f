"""Reading a store: its runs, their results, verdicts and weights, and what is wrong with it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pconv.config import RunConfig, may_start_id
from pconv.errors import InputError
from pconv.result import RunResult
from pconv.store.contents import contents
from pconv.store.files import Files
from pconv.store.filter import Condition, select
from pconv.store.judging import verdicts_on
from pconv.store.run import JudgedRun
from pconv.store.schema import StoreError, checked_path, open_to_read, row_errors, store_errors
from pconv.store.summary import Summary, read_summaries
from pconv.store.tables import read_result, read_verdicts
from pconv.store.timing import Timing

if TYPE_CHECKING:
    from pconv.evaluate.verdict import Verdict
    from pconv.probes.finding import Finding


class StoreReader:
    """The methods of a store that change nothing.

    Parameters
    ----------
    path
        The file, as the user named it.
    connection
        A connection to it.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.location = path.absolute()  # stays right where the process changes its directory
        self.files = Files(path)
        self._connection = connection
        connection.row_factory = sqlite3.Row

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Open an existing store for reading; the file is not changed."""
        file = checked_path(path)
        return cls(file, open_to_read(file))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def _rows(self, query: str, **values: Any) -> list[sqlite3.Row]:
        with store_errors(self.path):
            return self._connection.execute(query, values).fetchall()

    def finished(self, run_ids: Iterable[str], with_weights: bool = False) -> set[str]:
        """Which of these runs have a result; with `with_weights` also their weights, undamaged."""
        query = "SELECT run_id, weights FROM results WHERE run_id IN (SELECT value FROM json_each(:ids))"
        rows = self._rows(query, ids=json.dumps(list(run_ids)))
        return {row["run_id"] for row in rows if not with_weights or self._sound(row["weights"])}

    def has_snapshots(self, run_id: str, epochs: Collection[int]) -> bool:
        """Whether a finished run has the answers after these epochs, as far as it was trained."""
        if not epochs:
            return True
        result = self.result(run_id)
        if result is None:
            return False
        wanted = {epoch for epoch in epochs if epoch <= len(result.epochs)}  # fewer after an early stop
        return wanted <= {snapshot.epoch for snapshot in result.snapshots}

    def _whole_id(self, start: str) -> str:
        """The id of the finished run that starts like this; `start` itself if there is none."""
        query = "SELECT run_id FROM results WHERE run_id >= :start AND run_id < :end"
        # ids are hexadecimal, so `g` is above all of their digits
        found = self._rows(query, start=start, end=start + "g") if start and may_start_id(start) else []
        if len(found) > 1:
            raise InputError("run", repr(start), f"is the start of {len(found)} runs; give more of it")
        return str(found[0]["run_id"]) if found else start

    def result(self, run_id: str) -> RunResult | None:
        """The result of a finished run, by its id or the start of it; None if it has not finished."""
        whole = self._whole_id(run_id)
        with store_errors(self.path), row_errors(self.path, whole):
            return read_result(self._connection, whole)

    def run_ids(self) -> list[str]:
        """The ids of all finished runs, those that ended last at the end."""
        return [row["run_id"] for row in self._rows("SELECT run_id FROM results ORDER BY finished")]

    def run(self, run_id: str) -> JudgedRun | None:
        """A finished run with its verdicts, by its id or the start of it."""
        result = self.result(run_id)
        return JudgedRun(result, self.verdicts(result.run_id)) if result else None

    def extrapolated(self, run_id: str) -> tuple[Finding, ...]:
        """The findings of the extrapolation probe on the kept weights; empty without weights, or damaged."""
        weights = self.sound_weights(run_id)
        if weights is None:
            return ()
        from pconv.models.weights import Model
        from pconv.probes.suite import probe  # loads torch

        return probe(Model.load(weights), ["extrapolation"]).findings

    def verdicts(self, run_id: str) -> Mapping[str, Verdict]:
        """The verdict on each theory that the run was judged by when it was stored.

        If there is none, or an older version wrote them, all theories are judged now. `judged_by` adds a
        theory that was registered later.
        """
        whole = self._whole_id(run_id)
        if verdicts := self._stored_verdicts(whole):
            return verdicts
        result = self.result(whole)
        return verdicts_on(result) if result else {}

    def unjudged(self) -> list[str]:
        """The ids of the finished runs that have no verdict of this version of the tests, which may be
        because no theory applies to them."""
        return [run_id for run_id in self.run_ids() if not self._stored_verdicts(run_id)]

    def _stored_verdicts(self, run_id: str) -> Mapping[str, Verdict] | None:
        with store_errors(self.path), row_errors(self.path, run_id):
            return read_verdicts(self._connection, run_id)

    def weights(self, run_id: str, epoch: int | None = None) -> Path | None:
        """The file of a run's weights, or of its snapshot after an epoch; None if it is not there."""
        whole = self._whole_id(run_id)
        if epoch is not None:
            snapshot = self.files.snapshot(whole, epoch)
            return snapshot if snapshot.exists() else None
        rows = self._rows("SELECT weights FROM results WHERE run_id = :id", id=whole)
        return self._kept(rows[0]["weights"]) if rows else None

    def _kept(self, checksum: str | None) -> Path | None:
        path = self.files.weights(checksum) if checksum else None
        return path if path and path.exists() else None

    def sound_weights(self, run_id: str, epoch: int | None = None) -> Path | None:
        """As `weights`, and None for a damaged file, too: it has to be computed again."""
        path = self.weights(run_id, epoch)
        if path is None:
            return None
        found = self.files.found_checksum(path)
        return path if found and (epoch is not None or found == path.stem) else None

    def _sound(self, checksum: str | None) -> bool:
        return checksum is not None and self.files.found_checksum(self.files.weights(checksum)) == checksum

    def contents(self, run_id: str) -> frozenset[str] | None:
        """What there is of a finished run, without damaged files; None if it has not finished."""
        stored = self.result(run_id)
        if stored is None:
            return None
        epochs = [s.epoch for s in stored.snapshots if self.sound_weights(run_id, s.epoch)]
        return contents(stored, self.sound_weights(run_id) is not None, epochs)

    def lost_weights(self) -> list[str]:
        """The ids of the runs whose weights were kept, and whose file is gone."""
        rows = self._rows("SELECT run_id, weights FROM results WHERE weights IS NOT NULL ORDER BY finished")
        return [row["run_id"] for row in rows if not self._kept(row["weights"])]

    def damaged_weights(self) -> dict[Path, str]:
        """The files of weights and snapshots that are damaged, each with a run that it belongs to."""
        rows = self._rows("SELECT run_id, weights FROM results WHERE weights IS NOT NULL ORDER BY finished")
        found = {path: row["run_id"] for row in rows if (path := self._kept(row["weights"]))}
        damaged = {path: run for path, run in found.items() if not self._sound(path.stem)}
        snapshots = sorted(self.files.directory.glob("snapshots/*/[!.]*"))
        return damaged | {path: path.parent.name for path in snapshots if not self.files.found_checksum(path)}

    def summaries(self, *where: str, sort: str | None = None) -> list[Summary]:
        """The runs for which all conditions hold, such as "primes>=64", those that ended last at the end.

        `sort` names a field to sort them by, with a minus before it in descending order.
        """
        return select(self._summaries(), map(Condition.parse, where), sort)

    def _summaries(self, prefix: str = "") -> list[Summary]:
        with store_errors(self.path):
            return read_summaries(self._connection, self.files, prefix)

    def find(self, prefix: str) -> Summary:
        """The run whose id starts with `prefix`."""
        found = self._summaries(prefix) if prefix and may_start_id(prefix) else []
        if not found:
            raise InputError("run", repr(prefix), f"is not in the store {self.path} (`pconv runs` lists it)")
        if len(found) > 1:
            raise InputError("run", repr(prefix), f"is the start of {len(found)} runs; give more of it")
        return found[0]

    def timings(self) -> list[Timing]:
        """The mean seconds of an epoch of each finished run."""
        query = """SELECT run_id, config, avg(epochs.seconds) AS seconds
                   FROM epochs JOIN configs USING (run_id) GROUP BY run_id"""
        timings = []
        for row in self._rows(query):
            with row_errors(self.path, row["run_id"]):
                timings.append(Timing(RunConfig.from_dict(json.loads(row["config"])), row["seconds"]))
        return timings

    def damage(self) -> list[str]:
        """What is wrong with the file; empty if it is sound and every run can be read."""
        found = [row[0] for row in self._rows("PRAGMA integrity_check")]
        loose = [f"{row[0]} refers to nothing" for row in self._rows("PRAGMA foreign_key_check")]
        return [line for line in found if line != "ok"] + loose + self._unreadable_runs()

    def _unreadable_runs(self) -> list[str]:
        lines = []
        for run_id in self.run_ids():
            try:
                self.result(run_id)
                self._stored_verdicts(run_id)
            except StoreError as error:
                lines.append(str(error))
        return lines

    def check_not_emptied(self) -> None:
        """Raise a `StoreError` if there are weights and no results, as where the log was not copied."""
        if not self.run_ids() and (count := self.files.count_weights()):
            raise StoreError(
                f"the store {self.path} has no results, but {self.files.directory} has {count} files of "
                f"weights; nothing was removed. If the store was copied, copy {self.path.name}-wal as well"
            )
