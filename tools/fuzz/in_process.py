"""One command of pconv in this process, as `pconv ARGUMENT...` would run it, with all that it prints."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, NamedTuple
from unittest.mock import patch

from pconv.cli import main


class Ended(NamedTuple):
    """How a command ended. The code is None if an exception left the program, which is then described."""

    code: int | None
    stdout: str
    stderr: str
    exception: str = ""
    interrupted: bool = False


class Budget(NamedTuple):
    """Seconds after which a command is interrupted, of processor time and by the clock."""

    processor: float
    clock: float


UNLIMITED = Budget(0, 0)  # a timer of no seconds is off


def run_pconv(arguments: Sequence[str], budget: Budget = UNLIMITED) -> Ended:
    """Runs a command in the current directory; after the budget it is interrupted as by Ctrl-C.

    Parameters
    ----------
    arguments
        The command line, without the program's name.
    budget
        When it is interrupted.
    """
    code: int | None = None
    exception = ""
    with _captured() as streams, _state_restored(), _interrupted_after(budget) as interrupts:
        sys.argv = ["pconv", *arguments]
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else None
            exception = "" if code is not None else f"sys.exit({ended.code!r})"
        except BaseException as error:
            exception = described(error)
    return Ended(code, streams.stdout, streams.stderr, exception, bool(interrupts))


def described(error: BaseException) -> str:
    """An exception with the place that raised it, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if f"{os.sep}pconv{os.sep}" in frame.filename] or frames
    place = f"{own[-1].filename.rpartition(f'{os.sep}src{os.sep}')[2]}:{own[-1].lineno}" if own else "?"
    return f"{type(error).__name__} at {place}: {' '.join(str(error).split())[:200]}"


class _Streams:
    """Standard output and error of this process, and of those that it starts, while they go to files."""

    stdout = ""
    stderr = ""


@contextmanager
def _captured() -> Iterator[_Streams]:
    """Within the block both streams go to files; after it the value has their texts."""
    found = _Streams()
    before = sys.stdout, sys.stderr
    for stream in before:
        stream.flush()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        saved = os.dup(1), os.dup(2)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        try:
            yield found
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.close()
            sys.stdout, sys.stderr = before
            for number, copy in enumerate(saved, start=1):
                os.dup2(copy, number)
                os.close(copy)
            found.stdout, found.stderr = map(_text, (out, err))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "surrogateescape")


@contextmanager
def _state_restored() -> Iterator[None]:
    """Undoes what a command changes in its process, so that the next one starts as the first did."""
    directory, arguments = os.getcwd(), sys.argv
    with patch.dict(os.environ, COLUMNS="80"), warnings.catch_warnings():
        try:
            yield
        finally:
            sys.argv = arguments
            os.chdir(directory)


@contextmanager
def _interrupted_after(budget: Budget) -> Iterator[list[int]]:
    """Raises KeyboardInterrupt in the block when the budget is used up; the value is not empty then."""
    interrupts: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        interrupts.append(number)
        signal.default_int_handler(number, frame)

    handlers = {number: signal.signal(number, interrupt) for number in (signal.SIGPROF, signal.SIGALRM)}
    # Python loses an interrupt inside a finalizer, so it is repeated, but not before an orderly end is over.
    signal.setitimer(signal.ITIMER_PROF, budget.processor, _AGAIN)
    signal.setitimer(signal.ITIMER_REAL, budget.clock, _AGAIN)
    try:
        yield interrupts
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)


_AGAIN = 10.0  # seconds
