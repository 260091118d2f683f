"""How things are printed: where tables go, and how runs are counted."""

from __future__ import annotations

import sys

from rich.console import Console

_WIDE = 160


def table_console() -> Console:
    """As wide as the terminal; in a file or a pipe wide enough that no cell is broken."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDE)


def runs_in_words(count: int) -> str:
    """
    >>> runs_in_words(1), runs_in_words(1200)
    ('1 run', '1,200 runs')
    """
    return f"{count:,} run{'' if count == 1 else 's'}"
