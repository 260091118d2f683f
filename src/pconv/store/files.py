"""The files of a store: weights named by their checksum, snapshots, and checkpoints of running jobs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pconv._atomic import atomic_write
from pconv.errors import InputError
from pconv.store.schema import StoreError

SMALL = 50 * 10**6
"""Weights of at most this many bytes are kept by default."""


@dataclass(frozen=True)
class Weights:
    """A weights file as bytes, with its checksum."""

    checksum: str
    data: bytes


class WeightsNotKept(StoreError):
    """Weights that cannot be written, as on a full disk. The result of the run is not at fault."""


class Dropped(NamedTuple):
    """How many files were removed, and their bytes."""

    files: int
    size: int


class Files:
    """The directory of a store's files: `pconv.db.d` for `pconv.db`."""

    def __init__(self, store: Path) -> None:
        self.store = store
        file = store.resolve()  # a link to the store leads to the same files
        self.directory = file.with_name(file.name + ".d")
        self._read: dict[tuple[Path, int, int], str | None] = {}  # checksums of files that were read

    def weights(self, checksum: str) -> Path:
        return self.directory / "weights" / f"{checksum}.safetensors"

    def checkpoint(self, run_id: str) -> Path:
        return self.directory / "checkpoints" / run_id

    def snapshot(self, run_id: str, epoch: int) -> Path:
        return self.directory / "snapshots" / run_id / f"{epoch}.safetensors"

    def keep_weights(self, weights: Weights) -> None:
        """Write a weights file atomically, unless there is a sound one with this checksum."""
        path = self.weights(weights.checksum)
        if self.found_checksum(path) != weights.checksum:
            self._write(path, weights)

    def found_checksum(self, path: Path) -> str | None:
        """The checksum of what is in a weights file; None if it is damaged or not there.

        A file is read once as long as it does not change: a sweep asks again and again.
        """
        try:
            state = path.stat()
        except OSError:
            return None
        key = (path, state.st_mtime_ns, state.st_size)
        if key not in self._read:
            self._read[key] = _checksum_of(path)
        return self._read[key]

    def check_writable(self) -> None:
        """Raise a `StoreError` now, and not after a training, if no weights can be written."""
        place = self.directory / "weights"
        while not place.exists():
            place = place.parent
        try:
            with tempfile.TemporaryFile(dir=place):
                pass
        except OSError as error:
            reason = error.strerror or error
            raise StoreError(f"the weights of runs cannot be kept in {self.directory}: {reason}") from error

    def keep_snapshot(self, run_id: str, epoch: int, weights: Weights) -> None:
        """Write the weights of one epoch atomically.

        Parameters
        ----------
        run_id
            The run.
        epoch
            The epoch.
        weights
            The weights after it.
        """
        self._write(self.snapshot(run_id, epoch), weights)

    def _write(self, path: Path, weights: Weights) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as temporary:
                Path(temporary).write_bytes(weights.data)
        except OSError as error:
            reason = error.strerror or error
            raise WeightsNotKept(f"the weights {path} cannot be kept: {reason}") from error

    def drop_checkpoint(self, run_id: str) -> None:
        """Delete the checkpoint and any temporary files of an interrupted write.

        The result is stored by now: files that cannot be deleted are left to `pconv gc`.
        """
        whole = self.checkpoint(run_id)
        for path in (whole, *whole.parent.glob(f".{run_id}.*")):
            with suppress(OSError):
                path.unlink()

    def epochs_in_checkpoint(self, run_id: str) -> int | None:
        """The number of epochs of an unfinished run; None where it has no checkpoint that can be read."""
        path = self.checkpoint(run_id)
        if not path.exists():
            return None
        from safetensors import SafetensorError, safe_open

        try:
            opened: Any = safe_open(path, framework="numpy")
            with opened as file:
                return len(json.loads(file.metadata()["epochs"]))
        except (SafetensorError, OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def count_weights(self) -> int:
        """The number of files of weights and of snapshots, without those of runs that are being removed."""
        removals = self.removals()
        weights = [path for path in self.directory.glob("weights/*") if path.stem not in removals.values()]
        snapshots = [p for p in self.directory.glob("snapshots/*/*") if p.parent.name not in removals]
        return len(weights) + len(snapshots)

    def note_removal(self, run_id: str, checksum: str | None) -> None:
        """Write down that a run is being removed, with the checksum of its weights.

        Whoever is interrupted between the run's removal from the store and that of its files leaves this
        note, by which `pconv gc` knows that the files are not to be kept.
        """
        note = self._removal(run_id)
        try:
            note.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(note) as draft:
                Path(draft).write_text(checksum or "", "utf-8")
        except OSError as error:
            raise StoreError(f"{note} cannot be written: {error.strerror or error}") from error

    def _removal(self, run_id: str) -> Path:
        return self.directory / "removed" / run_id

    def removals(self) -> dict[str, str]:
        """The runs that are being removed, each with the checksum of its weights, or an empty text."""
        notes = self.directory.glob("removed/[!.]*")
        return {note.name: note.read_text("utf-8", errors="replace") for note in notes if note.is_file()}

    def drop_removed(self, run_id: str, checksum: str | None) -> Dropped:
        """Remove the files of a run: snapshots, checkpoint, and the weights of this checksum."""
        spare = [path for path in self.directory.glob("weights/*") if path.stem == checksum]
        spare += [path for path in self.directory.glob("snapshots/*/*") if path.parent.name == run_id]
        spare += [path for path in self.directory.glob("checkpoints/*") if _checkpointed(path) == run_id]
        return _drop(spare)

    def drop_removal(self, run_id: str) -> None:
        """Remove the note of `note_removal`: none of the run's files is left, or the run is kept."""
        self._removal(run_id).unlink(missing_ok=True)

    def drop_spare(
        self, in_use: Collection[str], finished: Collection[str], known: Collection[str]
    ) -> Dropped:
        """Remove weights not in use, snapshots of unknown runs, checkpoints of finished ones, and drafts.

        Parameters
        ----------
        in_use
            The checksums of weights that results refer to.
        finished
            The ids of runs whose checkpoints are not needed.
        known
            The ids of runs whose snapshots are kept.
        """
        spare = [path for path in self.directory.glob("weights/*") if path.stem not in in_use]
        spare += [path for path in self.directory.glob("snapshots/*/*") if path.parent.name not in known]
        spare += [path for path in self.directory.glob("checkpoints/*") if _checkpointed(path) in finished]
        spare += self.directory.glob("removed/.*")  # notes that were being written
        return _drop(spare)


def _checksum_of(path: Path) -> str | None:
    from pconv.models.weights import checksum, unpack  # loads torch

    try:
        tensors, metadata = unpack(path)
        found = checksum(tensors, metadata)
    except (InputError, TypeError, ValueError, RuntimeError, KeyError):
        return None
    return found if found == metadata.get("checksum") else None


def _checkpointed(path: Path) -> str:
    """The run of a checkpoint's file; one that is being written has a name with a leading dot."""
    return path.name.removeprefix(".").partition(".")[0]


def _drop(paths: Iterable[Path]) -> Dropped:
    count = size = 0
    for path in paths:
        with suppress(FileNotFoundError):  # another process removes the same files
            found = path.stat().st_size
            path.unlink()
            count, size = count + 1, size + found
    return Dropped(count, size)
