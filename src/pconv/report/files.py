"""The files that pictures are written to."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

from pconv._atomic import atomic_write
from pconv.errors import InputError


def check_output(path: Path, endings: Collection[str]) -> None:
    """Say what is wrong with a file that is to be written, before any work is done."""
    if path.suffix.lower() not in endings:
        raise InputError("output", path, f"must end in {' or '.join(endings)}")
    if path.is_dir():
        raise InputError("output", path, "is a directory")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError("output", path, "cannot be written there")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` make the file, whole or not at all."""
    try:
        with atomic_write(path) as beside:
            write(Path(beside))
    except OSError as error:
        raise InputError("output", path, f"cannot be written ({error.strerror or error})") from None
