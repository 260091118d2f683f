"""Several processes on one store: sweeps that stop for a while, wrong clocks, `gc` and readers."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from pconv.store.summary import CLAIM_TIMEOUT
from tools.chaos.processes import send
from tools.chaos.trial import Command, Trial, computed

_JUMPS = (-86_400.0, -3600.0, -600.0, -40.0, 0.0, 40.0, 600.0, 3600.0, 86_400.0)  # seconds


def stop_processes(trial: Trial, rounds: int = 2) -> None:
    """SIGSTOP for longer than a claim lasts: a sweep alone, with its workers, its workers alone.

    Another sweep on the same store takes over where the claims lapse. Those of a sweep whose workers alone
    are stopped do not lapse, so nothing may be computed twice there.
    """
    grid = trial.grid(8)
    for _ in range(rounds):
        stores = [trial.new_store() for _ in range(3)]
        first = [trial.sweep(grid, store, jobs=1) for store in stores]
        stopped = [_stop(trial, sweep, kind) for kind, sweep in enumerate(first)]
        second = [trial.sweep(grid, store, jobs=1) for store in stores]
        time.sleep(CLAIM_TIMEOUT * 1.5)
        for pid in (pid for pids in stopped for pid in pids):
            send(pid, signal.SIGCONT)
        for kind, (store, one, other) in enumerate(zip(stores, first, second, strict=True)):
            done = _computed_by(trial, one, other)
            if kind == 2 and done != 8:
                trial.blame(f"{store.parent.name}: 8 cells, {done} computed, though the sweep was alive")
            trial.check(grid, store)


def _stop(trial: Trial, sweep: Command, kind: int) -> list[int]:
    """Stops a sweep (0), also its workers (1) or only these (2) once it has a worker; the processes."""
    trial.let_work(sweep, sweep.workers, (1.0, 4.0))
    chosen = ([sweep.pid], sweep.processes(), sweep.workers())[kind]
    trial.events += sum(send(pid, signal.SIGSTOP) for pid in chosen)
    return chosen


def jump_clocks(trial: Trial, rounds: int = 2) -> None:
    """Two sweeps and `gc`, each with a clock of its own that jumps; no cell may be computed twice."""
    grid = trial.grid(24)
    for _ in range(rounds):
        store = trial.new_store()
        clocks = [trial.directory / f"clock{i}" for i in range(3)]
        for clock in clocks:
            _jump(trial, clock)
        sweeps = [trial.sweep(grid, store, jobs=1, clock=clock) for clock in clocks[:2]]
        collector: Command | None = None
        while any(sweep.is_running for sweep in sweeps):
            trial.pause(0.2, 4.0)
            _jump(trial, trial.random.choice(clocks))
            trial.events += 1
            if collector is None or not collector.is_running:
                if collector:
                    trial.end(collector)
                collector = trial.start("gc", "--store", store, clock=clocks[2])
        if collector:
            trial.end(collector)
        _check_shared(trial, grid, store, sweeps)


def _jump(trial: Trial, clock: Path) -> None:
    """Sets a clock wrong; renamed into place, so that no reader finds an empty file."""
    draft = clock.with_suffix(".new")
    draft.write_text(str(trial.random.choice(_JUMPS)))
    os.replace(draft, clock)


def read_and_collect(trial: Trial, rounds: int = 2) -> None:
    """Two sweeps on one store, while `gc` and all commands that read the store are run in turn."""
    grid = trial.grid(24)
    page, table = trial.directory / "page.html", trial.directory / "runs.csv"
    commands = (
        ("gc",),
        ("report", "-o", page),
        ("runs",),
        ("gc",),
        ("export", "-o", table),
        ("runs", "--json"),
        ("sweep", grid, "--dry-run"),
    )
    for _ in range(rounds):
        store = trial.new_store()
        sweeps = [trial.sweep(grid, store, jobs=1) for _ in range(2)]
        while any(sweep.is_running for sweep in sweeps):
            trial.run(*trial.random.choice(commands), "--store", store)
            trial.events += 1
        _check_shared(trial, grid, store, sweeps)


def _check_shared(trial: Trial, grid: Path, store: Path, sweeps: list[Command]) -> None:
    done = _computed_by(trial, *sweeps)
    before = trial.cells
    trial.check(grid, store)
    if done != trial.cells - before:
        trial.blame(f"{store.parent.name}: {trial.cells - before} cells, {done} computed")


def _computed_by(trial: Trial, *sweeps: Command) -> int:
    ended = [trial.end(sweep) for sweep in sweeps]
    return sum(computed(report) for code, report in ended if code == 0)
