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

from pconv._text import pluralize
from pconv.cli.standard_streams import print_note
from pconv.cli.views.console import error_console
from pconv.cli.views.progress import LOG_EVERY, every
from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.pacing.schedule import Work, expected_seconds, seconds_left
from pconv.store.timing import estimated_seconds
from pconv.sweeps.job import Progress
from pconv.sweeps.runner import Running, Sweep


@contextmanager
def live(sweep: Sweep, wanted: Sequence[RunConfig], quiet: bool) -> Iterator[None]:
    """Shows a sweep on stderr while the `with` block runs: a display on a terminal, elsewhere a line at the
    start, every ten seconds in the first minute, and then every minute.

    Parameters
    ----------
    sweep
        The sweep.
    wanted
        All of its runs.
    quiet
        Show nothing.
    """
    display = Display(sweep, len(wanted))
    if quiet:
        yield
    elif sys.stderr.isatty():
        with Live(
            get_renderable=display.render, console=error_console(), refresh_per_second=2, transient=True
        ):
            yield
    else:
        sweep.on_poll = LogLines(sweep, display).show_due
        yield


_SHOWN = 16  # running jobs; a cluster may have a thousand
_IN_A_LINE = 4  # running jobs in a line of the log
_FIRST_LINES = 6  # of the log, one every ten seconds
_LATER = 60.0  # seconds between later lines: a sweep may take days


class LogLines:
    """The progress of a sweep as lines: how many runs there are to do, when loops are compiled, and how far
    it is, every ten seconds in the first minute and then every minute."""

    def __init__(self, sweep: Sweep, display: Display) -> None:
        self._sweep = sweep
        self._display = display
        self._due = every(LOG_EVERY)
        self._printed = 0
        self._started = False
        self._told: set[str] = set()

    def show_due(self) -> None:
        """Print the lines that are due; to be called often."""
        if not self._started:
            self._started = True
            print_note(self._display.plan())
        for running in list(self._sweep.running.values()):
            progress = running.progress
            if progress and not progress.epoch and progress.stage and progress.stage not in self._told:
                self._told.add(progress.stage)
                print_note(progress.stage)
        if self._due():
            print_note(self._display.line())
            self._printed += 1
            if self._printed == _FIRST_LINES:
                self._due = every(_LATER)


class Display:
    """Renders the current state of a sweep."""

    def __init__(self, sweep: Sweep, total: int) -> None:
        self._sweep = sweep
        self._total = total
        self._started = time.monotonic()

    def render(self) -> RenderableType:
        table = Table(box=None, show_header=False)
        for one in list(self._sweep.running.values())[:_SHOWN]:
            config = one.job.config
            table.add_row(config.run_id, as_flags(config), *_doing(one))
        bar = ProgressBar(total=self._total, completed=len(self._sweep.finished), width=40)
        return Group(bar, self.summary(), table)

    def line(self) -> str:
        """The state in one line."""
        running = list(self._sweep.running.values())
        parts = [f"{as_flags(one.job.config)}: {', '.join(filter(None, _doing(one)))}" for one in running]
        more = [f"and {len(running) - _IN_A_LINE} more"] if len(running) > _IN_A_LINE else []
        return "; ".join([self.summary().plain, *parts[:_IN_A_LINE], *more])

    def plan(self) -> str:
        """What there is to do, in one line."""
        sweep = self._sweep
        todo = [*sweep.waiting, *(one.job.config for one in sweep.running.values())]
        line = f"{pluralize(len(todo), 'run')} to be computed, {self._total - len(todo)} in the store already"
        if sweep.capacity.most_threads is None:  # on a cluster, whose cores are not known
            return line
        known, census = sweep.store.timings(), sweep.options.census
        expected, most = (
            sweep.capacity.elapsed({config: estimate(config, known, census) for config in todo})
            for estimate in (expected_seconds, estimated_seconds)
        )
        return f"{line}; in about {duration(expected)}, at most {duration(most)}"

    def summary(self) -> Text:
        """The line above the running jobs."""
        sweep = self._sweep
        words: list[str | Text] = [f"{len(sweep.finished)} of {self._total} cells done"]
        if sweep.workers is None:
            words.append(f"{len(sweep.running)} running")
        else:  # a cluster, whose queue holds more runs than are computed
            words.append(f"{len(sweep.running)} submitted")
            words += [] if sweep.worker_count is None else [pluralize(sweep.worker_count, "worker")]
        if sweep.elsewhere:
            words.append(f"{sweep.elsewhere} with another process")
        if sweep.failed:
            words.append(Text(f"{len(sweep.failed)} failed", style="red"))
        left = self._left()
        words += [] if left is None else [f"about {duration(left)} left"]
        return Text(", ").join(Text(word) if isinstance(word, str) else word for word in words)

    def _left(self) -> float | None:
        """Seconds left, at the speed of the work done so far; None before a first epoch is done."""
        sweep = self._sweep
        running = []
        for one in list(sweep.running.values()):
            progress = one.progress or Progress(one.job.config.run_id)
            running.append(Work(one.job.config, progress.epochs, one.resumed or 0, progress.census))
        elapsed = time.monotonic() - self._started
        return seconds_left(list(sweep.computed), running, list(sweep.waiting), elapsed, sweep.options.census)


def _doing(one: Running) -> tuple[str, str]:
    """What a job is doing, and its accuracy so far."""
    progress = one.progress
    if progress is None:
        return "starting", ""
    epoch = f"epoch {progress.epochs:.1f}/{one.job.config.epochs}"
    accuracy = "" if progress.accuracy is None else f"accuracy {progress.accuracy:.3f}"
    return progress.stage.partition(", ")[0] or epoch, accuracy


def duration(seconds: float) -> str:
    """Seconds as a short text.

    >>> duration(42), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
