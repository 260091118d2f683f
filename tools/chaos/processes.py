"""The processes of a scenario. All inherit a mark in their environment, so none can hide."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MARK = "PCONV_CHAOS_TRIAL"
_WORKER = b"multiprocessing.spawn"


class Process(NamedTuple):
    """A process that is alive; zombies are not."""

    pid: int
    parent: int
    command: bytes  # with its arguments

    @property
    def is_worker(self) -> bool:
        """Whether it is a worker of a sweep, and not another process of `multiprocessing`."""
        return _WORKER in self.command


def marked(mark: str) -> list[Process]:
    """The processes whose environment has this mark."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile, or belongs to somebody else
            if wanted in (directory / "environ").read_bytes().split(b"\0"):
                status = (directory / "stat").read_text().rpartition(")")[2].split()
                command = (directory / "cmdline").read_bytes()
                if status[0] != "Z":
                    found.append(Process(int(directory.name), int(status[1]), command))
    return found


def workers_of(parent: int, mark: str) -> list[int]:
    """The ids of the worker processes of a sweep."""
    return [process.pid for process in marked(mark) if process.parent == parent and process.is_worker]


def send(pid: int, number: signal.Signals = signal.SIGKILL) -> bool:
    """Sends a signal; False if the process has ended before."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def left_over(mark: str, patience: float = 20.0) -> list[Process]:
    """The marked processes that are still there after some seconds."""
    deadline = time.monotonic() + patience
    while (found := marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found
