"""The report of probes in the terminal: a table, and maps as coloured blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.table import Table
from rich.text import Text

from pconv.cli.views.console import output_console
from pconv.probes.finding import Finding
from pconv.probes.heatmap import HeatMap
from pconv.probes.report import ProbeReport

# viridis from low to high, as matplotlib draws the same maps
_COLOURS = ("#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725")
_SHADES = " ·░░▒▒▓█"  # the same eight steps where there is no colour


def show_report(report: ProbeReport) -> None:
    """Prints the maps, then the table and its summary, which stay visible."""
    console = output_console()
    for heat in report.maps:
        console.print(_picture(heat, console.width))
    console.print(_table(report))
    console.print(report.sentence, soft_wrap=True)


def _table(report: ProbeReport) -> Table:
    table = Table(box=None, header_style="bold")
    for name in ("probe", "what is done", "predicted", "observed", "agrees", "n"):
        table.add_column(name)
    table.columns[-1].justify = "right"
    last = ""
    for finding in report.findings:
        first = finding.probe if finding.probe != last else ""
        last = finding.probe
        table.add_row(
            Text(first),
            Text(finding.what),
            Text(finding.predicted),
            Text(finding.observed),
            _word(finding),
            f"{finding.n:,}",
        )
    return table


def _word(finding: Finding) -> Text:
    style = {None: "dim", True: "green", False: "bold red"}[finding.agrees]
    return Text(finding.word, style=style)


def _picture(heat: HeatMap, room: int) -> Text:
    """A map that fits into so many columns of a terminal, if it can at all."""
    text = Text(f"{heat.title}\n", style="bold")
    width, longest = max(map(len, heat.rows)), max(map(len, heat.columns))
    cell = _cell_width(len(heat.columns), longest, room - width - 1)
    for line in _header(heat.columns, longest, cell):
        text.append(f"{'':>{width}} {line}\n", style="not bold dim")
    steps = np.nan_to_num(heat.shades() * len(_COLOURS), nan=-1).clip(max=len(_COLOURS) - 1)
    for name, row in zip(heat.rows, steps.astype(int), strict=True):
        text.append(f"{name:>{width}} ", style="not bold")
        for step in row:
            shade, style = (_SHADES[step], _COLOURS[step]) if step >= 0 else (" ", "")
            text.append(shade * cell, style=f"{style} on {style}" if style else "not bold")
        text.append("\n")
    scale = f"from {heat.low:g} (dark) to {heat.high:.2g} (bright)"
    text.append(f"{'':>{width}} {scale}\n", style="not bold dim")
    return text


def _cell_width(count: int, longest: int, room: int) -> int:
    """The widest of: a name and a space, two columns, one column; one where nothing fits.

    >>> _cell_width(8, 3, 76), _cell_width(32, 3, 76), _cell_width(60, 3, 76)
    (4, 2, 1)
    """
    return next((cell for cell in (longest + 1, 2, 1) if cell * count <= room), 1)


def _header(names: Sequence[str], longest: int, cell: int) -> list[str]:
    """The names of the columns in one line, or from top to bottom where they are wider than a cell.

    >>> _header(("2", "13"), 2, 3), _header(("2", "13"), 2, 2)
    (['  2 13'], ['   1', ' 2 3'])
    """
    if cell > longest:
        return ["".join(f"{name:>{cell}}" for name in names)]
    lines = zip(*(f"{name:>{longest}}" for name in names), strict=True)
    return ["".join(f"{character:>{cell}}" for character in line) for line in lines]
