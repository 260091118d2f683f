"""A sweep while it runs: cells done, cells running with their epoch and accuracy, failures, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.store.timing import guessed_epoch
from pconv.sweeps.runner import Sweep


@contextmanager
def live(sweep: Sweep, wanted: Sequence[RunConfig], quiet: bool) -> Iterator[None]:
    """The display on stderr; none off a terminal."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    board = Board(sweep, len(wanted))
    console = Console(stderr=True)
    with Live(get_renderable=board.picture, console=console, refresh_per_second=2, transient=True):
        yield


_SHOWN = 16  # running cells; a cluster may have a thousand


class Board:
    """What there is to see of a sweep at a moment."""

    def __init__(self, sweep: Sweep, total: int) -> None:
        self._sweep = sweep
        self._total = total
        self._started = time.monotonic()
        self._there: int | None = None  # cells that were finished before we began

    def picture(self) -> RenderableType:
        sweep = self._sweep
        if self._there is None and sweep.running:
            self._there = len(sweep.finished)
        running = list(sweep.running.values())
        table = Table(box=None, show_header=False)
        for cell in running[:_SHOWN]:
            told, config = cell.progress, cell.cell.config
            epoch = f"epoch {told.epoch}/{config.epochs}" if told else "begins"
            accuracy = f"accuracy {told.accuracy:.3f}" if told else ""
            table.add_row(config.run_id, as_flags(config), epoch, accuracy)
        bar = ProgressBar(total=self._total, completed=len(sweep.finished), width=40)
        return Group(bar, self.words(), table)

    def words(self) -> str:
        """The line above the running cells."""
        sweep = self._sweep
        words = [f"{len(sweep.finished)} of {self._total} cells done", f"{len(sweep.running)} running"]
        if sweep.elsewhere:
            words.append(f"{sweep.elsewhere} with another process")
        if sweep.failed:
            words.append(f"[red]{len(sweep.failed)} failed[/red]")
        left = self._left()
        return ", ".join(words if left is None else [*words, f"about {duration(left)} left"])

    def _left(self) -> float | None:
        """By the work that is left, at the speed of the work that is done."""
        sweep = self._sweep
        done = sum(map(_work, sweep.finished[self._there or 0 :]))
        if not done:
            return None
        waiting = sum(map(_work, list(sweep.waiting)))
        for cell in list(sweep.running.values()):
            epoch = cell.progress.epoch if cell.progress else 0
            waiting += _work(cell.cell.config) * (1 - epoch / cell.cell.config.epochs)
        return waiting / done * (time.monotonic() - self._started)


def _work(config: RunConfig) -> float:
    return config.epochs * guessed_epoch(config)


def duration(seconds: float) -> str:
    """Seconds as one would say them.

    >>> duration(42), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
