"""The worker processes: gives each one case at a time, and replaces those that die or hang."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path

from tools.fuzz.in_process import Ended
from tools.fuzz.invariants import Finding
from tools.fuzz.worker import Case, Outcome, make_template, work

HUNG = 180.0
"""Seconds after which a case that was interrupted and has not ended is killed."""
_START = 300.0  # seconds for the imports and the warm-up of a worker

_processes = multiprocessing.get_context("spawn")  # a fork of a process with torch's threads may hang


class Worker:
    """A process, and the case that it runs.

    Parameters
    ----------
    scratch
        The directory that has the template.
    """

    def __init__(self, scratch: Path) -> None:
        self.connection, theirs = _processes.Pipe()
        place = scratch / f"worker-{time.monotonic_ns()}"
        place.mkdir()
        self._process = _processes.Process(target=work, args=(theirs, scratch / "template", place))
        self._process.start()
        theirs.close()
        self.case: Case | None = None
        self._since = time.monotonic()
        self._ready = False

    def give(self, case: Case) -> None:
        self.case, self._since = case, time.monotonic()
        self.connection.send(case)

    def receive(self) -> Outcome | None:
        """The outcome of its case, also if the process has died of it; None if it has just become ready."""
        try:
            message = self.connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            code = self._process.exitcode or 0
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            if not self._ready:
                raise RuntimeError(f"a worker cannot start ({how})") from None
            return _lost(f"the process died ({how})", time.monotonic() - self._since)
        self._ready = True
        return message if isinstance(message, Outcome) else None

    @property
    def is_hung(self) -> bool:
        waiting = time.monotonic() - self._since
        return waiting > (HUNG if self._ready else _START)

    def dismiss(self) -> None:
        """Let the process end by itself."""
        self.connection.send(None)
        self._process.join(timeout=_START)
        self.end()

    def end(self) -> None:
        """Kill the process and all that it has started."""
        assert self._process.pid  # it was started
        with suppress(ProcessLookupError):  # it has not become the leader of a group yet, or has ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self.connection.close()


def _lost(what: str, seconds: float) -> Outcome:
    return Outcome("long", (Finding(what),), (), Ended(None, "", ""), seconds, tired=True)


def run_cases(cases: Iterable[Case], count: int, scratch: Path) -> Iterator[tuple[Case, Outcome]]:
    """Runs cases in some worker processes, and yields their outcomes as they come.

    Parameters
    ----------
    cases
        The cases.
    count
        How many processes.
    scratch
        An empty directory.
    """
    _make_template(scratch)
    waiting = iter(cases)
    workers = [Worker(scratch) for _ in range(count)]
    try:
        while workers:
            ready: list[Connection] = wait([worker.connection for worker in workers], timeout=1.0)  # type: ignore[assignment]
            for worker in [w for w in workers if w.connection in ready or w.is_hung]:
                case = worker.case
                outcome = worker.receive() if worker.connection in ready else _lost("the command hangs", HUNG)
                if outcome and case:
                    yield case, outcome
                elif outcome:
                    raise RuntimeError("a worker does not become ready")
                if outcome and outcome.tired:
                    worker.end()
                    workers[workers.index(worker)] = Worker(scratch)
                elif following := next(waiting, None):
                    worker.give(following)
                else:
                    worker.dismiss()
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.end()


def _make_template(scratch: Path) -> None:
    directory = scratch / "template"
    directory.mkdir()
    process = _processes.Process(target=make_template, args=(directory,))
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError("the valid files could not be made")
