"""Workers on this machine: an executor with one spawned process a slot.

The standard pool breaks as a whole when one process dies. Here a process that dies fails the future it was
working on and nothing else; its slot gets a new process with the next task.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

_spawn = multiprocessing.get_context("spawn")
Tell = Callable[[Any], None]


class WorkerDied(BrokenExecutor):
    """The process ended before its task did."""


class _Task(NamedTuple):
    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class LocalExecutor(Executor):
    """`submit(f, *a)` runs `f(*a, tell)` in a slot; what the task tells on its way goes to `listen`."""

    def __init__(self, jobs: int, listen: Tell) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._slots = [_Slot(self._tasks, listen) for _ in range(jobs)]

    @property
    def pids(self) -> list[int]:
        """The processes that are alive now."""
        processes = [slot.process for slot in self._slots]  # a slot's own thread may let go of it meanwhile
        found = [process.pid for process in processes if process and process.is_alive()]
        return [pid for pid in found if pid is not None]

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._tasks.put(_Task(future, function, arguments))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the tasks end, or with `cancel_futures` stop them where they are."""
        for slot in self._slots:
            self._tasks.put(None)
            if cancel_futures:
                slot.stop()
        if wait:
            for slot in self._slots:
                slot.join()


class _Slot(Thread):
    """Hands tasks to its process and waits for the answers."""

    def __init__(self, tasks: SimpleQueue[_Task | None], listen: Tell) -> None:
        super().__init__(daemon=True)
        self._tasks = tasks
        self._listen = listen
        self._stopped = False
        self._pipe: Connection | None = None
        self.process: SpawnProcess | None = None
        self.start()

    def run(self) -> None:
        # Ctrl-C reaches the whole group of processes, and the parent decides: processes inherit this mask.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        while (task := self._tasks.get()) is not None and not self._stopped:
            if not task.future.set_running_or_notify_cancel():
                continue
            try:
                task.future.set_result(self._ask(task))
            except (EOFError, OSError):
                task.future.set_exception(WorkerDied("its process ended"))
                self._stop_process()
            except BaseException as error:
                task.future.set_exception(error)
        self._stop_process()

    def _ask(self, task: _Task) -> Any:
        pipe = self._pipe or self._start_process()
        pipe.send((task.function, task.arguments))
        while True:
            done, message = pipe.recv()
            if done:
                return message
            self._listen(message)

    def _start_process(self) -> Connection:
        self._pipe, theirs = _spawn.Pipe()
        self.process = _spawn.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()  # the process holds the only other end: when it dies, we read the end of the file
        if self._stopped:  # while it was born
            raise EOFError
        return self._pipe

    def _stop_process(self) -> None:
        if self.process and self._pipe:
            self._pipe.close()
            self.process.kill()
            self.process.join()
        self._pipe = self.process = None

    def stop(self) -> None:
        """Kill the process; the task's future fails."""
        self._stopped = True
        if process := self.process:
            process.kill()


def _serve(pipe: Connection) -> None:
    """A worker's life: one task after the other until the pipe ends."""
    Thread(target=_die_with_parent, daemon=True).start()
    while True:
        try:
            function, arguments = pipe.recv()
        except EOFError:
            return
        answer = function(*arguments, lambda message: pipe.send((False, message)))
        pipe.send((True, answer))


def _die_with_parent() -> None:
    """An orphan would train for nobody, and write checkpoints of a run that is someone else's by then."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
    os._exit(1)
