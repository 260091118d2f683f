"""Our accuracies against the paper's, cell by cell, with the ceiling of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import Annotated, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pconv._text import pluralize
from pconv.data.domain import VALIDATION_SIZE
from pconv.report.figures.options import Option, Source
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.load import paper_runs
from pconv.report.names import columns_name
from pconv.report.palette import BLOCKS, GREY
from pconv.store.run import RunSource
from pconv.studies.analyses.agreement import Agreement, Compared, compared
from pconv.studies.analyses.answer import pvalue_relation
from pconv.studies.directory import opened
from pconv.studies.evaluate import ceiling_of
from pconv.studies.paper import MAIN_TABLES, agrees, printed, table_names

BAND = 2.576
"""Standard errors on either side of the diagonal: a level of 1%."""
AGREES, DIFFERS = BLOCKS["zero"], BLOCKS["mixed"]
BOTH_SOLVED, LIGHT = "#b9bec6", "#e9ecf0"
_MARKERS = {8: "o", 16: "s", 24: "^"}


@dataclass(frozen=True)
class Point:
    """A cell of the paper's tables with a run."""

    label: str
    successors: int | None
    paper: float
    ours: float
    ceiling: float | None
    main: bool  # whether it is a cell of the three main tables
    informative: bool  # not both accuracies are at least 0.99
    agrees: bool


@dataclass(frozen=True)
class ScatterFigure:
    """Our accuracies against the paper's at one preset."""

    title: str
    caption: str
    points: tuple[Point, ...]


def scatter_figure(source: RunSource, preset: str) -> ScatterFigure:
    """The record of our accuracies against the paper's, for all cells of its tables that have a run.

    Parameters
    ----------
    source
        A store or a directory of results.
    preset
        "quick" or "paper".
    """
    runs = paper_runs(source, preset)
    main = compared(runs, MAIN_TABLES, preset)
    every = compared(runs, table_names(), preset)
    cells = len({figure.config for table in MAIN_TABLES for figure in printed(table, preset)})
    return ScatterFigure(
        f"{columns_name(preset)}: {len(main.cells)} of {cells} cells of the main tables, "
        f"{len(every.cells) - len(main.cells)} of other tables",
        _caption(main),
        tuple(_point(cell, cell in main.cells) for cell in every.cells),
    )


def _caption(main: Agreement) -> str:
    if not main.informative:
        return "no cell of the main tables can differ"
    return (
        f"main tables, {pluralize(len(main.informative), 'cell')} that can differ: "
        f"$\\sum z^2={main.statistic:.1f}$, $p$ {pvalue_relation(main.pvalue)}"
    )


def _point(cell: Compared, main: bool) -> Point:
    config = cell.config
    return Point(
        config.label().removesuffix(f", N={config.primes:,}"),
        config.successors,
        cell.paper,
        cell.ours,
        ceiling_of(config),
        main,
        cell.informative,
        agrees(cell.ours, cell.paper),
    )


def from_options(
    preset: Annotated[str, Option("The size of the runs: quick or paper.", "NAME")] = "paper",
    source: Source = None,
    *,
    store: Path,
) -> ScatterFigure:
    """Our accuracies against the paper's, with the ceiling of each cell that can differ."""
    with opened(source or store) as runs:
        return scatter_figure(runs, preset)


def draw_scatter(record: ScatterFigure) -> Figure:
    """A point for each cell; cells in which both accuracies are at least 0.99 are small and grey."""
    figure = Figure(figsize=(5.4, 5.9), layout="constrained")
    axes: Any = figure.subplots()
    _draw_band(axes)
    solved = [point for point in record.points if not point.informative]
    axes.scatter([p.paper for p in solved], [p.ours for p in solved], s=8, color=BOTH_SOLVED, zorder=2)
    for point in record.points:
        if point.informative:
            _draw_point(axes, point)
    _name([point for point in record.points if not point.agrees], axes)
    limits = {"xlim": (0, 1.08), "ylim": (0, 1.08)}
    axes.set(
        **limits, aspect="equal", xlabel="the paper's accuracy", ylabel="ours, best epoch on 512 numbers"
    )
    axes.set_title(f"{record.title}\n{record.caption}", fontsize=9)
    figure.legend(handles=_legend(record), loc="outside lower center", ncols=3, frameon=False, fontsize=7.5)
    return figure


