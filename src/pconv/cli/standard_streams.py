"""Standard output and standard error: closed ones, full ones, and encodings that lack a character."""

from __future__ import annotations

import codecs
import io
import os
import sys

from pconv._text import printable
from pconv.errors import PconvError

_FALLBACK = "pconv-fallback"
_IN_ASCII = {
    **dict(zip("░▒▓█", ":+*#", strict=True)),
    **dict(zip("▁▂▃▄▅▆▇", "__--==^", strict=True)),
    **{"·": ".", "–": "-", "−": "-", "×": "x", "≠": "!", "≤": "<", "→": ">", "²": "2", "…": "."},
}
"""One character for one, so that columns stay aligned."""


def prepare_streams() -> None:
    """Make both streams usable: each takes every character, in whatever encoding it is.

    Raises
    ------
    PconvError
        Standard output is closed, so that nothing could be printed.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (until the end of the process)
    if sys.stdout is None:
        raise PconvError("standard output is closed")
    codecs.register_error(_FALLBACK, _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_FALLBACK)


def _replace(error: UnicodeError) -> tuple[str, int]:
    """The error handler of the streams: characters that look alike, or escape sequences."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_IN_ASCII.get(c) or c.encode("unicode_escape").decode() for c in missing), error.end


def print_note(message: str) -> None:
    """Print one line about the command itself to standard error."""
    print("pconv:", printable(" ".join(message.split())), file=sys.stderr)


def print_line(message: str) -> None:
    """Print a line with names of files or other texts of users to standard output."""
    print(printable(message))


def close_output() -> None:
    """Write what is left in the buffer of standard output, or forget it where that fails: Python would try
    again at its end, and end with an exit code of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
