"""An executor of spawned worker processes that survives the death of one.

`ProcessPoolExecutor` breaks as a whole when a process dies. Here only the future of its task fails, and the
next task of its slot starts a new process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

_spawn = multiprocessing.get_context("spawn")
Callback = Callable[[Any], None]


class WorkerDied(BrokenExecutor):
    """The worker process ended before its task did."""


class _Task(NamedTuple):
    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class LocalExecutor(Executor):
    """`submit(f, *args)` runs `f(*args, send)` in a worker process; `send(x)` calls `on_message(x)` here.

    Parameters
    ----------
    jobs
        Worker processes.
    on_message
        Called with every message of a running task, in a thread of the executor.
    """

    def __init__(self, jobs: int, on_message: Callback) -> None:
        # Started now, and not by the first slot: starting it unblocks the signals that a slot has blocked.
        resource_tracker.ensure_running()
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._slots = [_Slot(self._tasks, on_message) for _ in range(jobs)]

    @property
    def pids(self) -> list[int]:
        """The ids of the worker processes that are alive."""
        processes = [slot.process for slot in self._slots]  # a slot's thread may set it to None meanwhile
        found = [process.pid for process in processes if process and process.is_alive()]
        return [pid for pid in found if pid is not None]

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._tasks.put(_Task(future, function, arguments))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Waits for the tasks to end, or with `cancel_futures` kills their processes."""
        for slot in self._slots:
            self._tasks.put(None)
            if cancel_futures:
                slot.stop()
        if wait:
            for slot in self._slots:
                slot.join()


class _Slot(Thread):
    """A thread that sends tasks to its worker process and waits for the results."""

    def __init__(self, tasks: SimpleQueue[_Task | None], on_message: Callback) -> None:
        super().__init__(daemon=True)
        self._tasks = tasks
        self._on_message = on_message
        self._stopped = False
        self._pipe: Connection | None = None
        self.process: SpawnProcess | None = None
        self.start()

    def run(self) -> None:
        # Both are for the main thread. Ctrl-C reaches the whole process group; workers inherit this mask and
        # leave it to their parent.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        while (task := self._tasks.get()) is not None and not self._stopped:
            if not task.future.set_running_or_notify_cancel():
                continue
            try:
                task.future.set_result(self._execute(task))
            except (EOFError, OSError):
                task.future.set_exception(WorkerDied("its process ended"))
                self._stop_process()
            except BaseException as error:
                task.future.set_exception(error)
        self._stop_process()

    def _execute(self, task: _Task) -> Any:
        pipe = self._pipe or self._start_process()
        pipe.send((task.function, task.arguments))
        while True:
            done, message = pipe.recv()
            if done:
                return message
            self._on_message(message)

    def _start_process(self) -> Connection:
        self._pipe, other_end = _spawn.Pipe()
        process = _spawn.Process(target=_run_tasks, args=(other_end,), daemon=True)
        process.start()
        self.process = process  # from now on `stop` can kill it
        other_end.close()  # now only the process holds it: when the process dies, `recv` raises EOFError
        if self._stopped:  # while the process was starting
            raise EOFError
        return self._pipe

    def _stop_process(self) -> None:
        if self.process and self._pipe:
            self._pipe.close()
            self.process.kill()
            self.process.join()
        self._pipe = self.process = None

    def stop(self) -> None:
        """Kills the process; the future of its task fails."""
        self._stopped = True
        if process := self.process:
            process.kill()


def _run_tasks(pipe: Connection) -> None:
    """The main function of a worker process: runs tasks until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a task may load a library that unblocks it
    signal.pthread_sigmask(
        signal.SIG_UNBLOCK, {signal.SIGTERM}
    )  # multiprocessing sends it at exit, and waits
    Thread(target=_exit_with_parent, daemon=True).start()
    while True:
        try:
            function, arguments = pipe.recv()
        except (EOFError, ConnectionError):  # the latter if the parent died with a message unread
            return
        result = function(*arguments, lambda message: _send(pipe, (False, message)))
        _send(pipe, (True, result))


def _send(pipe: Connection, message: Any) -> None:
    try:
        pipe.send(message)
    except BrokenPipeError:  # the parent has died: as in `_exit_with_parent`, which may not know it yet
        os._exit(1)


def _exit_with_parent() -> None:
    """An orphan would go on writing checkpoints of a run that another process may have claimed by then."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
    os._exit(1)
