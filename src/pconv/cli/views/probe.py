"""The report of probes in the terminal: a table, and maps as coloured blocks."""

from __future__ import annotations

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
        console.print(_picture(heat))
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


def _picture(heat: HeatMap) -> Text:
    text = Text(f"{heat.title}\n", style="bold")
    width, cell = max(map(len, heat.rows)), 1 + max(map(len, heat.columns))
    text.append(" " * (width + 1), style="not bold")
    for name in heat.columns:
        text.append(f"{name:>{cell}}", style="not bold dim")
    steps = np.nan_to_num(heat.shades() * len(_COLOURS), nan=-1).clip(max=len(_COLOURS) - 1)
    for name, row in zip(heat.rows, steps.astype(int), strict=True):
        text.append(f"\n{name:>{width}} ", style="not bold")
        for step in row:
            shade, style = (_SHADES[step], _COLOURS[step]) if step >= 0 else (" ", "")
            text.append(shade * cell, style=f"{style} on {style}" if style else "not bold")
    scale = f"from {heat.low:g} (dark) to {heat.high:.2g} (bright)"
    text.append(f"\n{'':>{width}} {scale}\n", style="not bold dim")
    return text
