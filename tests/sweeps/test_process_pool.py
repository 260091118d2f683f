"""Local workers: a process that dies takes its own task and no other."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import wait
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import Event

import pytest

from pconv.sweeps import process_pool
from pconv.sweeps.process_pool import LocalExecutor, WorkerDied

Send = Callable[[object], None]


@pytest.fixture(autouse=True)
def _workers_as_users_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool, "_spawn", multiprocessing.get_context("spawn"))


def square(x: int, send: Send) -> int:
    send(f"squaring {x}")
    return x * x


def die(send: Send) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def touch_then_sleep(path: Path, send: Send) -> None:
    path.write_text(str(os.getpid()))
    time.sleep(1000)


def wait_for(path: Path) -> int:
    for _ in range(12_000):  # two minutes: a worker that never starts is a failure, not a hanging test
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.01)
    raise TimeoutError(path)


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def test_a_dead_process_fails_its_task_alone() -> None:
    messages: list[object] = []
    with LocalExecutor(2, messages.append) as executor:
        futures = [executor.submit(die if i == 2 else square, *([i] if i != 2 else [])) for i in range(6)]
        wait(futures)
        assert [f.result() for i, f in enumerate(futures) if i != 2] == [0, 1, 9, 16, 25]
        with pytest.raises(WorkerDied):
            futures[2].result()
        assert executor.submit(square, 7).result() == 49
    assert sorted(map(str, messages)) == [f"squaring {x}" for x in (0, 1, 3, 4, 5, 7)]
    assert executor.pids == []


def test_stopping_while_a_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    starting, stopped, start = Event(), Event(), SpawnProcess.start

    def slow_start(process: SpawnProcess) -> None:
        starting.set()
        stopped.wait()
        start(process)

    monkeypatch.setattr(SpawnProcess, "start", slow_start)
    executor = LocalExecutor(1, lambda _: None)
    future = executor.submit(square, 7)
    starting.wait()
    executor.shutdown(wait=False, cancel_futures=True)
    stopped.set()
    with pytest.raises(WorkerDied):
        future.result()
    executor.shutdown()
    assert executor.pids == []


def test_stopping_kills_what_runs(tmp_path: Path) -> None:
    executor = LocalExecutor(1, lambda _: None)
    future = executor.submit(touch_then_sleep, tmp_path / "pid")
    pid = wait_for(tmp_path / "pid")
    executor.shutdown(cancel_futures=True)
    with pytest.raises(WorkerDied):
        future.result()
    assert gone(pid)


def how_signals_are_handled(send: Send) -> tuple[bool, bool, bool]:
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    return signal.SIGINT in blocked, ignored, signal.SIGTERM in blocked


FIRST_WORKER = """
from pconv.sweeps.process_pool import LocalExecutor
from tests.sweeps.test_process_pool import how_signals_are_handled

with LocalExecutor(1, print) as executor:
    print(*executor.submit(how_signals_are_handled).result())
"""


def test_workers_leave_ctrl_c_to_their_parent() -> None:
    """Also the first worker of a program, with which multiprocessing starts a process of its own. SIGTERM
    ends them: multiprocessing sends it at exit, and waits."""
    done = subprocess.run([sys.executable, "-c", FIRST_WORKER], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True True False\n", "")


def _work_for_nobody(ends: list[Connection], has_task: bool, unread: bool) -> None:
    pipe, parent = ends
    if has_task:
        parent.send((square, (3,)))
    if unread:
        pipe.send((False, "unread"))
    parent.close()
    process_pool._run_tasks(pipe)


@pytest.mark.parametrize("unread", [False, True])
@pytest.mark.parametrize("has_task", [False, True])
def test_a_worker_without_a_parent_ends_without_a_traceback(
    capfd: pytest.CaptureFixture[str], has_task: bool, unread: bool
) -> None:
    spawn = multiprocessing.get_context("spawn")
    ends = spawn.Pipe()
    worker = spawn.Process(target=_work_for_nobody, args=(list(ends), has_task, unread))
    worker.start()
    for end in ends:
        end.close()
    worker.join()
    assert (worker.exitcode, capfd.readouterr().err) == (int(has_task), "")


def _be_a_parent(path: Path) -> None:
    LocalExecutor(1, lambda _: None).submit(touch_then_sleep, path).result()


def test_workers_die_with_their_parent(tmp_path: Path) -> None:
    parent = multiprocessing.get_context("spawn").Process(target=_be_a_parent, args=(tmp_path / "pid",))
    parent.start()
    child = wait_for(tmp_path / "pid")
    parent.kill()
    parent.join()
    while not gone(child):
        time.sleep(0.01)
