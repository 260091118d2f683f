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


_TICKS = os.sysconf("SC_CLK_TCK")


class Process(NamedTuple):
    """A process that is alive; zombies are not."""

    pid: int
    command: bytes  # with its arguments


def marked(mark: str) -> list[Process]:
    """The processes whose environment has this mark."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile, or belongs to somebody else
            if wanted in (directory / "environ").read_bytes().split(b"\0"):  # that of a zombie is empty
                found.append(Process(int(directory.name), (directory / "cmdline").read_bytes()))
    return found


def workers_of(parent: int) -> list[int]:
    """The ids of the worker processes of a sweep, without other processes of `multiprocessing`."""
    found = []
    for file in Path(f"/proc/{parent}/task").glob("*/children"):
        with suppress(OSError):
            pids = [int(pid) for pid in file.read_text().split()]
            found += [pid for pid in pids if _WORKER in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return found


def cpu_seconds(pid: int) -> float:
    """The CPU time that a process has used; 0 if it is gone."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS  # utime and stime
    return 0.0


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