def _draw_band(axes: Any) -> None:
    """The diagonal, and where two shares of 512 do not differ at 1%."""
    middle = np.linspace(0, 1, 200)
    half = BAND * np.sqrt(2 * middle * (1 - middle) / VALIDATION_SIZE) / 2
    x = np.concatenate([middle - half, (middle + half)[::-1]])
    y = np.concatenate([middle + half, (middle - half)[::-1]])
    axes.fill(x, y, color=LIGHT, linewidth=0, zorder=0)
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.7, zorder=1)


def _draw_point(axes: Any, point: Point) -> None:
    colour = AGREES if point.agrees else DIFFERS
    if point.ceiling is not None:
        axes.plot([point.paper] * 2, [point.ours, point.ceiling], color=colour, linewidth=0.5, zorder=2)
        bar = {"marker": "_", "markersize": 9, "markeredgewidth": 1.3, "color": "black"}
        axes.plot([point.paper], [point.ceiling], **bar, zorder=3)
    look = {"facecolors": colour if point.main else "white", "edgecolors": colour, "linewidths": 0.9}
    marker = _MARKERS.get(point.successors or 0, "D")
    axes.scatter([point.paper], [point.ours], s=26, marker=marker, **look, zorder=4)


def _name(points: Iterable[Point], axes: Any) -> None:
    """A letter at each point, and the cells by their letters in the free corner below the diagonal."""
    named = sorted(points, key=lambda point: (point.paper, point.ours))
    if not named:
        return
    placed: list[tuple[float, float]] = []
    lines = []
    for letter, point in zip(ascii_lowercase, named, strict=False):
        height = max(point.ours, point.ceiling or 0.0) + 0.02
        while any(abs(point.paper - x) < 0.02 and abs(height - y) < 0.024 for x, y in placed):
            height += 0.025
        placed.append((point.paper, height))
        axes.text(point.paper, height, letter, ha="center", fontsize=7.5, color=DIFFERS, zorder=5)
        lines.append(f"{letter}  {point.label}: {point.ours:.3f}, the paper {point.paper:.2f}")
    if len(named) > len(lines):
        lines.append(f"and {len(named) - len(lines)} more")
    axes.text(
        0.99,
        0.02,
        "\n".join(lines),
        transform=axes.transAxes,
        ha="right",
        va="bottom",
        fontsize=6.5,
        color=DIFFERS,
    )


def _legend(record: ScatterFigure) -> list[Any]:
    informative = [point for point in record.points if point.informative]
    shapes = {point.successors for point in informative}
    handles: list[Any] = [
        Line2D([], [], marker=marker, color=GREY, linestyle="", markersize=4.5, label=f"$B={successors}$")
        for successors, marker in _MARKERS.items()
        if successors in shapes
    ]
    handles += [
        Line2D([], [], marker="_", color="black", linestyle="", markersize=9, label="ceiling"),
        Patch(color=AGREES, label="agrees (Fisher, 1%)"),
        Patch(color=DIFFERS, label="differs"),
        Patch(color=LIGHT, label=f"$|z|<{BAND}$"),
    ]
    if any(not point.main for point in informative):
        handles.append(
            Line2D(
                [], [], marker="o", color=GREY, markerfacecolor="white", linestyle="", label="other tables"
            )
        )
    handles.append(Line2D([], [], marker=".", color=BOTH_SOLVED, linestyle="", label="both at least 0.99"))
    return handles


FIGURES.add(FigureSpec("scatter", from_options, draw_scatter))
