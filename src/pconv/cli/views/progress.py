"""How far a long step is: a bar on a terminal, elsewhere a line on stderr every ten seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LOG_EVERY = 10.0  # seconds

Update = Callable[[int, int], None]
"""Takes what is done, and the total."""


@contextmanager
def progress(description: str, unit: str, quiet: bool) -> Iterator[Update | None]:
    """Shows the progress of one step.

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
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(description),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{unit}, left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
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
