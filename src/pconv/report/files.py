"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

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
    """Let `write` make a file beside the wanted one, then take its place."""
    try:
        with tempfile.TemporaryDirectory(prefix=".pconv-", dir=path.parent) as beside:
            draft = Path(beside) / path.name
            write(draft)
            draft.replace(path)
    except OSError as error:
        raise InputError("output", path, f"cannot be written ({error.strerror or error})") from None
