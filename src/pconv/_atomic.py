"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_write(path: Path) -> Iterator[str]:
    """A name beside the file to write to; it is forced to the disk, then renamed: never half a file."""
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        yield beside
        _give_usual_rights(beside)
        _force_to_disk(beside)
        os.replace(beside, path)
        _force_to_disk(path.parent)  # a new name is on the disk when its directory is
    finally:
        Path(beside).unlink(missing_ok=True)


def _force_to_disk(path: Path | str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _give_usual_rights(path: str) -> None:
    """A temporary file is private; a result has the rights that the user's other files have."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(path, 0o666 & ~mask)
