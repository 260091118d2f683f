"""SIGKILL at random moments: workers, sweeps themselves, workers and schedulers of a Dask cluster. And
SIGTERM of sweeps."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tools.chaos.processes import send
from tools.chaos.trial import Command, Trial

CELLS = 48
STARTING, WORKING = (0.02, 0.5), (1.5, 5.0)
"""Seconds of CPU time between two kills, of all possible victims together. A process that computes its first
cell has used about two, and a cell takes 0.4."""
_WORKERS, _SWEEPS, _DASK_WORKERS = 4, 3, 3  # at a time


def kill_workers(trial: Trial, kills: int) -> None:
    """Kills one worker of a sweep after the other; the sweep itself goes on."""
    grid = trial.grid(CELLS)
    while trial.events < kills:
        store = trial.new_store()
        sweep = trial.sweep(grid, store, jobs=_WORKERS)
        while sweep.is_running and trial.events < kills:
            trial.let_work(sweep, sweep.workers, STARTING, WORKING)
            workers = sweep.workers()
            for pid in trial.random.sample(workers, min(len(workers), trial.random.choice((1, 1, 1, 2)))):
                trial.events += send(pid)
        trial.end(sweep)
        trial.check(grid, store)


def kill_sweeps(trial: Trial, kills: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Ends one of several sweeps on a store, sometimes with its worker, and starts it again at once."""
    grid = trial.grid(CELLS)
    while trial.events < kills:
        store = trial.new_store()
        sweeps = [trial.sweep(grid, store, jobs=1) for _ in range(_SWEEPS)]
        while all(sweep.is_running for sweep in sweeps) and trial.events < kills:
            chosen = trial.random.randrange(_SWEEPS)
            victim = sweeps[chosen]
            trial.let_work(victim, partial(_processes, sweeps), STARTING, WORKING)
            if not victim.is_running:
                break
            pids = victim.processes() if trial.random.random() < 0.3 else [victim.pid]
            trial.events += sum(send(pid, number) for pid in pids)
            trial.ended_by(number, victim)
            sweeps[chosen] = trial.sweep(grid, store, jobs=1)
        for sweep in sweeps:
            trial.end(sweep)
        trial.check(grid, store)


def _processes(sweeps: Sequence[Command]) -> list[int]:
    return [pid for sweep in sweeps for pid in sweep.processes()]


def kill_dask_workers(trial: Trial, kills: int) -> None:
    """Kills workers of a cluster, which are replaced, and now and then its scheduler."""
    grid = trial.grid(CELLS)
    store = trial.new_store()
    cluster = _Cluster(trial)
    sweep = trial.sweep(grid, store, "--scheduler", cluster.address)
    while trial.events < kills:
        trial.let_work(sweep, cluster.workers, STARTING, WORKING)
        if sweep.is_running and trial.random.random() < 0.02:
            trial.events += send(cluster.scheduler.pid)
            trial.end(sweep, (0, 2))  # one line: the scheduler is gone
            cluster.stop()
            cluster = _Cluster(trial)
        elif sweep.is_running:
            trial.events += cluster.kill_worker()
            continue
        elif trial.end(sweep)[0] == 0:
            trial.check(grid, store)
            store = trial.new_store()
        sweep = trial.sweep(grid, store, "--scheduler", cluster.address)
    trial.end(sweep)
    cluster.stop()
    trial.check(grid, store)


class _Cluster:
    """A Dask scheduler and its workers on this machine; their own files stay out of the trial's `tmp`."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._directory = trial.directory / f"dask{trial.events}"
        self._directory.mkdir()
        where = self._directory / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port=0", f"--scheduler-file={where}")
        self.address = _address(where, self.scheduler)
        self._workers = [self._start_worker() for _ in range(_DASK_WORKERS)]

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        local = ("--host=127.0.0.1", "--no-dashboard")
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options, *local]
        environment = self._trial.environment()
        with (self._directory / f"{what}.log").open("ab") as log:
            return subprocess.Popen(
                command, cwd=self._directory, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def _start_worker(self) -> subprocess.Popen[bytes]:
        options = ("--nthreads=1", "--no-nanny", f"--local-directory={self._directory}", "--death-timeout=60")
        return self._start("worker", self.address, *options)

    def workers(self) -> list[int]:
        return [worker.pid for worker in self._workers]

    def kill_worker(self) -> int:
        """Kills a random worker and starts another; 1 if it was alive."""
        chosen = self._trial.random.randrange(len(self._workers))
        worker = self._workers[chosen]
        killed = worker.poll() is None and send(worker.pid)
        worker.wait()
        self._workers[chosen] = self._start_worker()
        return int(killed)

    def stop(self) -> None:
        for process in (*self._workers, self.scheduler):
            process.kill()
            process.wait()


def _address(where: Path, scheduler: subprocess.Popen[bytes]) -> str:
    while not (where.exists() and where.read_text().endswith("}")):
        if scheduler.poll() is not None:
            raise RuntimeError(f"the Dask scheduler ended with code {scheduler.returncode}")
        time.sleep(0.05)
    return str(json.loads(where.read_text())["address"])
