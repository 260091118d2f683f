"""Ctrl-C ends a command with one line and exit code 130; pressed again, it does not disturb the clean-up."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

from pconv.errors import PconvError


class Interrupted(PconvError):
    """A command was interrupted; the message says what is kept."""


def handle_interrupts() -> None:
    """Raise KeyboardInterrupt at Ctrl-C, unless the one before is still being handled.

    A program that was started with Ctrl-C ignored, as a shell starts jobs in the background, goes on so.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        _set_handler(_interrupt)


def ignore_interrupts() -> None:
    """Let Python end in peace after an interrupt: it still waits for threads."""
    _set_handler(signal.SIG_IGN)


def _set_handler(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    if threading.current_thread() is threading.main_thread():  # Python refuses it in others
        signal.signal(signal.SIGINT, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    error = sys.exception()
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return
        error = error.__context__
    sys.unraisablehook = _forget
    raise KeyboardInterrupt


def _forget(unraisable: object) -> None:
    """An object whose construction was interrupted may fail to be deleted (LLVM's do), and Python would print
    a traceback of that."""
