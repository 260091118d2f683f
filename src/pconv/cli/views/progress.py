"""Lines on stderr: the progress of a training, a census or probes, what the library logs, and theories that
cannot be tested. Progress is a bar on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from pconv._text import printable
from pconv.cli.standard_streams import print_note
from pconv.config import RunConfig

if TYPE_CHECKING:
    from pconv.probes.suite import Progress as ProbeProgress
    from pconv.training.trainer import Step, StepCallback

LOG_EVERY = 10.0
"""Seconds between two lines of a log."""
STATUS_AFTER = 2.0
"""Seconds after which a command without progress says what it is doing."""

Update = Callable[[int, int], None]
"""Called with the count so far and the total."""


@contextmanager
def progress(description: str, unit: str, quiet: bool) -> Iterator[Update | None]:
    """Shows the progress of one long step: a bar on a terminal, elsewhere a line every ten seconds.

    Parameters
    ----------
    description
        What is being done, such as "census".
    unit
        What is counted, in the plural.
    quiet
        Show nothing.
    """
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar(description, f"{unit}, left") as update:
            yield update
    else:
        yield _log_lines(description, unit)


@contextmanager
def _bar(description: str, unit: str) -> Iterator[Callable[..., None]]:
    """A bar on the terminal. Its value is called with the count so far, the total and, if it changes, the
    description."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from pconv.cli.views.console import error_console

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=error_console(), transient=True) as display:
        bar = display.add_task(description, total=None)

        def update(done: int, total: int, description: str | None = None) -> None:
            display.update(bar, completed=done, total=total, description=description)

        yield update


@contextmanager
def status(doing: str) -> Iterator[None]:
    """Shows what a command of some seconds is doing: at once on a terminal, elsewhere as a line if it takes
    longer than two seconds."""
    if sys.stderr.isatty():
        from pconv.cli.views.console import error_console

        with error_console().status(doing):
            yield
        return
    line = Timer(STATUS_AFTER, print_note, [doing])
    line.daemon = True
    line.start()
    try:
        yield
    finally:
        line.cancel()


def every(seconds: float) -> Callable[[], bool]:
    """A function that is true once in so many seconds, the first time when they have passed."""
    last = time.monotonic()

    def due() -> bool:
        nonlocal last
        now = time.monotonic()
        if now - last < seconds:
            return False
        last = now
        return True

    return due


def _log_lines(description: str, unit: str) -> Update:
    due = every(LOG_EVERY)

    def update(done: int, total: int) -> None:
        if done < total and due():
            print_note(f"{description}: {done:,} of {total:,} {unit}")

    return update


def show_untested(theories: Mapping[str, str]) -> None:
    """Prints a line for each theory that raised an exception when it was tested, with the reason."""
    for theory, reason in theories.items():
        print_note(f"the theory '{theory}' was not tested: {reason}")


@contextmanager
def training_progress(config: RunConfig, quiet: bool) -> Iterator[StepCallback | None]:
    """Shows the progress of a training: epoch, loss, accuracy, and on a terminal the time left.

    The value is the training's `on_step`; None if nothing is to be shown.
    """
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _training_bar(config) as on_step:
            yield on_step
    else:
        yield _training_lines(config)


@contextmanager
def probe_progress() -> Iterator[ProbeProgress]:
    """Shows which probe is running: a bar on a terminal, elsewhere a line every ten seconds."""
    if sys.stderr.isatty():
        with _bar("probes", "probes, left") as show:
            yield lambda name, number, total: show(number - 1, total, f"probe {name}")
    else:
        due = every(LOG_EVERY)

        def log(name: str, number: int, total: int) -> None:
            if due():
                print_note(f"probe {number} of {total}: {name}")

        yield log


class _PrintableFormatter(logging.Formatter):
    """Messages may quote damaged files."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


@contextmanager
def shown_log(quiet: bool) -> Iterator[None]:
    """Shows what the library logs, such as that it compiles the training loops."""
    if quiet:
        yield
        return
    log, handler = logging.getLogger("pconv"), logging.StreamHandler(sys.stderr)
    handler.setFormatter(_PrintableFormatter("pconv: %(message)s"))
    before = log.level, log.propagate
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before[0])
        log.propagate = before[1]


def _training_lines(config: RunConfig) -> StepCallback:
    due = every(LOG_EVERY)

    def on_step(step: Step) -> None:
        if due():
            print_note(_described(config, step))

    return on_step


def _described(config: RunConfig, step: Step) -> str:
    accuracy = "" if step.accuracy is None else f", accuracy {step.accuracy:.3f}"
    return f"m={config.modulus}, epoch {step.epoch}/{config.epochs}, loss {step.loss:.4f}{accuracy}"


@contextmanager
def _training_bar(config: RunConfig) -> Iterator[StepCallback]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from pconv.cli.views.console import error_console

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"))
    with Progress(*columns, TimeRemainingColumn(), console=error_console(), transient=True) as display:
        bar = display.add_task(f"m={config.modulus}", total=config.epochs * config.batches)

        def on_step(step: Step) -> None:
            done = (step.epoch - 1) * config.batches + step.step
            display.update(bar, completed=done, description=_described(config, step))

        yield on_step
