"""Exceptions that no one has foreseen: one line for the user, the details in a file."""

from __future__ import annotations

import platform
import sys
import tempfile
import time
import traceback

from pconv import __version__
from pconv.cli.standard_streams import print_note


def report_unexpected(error: Exception, arguments: list[str]) -> None:
    """Print what failed in one line, and write the traceback to a new temporary file.

    Parameters
    ----------
    error
        The exception.
    arguments
        The arguments of the command line.
    """
    what = " ".join(f"{type(error).__name__}: {error}".split())
    details = (
        f"pconv {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"arguments: {arguments}\n{''.join(traceback.format_exception(error))}"
    )
    try:
        where = _write_log(details)
    except OSError as failure:
        where = f"nowhere, because no log could be written ({failure.strerror}); --debug prints them"
    print_note(f"unexpected error, please report it: {what[:500]} (details: {where})")


def _write_log(details: str) -> str:
    """The name of the new file, which only the user can read: arguments may be private."""
    prefix = time.strftime("pconv-error-%Y%m%d-%H%M%S-")
    with tempfile.NamedTemporaryFile(
        "w", prefix=prefix, suffix=".log", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        file.write(details)
    return file.name


def print_traceback(error: Exception) -> None:
    """Print the traceback to standard error, for `--debug`."""
    traceback.print_exception(error, file=sys.stderr)
