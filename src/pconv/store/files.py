"""The large things beside a store: weights under the checksum of what they say, and checkpoints under way."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pconv._atomic import atomic_write
from pconv.store.schema import StoreError

SMALL = 50 * 10**6
"""Weights of at most this many bytes are kept without being asked for."""


@dataclass(frozen=True)
class Weights:
    """A weights file as bytes, under the checksum of what it says."""

    checksum: str
    data: bytes


class Files:
    """`pconv.db` has its files in `pconv.db.d`."""

    def __init__(self, store: Path) -> None:
        self.directory = store.with_name(store.name + ".d").absolute()

    def weights(self, checksum: str) -> Path:
        return self.directory / "weights" / f"{checksum}.safetensors"

    def checkpoint(self, run_id: str) -> Path:
        return self.directory / "checkpoints" / run_id

    def snapshot(self, run_id: str, epoch: int) -> Path:
        return self.directory / "snapshots" / run_id / f"{epoch}.safetensors"

    def keep_weights(self, weights: Weights) -> None:
        """Write the file whole or not at all; what is there already has the same content."""
        path = self.weights(weights.checksum)
        if not path.exists():
            self._write(path, weights)

    def keep_snapshot(self, run_id: str, epoch: int, weights: Weights) -> None:
        """Write the weights of one epoch whole or not at all."""
        self._write(self.snapshot(run_id, epoch), weights)

    def _write(self, path: Path, weights: Weights) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as beside:
                Path(beside).write_bytes(weights.data)
        except OSError as error:
            raise StoreError(f"the weights {path} cannot be kept: {error.strerror or error}") from error

    def drop_checkpoint(self, run_id: str) -> None:
        """With what a worker has left beside it that was killed while it wrote."""
        whole = self.checkpoint(run_id)
        for path in (whole, *whole.parent.glob(f".{run_id}.*")):
            path.unlink(missing_ok=True)

    def drop_spare(
        self, in_use: Collection[str], finished: Collection[str], known: Collection[str]
    ) -> tuple[int, int]:
        """Remove weights not in use, snapshots of unknown runs and checkpoints of finished ones.

        Returns how many files and bytes are gone.
        """
        spare = [path for path in self.directory.glob("weights/*") if path.stem not in in_use]
        spare += [path for path in self.directory.glob("snapshots/*/*") if path.parent.name not in known]
        spare += [  # the name beside a checkpoint that is being written starts with a dot
            path
            for path in self.directory.glob("checkpoints/*")
            if path.name.removeprefix(".").partition(".")[0] in finished
        ]
        size = sum(path.stat().st_size for path in spare)
        for path in spare:
            path.unlink(missing_ok=True)
        return len(spare), size
