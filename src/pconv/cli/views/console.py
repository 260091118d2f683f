"""The consoles of all commands. They print data as it is: no markup, and no control characters."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from pconv._text import printable
from pconv.config import ID_DIGITS

_WIDE = 160


class DataConsole(Console):
    """A console that interprets nothing in a text. Square brackets are no markup; control characters, which a
    failure reason or the metadata of a file may contain, are shown as escape sequences. Styles need a
    `Text`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        return super().render_str(printable(text), **settings)  # before the widths of columns are decided

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def output_console() -> Console:
    """The console for standard output."""
    return DataConsole()


def error_console() -> Console:
    """The console for standard error, where progress is shown."""
    return DataConsole(stderr=True)


def table_console() -> Console:
    """A console as wide as the terminal; in a file or a pipe, wide enough that no cell is wrapped."""
    return DataConsole(width=None if sys.stdout.isatty() else _WIDE)


def run_table(*columns: str) -> Table:
    """A table of runs, whose first column has their ids: other columns are wrapped in a narrow terminal, an
    id that was cut could not be copied."""
    return Table(Column("run", no_wrap=True, min_width=ID_DIGITS), *columns, box=None, header_style="bold")


def bold(text: str) -> Text:
    """The text in bold type."""
    return Text(text, style="bold")
