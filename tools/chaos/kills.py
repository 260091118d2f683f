"""SIGKILL at random moments: workers, sweeps themselves, workers and schedulers of a Dask cluster."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from tools.chaos.processes import send
from tools.chaos.trial import Trial

CELLS = 48
STARTING, WORKING = (0.02, 0.5), (1.5, 5.0)
"""Seconds of CPU time until a kill; a worker begins its first cell after about two, and a cell takes 0.4."""
SWEEP_WORKING = (2.5, 8.0)
"""The same for a sweep and its one worker together."""


def kill_workers(trial: Trial, kills: int) -> None:
    """Kills one worker of a sweep after the other; the sweep itself goes on."""
    grid = trial.grid(CELLS)
    while trial.events < kills:
        store = trial.new_store()
        sweep = trial.sweep(grid, store)
        while sweep.is_running and trial.events < kills:
            trial.let_work(sweep, sweep.workers, STARTING, WORKING)
            workers = sweep.workers()
            for pid in trial.random.sample(workers, min(len(workers), trial.random.choice((1, 1, 1, 2)))):
                trial.events += send(pid)
        trial.end(sweep)
        trial.check(grid, store)


def kill_parents(trial: Trial, kills: int) -> None:
    """Kills a sweep, sometimes with all of its workers, and starts the same command again at once."""
    grid = trial.grid(CELLS)
    store = trial.new_store()
    while trial.events < kills:
        sweep = trial.sweep(grid, store, jobs=1)
        trial.let_work(sweep, sweep.processes, STARTING, SWEEP_WORKING)
        if not sweep.is_running:  # all cells are done
            trial.end(sweep)
            trial.check(grid, store)
            store = trial.new_store()
            continue
        victims = sweep.processes() if trial.random.random() < 0.3 else [sweep.pid]
        trial.events += sum(send(pid) for pid in victims)
        trial.killed(sweep)
    trial.complete(grid, store)


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
    """A Dask scheduler and two workers on this machine; their own files stay out of the trial's `tmp`."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._directory = trial.directory / f"dask{trial.events}"
        self._directory.mkdir()
        where = self._directory / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port=0", f"--scheduler-file={where}")
        self.address = _address(where, self.scheduler)
        self._workers = [self._start_worker() for _ in range(2)]

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
