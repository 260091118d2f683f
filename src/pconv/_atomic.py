"""Output files: checked before the work, written completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from pconv.errors import InputError

_SPECIAL = "is not a file, and is not replaced by one"


WEIGHTS_ENDINGS = (".safetensors",)
"""The ending of weights files, so that no other file is replaced by one."""


def check_output(path: Path, endings: Collection[str] = (), flag: str = "output") -> None:
    """Raise `InputError` if a file cannot be written there, before any work is done for it.

    Parameters
    ----------
    path
        The file to write.
    endings
        The endings that it may have, with the dot and in lower case; any if empty.
    flag
        The option that the user named the file by, for the message.

    Examples
    --------
    >>> check_output(Path("figure.gif"), (".pdf", ".svg"))
    Traceback (most recent call last):
    pconv.errors.InputError: output figure.gif: must end in .pdf or .svg
    """
    if endings and path.suffix.lower() not in endings:
        raise InputError(flag, path, f"must end in {' or '.join(endings)}")
    if path.is_dir():
        raise InputError(flag, path, "is a directory; name a file in it")
    if _is_special(path):
        raise InputError(flag, path, _SPECIAL)
    if not path.parent.is_dir():
        raise InputError(flag, path, "cannot be written: its directory does not exist")
    if not os.access(path.parent, os.W_OK):
        raise InputError(flag, path, "cannot be written: its directory is read-only")


def make_directory(path: Path) -> None:
    """Make a directory, and those above it, unless it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except RecursionError:  # hundreds of directories, one in the other
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), str(path)) from None


@contextmanager
def atomic_write(path: Path, flag: str | None = None) -> Iterator[str]:
    """Yield the name of a temporary file next to `path`; it is synced to disk, then renamed to `path`.

    If anything fails, `path` is as it was before.

    Parameters
    ----------
    path
        The file to create or to replace.
    flag
        The option that the user named the file by: an `OSError` is raised as an `InputError` about it.
    """
    try:
        with _replacing(path) as draft:
            yield draft
    except OSError as error:
        if flag is None:
            raise
        raise InputError(flag, path, f"cannot be written ({error.strerror or error})") from None


@contextmanager
def _replacing(path: Path) -> Iterator[str]:
    if _is_special(path):
        raise OSError(errno.EINVAL, _SPECIAL)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        yield draft
        os.chmod(draft, _permissions(path))
        _sync(draft)
        os.replace(draft, path)
        _sync(path.parent)  # the directory entry has to be synced, too
    finally:
        Path(draft).unlink(missing_ok=True)


def _sync(path: Path | str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_special(path: Path) -> bool:
    """Whether there is something else than a file: renaming would put a file in the place of a device."""
    return path.exists() and not path.is_file()


def _permissions(path: Path) -> int:
    """Those of the file that is replaced, or of the user's other files; `mkstemp` makes private ones."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
