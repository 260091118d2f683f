"""The console for tables."""

from __future__ import annotations

import sys

from rich.console import Console

_WIDE = 160


def table_console() -> Console:
    """A console as wide as the terminal; in a file or a pipe, wide enough that no cell is wrapped."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDE)
