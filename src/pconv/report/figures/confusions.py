"""The confusion matrices that the paper shows, in one picture or in a picture for each of its groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pconv.errors import InputError
from pconv.report.figures.confusion import (
    ConfusionFigure,
    answer_sets,
    legend_patches,
    row_colours,
    run_confusion,
)
from pconv.report.figures.options import Option, Source
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.names import columns_name, run_title
from pconv.report.palette import GREY
from pconv.store.run import JudgedRun, RunSource
from pconv.studies.catalog import study
from pconv.studies.cell import StudyCell
from pconv.studies.directory import opened
from pconv.studies.evaluate import ceiling_of
from pconv.studies.paper import MAIN_TABLES, printed

COLUMNS = 4
SIDE = 2.15
"""Inches of a matrix."""
PIXELS = 16
"""Pixels of a cell, on either side."""


@dataclass(frozen=True)
class Panel:
    """A matrix of the paper: its configuration, and our answers if there is a run."""

    title: str
    caption: str
    matrix: ConfusionFigure | None


@dataclass(frozen=True)
class ConfusionsFigure:
    """The matrices of one or more of the paper's groups, in the paper's order."""

    title: str
    panels: tuple[Panel, ...]


def confusion_cells(preset: str, table: str | None = None) -> list[StudyCell]:
    """The cells whose confusion matrices the paper shows.

    Parameters
    ----------
    preset
        "quick" or "paper".
    table
        Only the group of matrices that belongs to this table of the paper: one of `MAIN_TABLES`.

    Examples
    --------
    >>> [cell.config.modulus for cell in confusion_cells("paper", "prime-power-moduli")]
    [25, 25, 27, 27]
    """
    if table is not None and table not in MAIN_TABLES:
        raise InputError("table", repr(table), f"must be one of: {', '.join(MAIN_TABLES)}")
    tables = MAIN_TABLES if table is None else (table,)
    moduli = {figure.config.modulus for name in tables for figure in printed(name)}
    return [cell for cell in study("confusions", preset).cells if cell.config.modulus in moduli]


def confusions_figure(source: RunSource, preset: str, table: str | None = None) -> ConfusionsFigure:
    """The record of the paper's confusion matrices.

    Parameters
    ----------
    source
        A store or a directory of results.
    preset, table
        As for `confusion_cells`.
    """
    cells = confusion_cells(preset, table)
    panels = tuple(_panel(cell, source.run(cell.config.run_id)) for cell in cells)
    name = "the paper's matrices" if table is None else table.replace("-", " ")
    return ConfusionsFigure(f"{name}, {columns_name(preset)}", panels)


def _panel(cell: StudyCell, run: JudgedRun | None) -> Panel:
    title = run_title(cell.config)
    ceiling = ceiling_of(cell.config)
    bound = "" if ceiling is None else f"ceiling {ceiling:.3f}"
    if run is None:
        return Panel(title, bound, None)
    shown = answer_sets(run.result)[0]
    numbers = "all unseen numbers" if run.result.census else f"{shown.answers.size:,} test numbers"
    caption = f"accuracy {shown.answers.accuracy:.3f} on {numbers}, {bound}"
    return Panel(title, caption, run_confusion(run))


def from_options(
    table: Annotated[
        str | None, Option(f"One group of matrices: {', '.join(MAIN_TABLES)}. All if not given.", "NAME")
    ] = None,
    preset: Annotated[str, Option("The size of the runs: quick or paper.", "NAME")] = "paper",
    source: Source = None,
    *,
    store: Path,
) -> ConfusionsFigure:
    """The confusion matrices that the paper shows, in one picture; those without a run are empty panels."""
    with opened(source or store) as runs:
        return confusions_figure(runs, preset, table)


def draw_confusions(record: ConfusionsFigure) -> Figure:
    """A panel for each matrix: rows are true classes, columns answers."""
    columns = min(COLUMNS, len(record.panels))
    rows = -(-len(record.panels) // columns)
    figure = Figure(figsize=(columns * (SIDE + 0.25), rows * (SIDE + 0.55) + 0.6), layout="constrained")
    places: list[Any] = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for axes in places:
        axes.set_axis_off()
    for axes, panel in zip(places, record.panels, strict=False):
        axes.set_axis_on()
        _draw_panel(axes, panel)
    patches = legend_patches(panel.matrix for panel in record.panels if panel.matrix)
    if patches:
        figure.legend(handles=patches, loc="outside lower center", ncols=5, frameon=False, fontsize=8)
    figure.suptitle(record.title, fontsize=10)
    return figure


def _draw_panel(axes: Any, panel: Panel) -> None:
    axes.set_title(panel.title, fontsize=9, pad=14)
    axes.text(0.5, 1.02, panel.caption, transform=axes.transAxes, ha="center", fontsize=6, color=GREY)
    for spine in axes.spines.values():
        spine.set(visible=True, color="#bbbbbb")
    if panel.matrix is None:
        axes.set(xticks=[], yticks=[], aspect="equal")
        axes.text(0.5, 0.5, "not computed yet", transform=axes.transAxes, ha="center", color=GREY)
        return
    last = panel.matrix.modulus - 0.5
    axes.imshow(_image(panel.matrix), interpolation="none", extent=(-0.5, last, last, -0.5))
    ticks = range(0, panel.matrix.modulus, 5)
    axes.set(xticks=ticks, yticks=ticks)
    axes.tick_params(length=0, labelsize=6, labelcolor=GREY, pad=2)


def _image(matrix: ConfusionFigure) -> NDArray[np.float64]:
    """The colours of all cells; a cell has many pixels, so that viewers that smooth images keep its edges."""
    white = (1.0, 1.0, 1.0)
    rows = [[shade or white for shade in row_colours(matrix, i)] for i in range(matrix.modulus)]
    return np.array(rows).repeat(PIXELS, axis=0).repeat(PIXELS, axis=1)


FIGURES.add(FigureSpec("confusions", from_options, draw_confusions))
