"""A disk that is full or read-only, and files that have lost their end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.chaos.processes import send
from tools.chaos.trial import Trial, finished

CELLS = 8


@contextmanager
def _disk(trial: Trial, kilobytes: int) -> Iterator[Path]:
    """A small file system in memory."""
    place = trial.directory / "disk"
    place.mkdir(exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", place)
    try:
        yield place
    finally:
        trial.kill_all()
        subprocess.run(["umount", "--lazy", place], check=True)


def _mount(*options: object) -> None:
    subprocess.run(["mount", *map(str, options)], check=True)


def fill_disk(trial: Trial, rounds: int = 4) -> None:
    """A disk that is too small, and one that a file of somebody else fills while the sweep runs."""
    grid = trial.grid(CELLS)
    for number in range(rounds):
        with _disk(trial, trial.random.randrange(400, 2000)) as place:
            store = trial.new_store(place)
            if number % 2:
                _mount("-o", "remount,size=64m", place)
            sweep = trial.sweep(grid, store)
            if number % 2:
                trial.let_work(sweep, sweep.processes, (2.0, 6.0))
                _fill(place)
            trial.end(sweep, (0, 2))
            trial.events += 1
            before = finished(store)
            for command in (("runs",), ("gc",)):
                trial.run(*command, "--store", store, allowed=(0, 2))
            (place / "filler").unlink(missing_ok=True)
            _mount("-o", "remount,size=64m", place)
            if not before <= finished(store):
                trial.blame(f"runs lost on a full disk: {before - finished(store)}")
            trial.complete(grid, store)


def _fill(place: Path) -> None:
    with (place / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return


def make_read_only(trial: Trial) -> None:
    """A file system that is read-only before the sweep, after a killed one, and for weights meanwhile."""
    grid = trial.grid(CELLS)
    with _disk(trial, 64_000) as place:
        store = trial.new_store(place)
        for seconds in (0.5, 3.5, 4.5):
            sweep = trial.sweep(grid, store)
            trial.let_work(sweep, sweep.processes, (seconds, seconds + 0.5))
            send(sweep.pid)
            trial.ended_by(signal.SIGKILL, sweep)
            trial.check_no_process()
            _try_read_only(trial, grid, store, place)
        files = store.with_name("pconv.db.d")
        files.mkdir(exist_ok=True)
        sweep = trial.sweep(grid, store)
        trial.let_work(sweep, sweep.processes, (3.0, 5.0))
        _mount("--bind", files, files)
        _mount("-o", "remount,ro,bind", files)
        trial.events += 1
        trial.end(sweep, (0, 2))
        subprocess.run(["umount", files], check=True)
        trial.complete(grid, store)


def _try_read_only(trial: Trial, grid: Path, store: Path, place: Path) -> None:
    before = _contents(store)
    _mount("-o", "remount,ro", place)
    trial.events += 1
    trial.end(trial.sweep(grid, store), (2,))
    for command in (("runs",), ("export",), ("report", "-o", trial.directory / "page.html"), ("gc",)):
        trial.run(*command, "--store", store, allowed=(0, 2))
    _mount("-o", "remount,rw", place)
    if _contents(store) != before:
        trial.blame("a read-only store was changed")


def truncate_database(trial: Trial, rounds: int = 8) -> None:
    """The database loses its end while nothing uses it."""
    _truncate(trial, "pconv.db", rounds)


def truncate_log(trial: Trial, rounds: int = 8) -> None:
    """SQLite's write-ahead log loses its end while nothing uses it."""
    _truncate(trial, "pconv.db-wal", rounds)


def _truncate(trial: Trial, name: str, rounds: int) -> None:
    grid = trial.grid(CELLS)
    sound = _interrupted(trial, grid)
    for number in range(rounds):
        store = trial.directory / f"cut{number}" / "pconv.db"
        shutil.copytree(sound.parent, store.parent)
        size = (store.parent / name).stat().st_size
        os.truncate(store.parent / name, 0 if number == 0 else trial.random.randrange(size))
        trial.events += 1
        before = _contents(store)
        trial.run("runs", "--store", store, allowed=(0, 2))
        if _contents(store) != before:
            trial.blame(f"{store.parent.name}: `pconv runs` changed a damaged store")
        trial.run("gc", "--store", store, allowed=(0, 2))
        code, _ = trial.end(trial.sweep(grid, store), (0, 2))
        if code:  # the way out: the copy that was made before
            shutil.rmtree(store.parent)
            shutil.copytree(sound.parent, store.parent)
        trial.complete(grid, store)


def _interrupted(trial: Trial, grid: Path) -> Path:
    """A store whose sweep was killed after some cells: the latest of them are in the log alone."""
    while True:
        store = trial.new_store()
        sweep = trial.sweep(grid, store, jobs=1)
        while sweep.is_running and len(finished(store)) < CELLS // 2:
            time.sleep(0.1)
        if send(sweep.pid):
            trial.ended_by(signal.SIGKILL, sweep)
            trial.check_no_process()
        if store.with_name("pconv.db-wal").exists():
            return store


def _contents(store: Path) -> dict[str, bytes]:
    """The database and its log; SQLite's index of the log (-shm) is made anew by every process."""
    files = (store, store.with_name(f"{store.name}-wal"))
    return {file.name: file.read_bytes() for file in files if file.exists()}
