"""The display of a running sweep: runs done, epoch and accuracy of those running, failures, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from pconv.cli.views.console import error_console
from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.store.timing import guessed_epoch
from pconv.sweeps.runner import Sweep


@contextmanager
def live(sweep: Sweep, wanted: Sequence[RunConfig], quiet: bool) -> Iterator[None]:
    """Shows a sweep on stderr while the `with` block runs, if stderr is a terminal.

    Parameters
    ----------
    sweep
        The sweep.
    wanted
        All of its runs.
    quiet
        Show nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield
        return
    display = Display(sweep, len(wanted))
    with Live(get_renderable=display.render, console=error_console(), refresh_per_second=2, transient=True):
        yield


_SHOWN = 16  # running jobs; a cluster may have a thousand


class Display:
    """Renders the current state of a sweep."""

    def __init__(self, sweep: Sweep, total: int) -> None:
        self._sweep = sweep
        self._total = total
        self._started = time.monotonic()
        self._stored: int | None = None  # runs that were finished before this sweep

    def render(self) -> RenderableType:
        sweep = self._sweep
        if self._stored is None and sweep.running:
            self._stored = len(sweep.finished)
        running = list(sweep.running.values())
        table = Table(box=None, show_header=False)
        for one in running[:_SHOWN]:
            progress, config = one.progress, one.job.config
            epoch = f"epoch {progress.epoch}/{config.epochs}" if progress else "begins"
            accuracy = f"accuracy {progress.accuracy:.3f}" if progress else ""
            table.add_row(config.run_id, as_flags(config), epoch, accuracy)
        bar = ProgressBar(total=self._total, completed=len(sweep.finished), width=40)
        return Group(bar, self.summary(), table)

    def summary(self) -> Text:
        """The line above the running jobs."""
        sweep = self._sweep
        words: list[str | Text] = [
            f"{len(sweep.finished)} of {self._total} cells done",
            f"{len(sweep.running)} running",
        ]
        if sweep.elsewhere:
            words.append(f"{sweep.elsewhere} with another process")
        if sweep.failed:
            words.append(Text(f"{len(sweep.failed)} failed", style="red"))
        left = self._left()
        words += [] if left is None else [f"about {duration(left)} left"]
        return Text(", ").join(Text(word) if isinstance(word, str) else word for word in words)

    def _left(self) -> float | None:
        """Seconds left, at the speed of the work done so far; None before the first run is finished."""
        sweep = self._sweep
        done = sum(map(_work, sweep.finished[self._stored or 0 :]))
        if not done:
            return None
        waiting = sum(map(_work, list(sweep.waiting)))
        for running in list(sweep.running.values()):
            epoch = running.progress.epoch if running.progress else 0
            config = running.job.config
            waiting += _work(config) * (1 - epoch / config.epochs)
        return waiting / done * (time.monotonic() - self._started)


def _work(config: RunConfig) -> float:
    return config.epochs * guessed_epoch(config)


def duration(seconds: float) -> str:
    """Seconds as a short text.

    >>> duration(42), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
