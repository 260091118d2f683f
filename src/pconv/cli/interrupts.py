"""Ctrl-C, and SIGTERM as `kill`, Slurm and Docker send it, end a command with one line and exit code 130 or
143; a second one does not disturb the clean-up after the first."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

from pconv.errors import PconvError


class Interrupted(PconvError):
    """A command was interrupted; the message says what is kept."""


class _Interrupt(KeyboardInterrupt):
    """What the signals raise. If a plain KeyboardInterrupt passes through the `exec` of a text, by which many
    libraries make functions, `python -m` ends by SIGINT, although the exception was handled."""


_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_received = signal.SIGINT


def handle_interrupts() -> None:
    """Raise KeyboardInterrupt at Ctrl-C and at SIGTERM, unless the one before is still being handled.

    A program that was started with a signal ignored goes on so: a shell that is not interactive starts jobs
    in the background with Ctrl-C ignored.
    """
    global _received
    _received = signal.SIGINT
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            _set_handler(number, _interrupt)


def ignore_interrupts() -> None:
    """Let Python end in peace after an interrupt: it still waits for threads."""
    for number in _SIGNALS:
        _set_handler(number, signal.SIG_IGN)


def interrupt_code() -> int:
    """The exit code after an interrupt, by the convention of shells: 128 and the number of the signal."""
    return 128 + _received


def _set_handler(number: int, handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    if threading.current_thread() is threading.main_thread():  # Python refuses it in others
        signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _received
    error = sys.exception()
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return
        error = error.__context__
    _received = signal.Signals(number)
    sys.unraisablehook = _forget
    raise _Interrupt


def _forget(unraisable: object) -> None:
    """An object whose construction was interrupted may fail to be deleted (LLVM's do), and Python would print
    a traceback of that."""
