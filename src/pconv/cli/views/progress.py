"""Progress on stderr: of the epochs of a training, and of a long step such as a census."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pconv.config import RunConfig

if TYPE_CHECKING:
    from pconv.training.trainer import Step, StepCallback

_LOG_EVERY = 10.0  # seconds

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
        with _bar(description, unit) as update:
            yield update
    else:
        yield _log_lines(description, unit)


@contextmanager
def _bar(description: str, unit: str) -> Iterator[Update]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from pconv.cli.views.console import error_console

    columns = (
        TextColumn(description),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{unit}, left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=error_console(), transient=True) as display:
        bar = display.add_task(description, total=None)
        yield lambda done, total: display.update(bar, completed=done, total=total)


def _log_lines(description: str, unit: str) -> Update:
    last = time.monotonic()

    def update(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _LOG_EVERY and done < total:
            last = time.monotonic()
            print(f"pconv: {description}: {done:,} of {total:,} {unit}", file=sys.stderr)

    return update


@contextmanager
def training_progress(config: RunConfig, quiet: bool) -> Iterator[StepCallback | None]:
    """Shows the progress of a training on a terminal: epoch, loss, accuracy, time left.

    The value is the training's `on_step`; None if nothing is to be shown or stderr is no terminal.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from pconv.cli.views.console import error_console

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"))
    with Progress(*columns, TimeRemainingColumn(), console=error_console(), transient=True) as display:
        bar = display.add_task(f"m={config.modulus}", total=config.epochs * config.batches)

        def on_step(step: Step) -> None:
            accuracy = "" if step.accuracy is None else f"  accuracy {step.accuracy:.3f}"
            epoch = f"epoch {step.epoch}/{config.epochs}"
            display.update(
                bar,
                completed=(step.epoch - 1) * config.batches + step.step,
                description=f"m={config.modulus}  {epoch}  loss {step.loss:.4f}{accuracy}",
            )

        yield on_step
