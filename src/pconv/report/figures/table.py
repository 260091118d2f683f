"""Accuracies as in the paper's tables: rows are moduli, columns windows and kernels; also as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from pconv._colours import VERDICTS
from pconv.config import PLUGIN_FIELDS, RunConfig
from pconv.config_args import config_from_args
from pconv.errors import InputError
from pconv.report.figures.options import Option, Runs
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.figures.style import legend_below
from pconv.report.load import PaperCell, chosen_runs, paper_figures
from pconv.report.names import listed, setting_name, window_name
from pconv.report.palette import GREY, tint
from pconv.report.values import assessed
from pconv.store.run import JudgedRun


@dataclass(frozen=True)
class Cell:
    """The runs of one cell of a table; the values are those of the run with the smallest seed."""

    accuracy: float  # on the validation numbers at the best epoch, as in the paper
    test_accuracy: float
    census_accuracy: float | None  # on all unseen numbers; None: not recorded
    paper: float | None
    ceiling: float | None
    status: str
    run_ids: tuple[str, ...]  # by seed


@dataclass(frozen=True)
class Column:
    """The window and the kernel of a column."""

    window: str
    kernel: str


@dataclass(frozen=True)
class TableFigure:
    """A table of accuracies: rows are moduli, columns windows and kernels."""

    setting: str
    moduli: tuple[int, ...]
    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell | None, ...], ...]


def table_figures(runs: Iterable[JudgedRun], paper: Mapping[PaperCell, float]) -> tuple[TableFigure, ...]:
    """A table for each setting: the fields of a configuration other than m, window, kernel and seed."""
    settings: dict[str, list[JudgedRun]] = {}
    for run in runs:
        settings.setdefault(setting_name(run.config), []).append(run)
    return tuple(_table(name, members, paper) for name, members in sorted(settings.items()))


def _table(setting: str, runs: Sequence[JudgedRun], paper: Mapping[PaperCell, float]) -> TableFigure:
    found: dict[tuple[int, tuple[int, ...], tuple[int, ...]], list[JudgedRun]] = {}
    for run in sorted(runs, key=lambda run: (run.config.seed, run.result.run_id)):
        config = run.config
        found.setdefault((config.modulus, config.offsets, config.kernel), []).append(run)
    moduli = tuple(sorted({modulus for modulus, _, _ in found}))
    columns = sorted({(len(o), o, kernel) for _, o, kernel in found})
    return TableFigure(
        setting,
        moduli,
        tuple(
            Column(window_name(offsets), listed(kernel) if runs[0].config.convolves else "–")
            for _, offsets, kernel in columns
        ),
        tuple(
            tuple(
                _cell(found.get((m, offsets, kernel)), paper.get((offsets, kernel, m)))
                for _, offsets, kernel in columns
            )
            for m in moduli
        ),
    )


def _cell(runs: Sequence[JudgedRun] | None, paper: float | None) -> Cell | None:
    if not runs:
        return None
    return table_cell(runs, paper if _trained_as_the_paper(runs[0].config) else None)


def table_cell(runs: Sequence[JudgedRun], paper: float | None) -> Cell:
    """The cell of runs that differ in their seed, the smallest first, with the paper's figure."""
    first, found = runs[0], assessed(runs[0])
    census = first.result.census
    return Cell(
        first.result.best_accuracy,
        first.result.test.accuracy,
        census.accuracy if census else None,
        paper,
        found.ceiling if found else None,
        first.status,
        tuple(run.result.run_id for run in runs),
    )


def _trained_as_the_paper(config: RunConfig) -> bool:
    """Whether the run is comparable with the paper's; the number of primes may differ."""
    same = ("channels", "batches", "batch_size", "epochs", "limit", "smooth", *PLUGIN_FIELDS)
    return all(getattr(config, name) == getattr(RunConfig, name) for name in same)


def from_options(
    runs: Runs = None,
    preset: Annotated[str, Option("Which of the store's runs: quick or paper.", "NAME")] = "quick",
    *,
    store: Path,
) -> TableFigure:
    """Accuracies as in the paper's tables; .tex gives LaTeX."""
    found = chosen_runs(runs, store)
    if not runs:
        wanted = setting_name(config_from_args(preset, modulus=2))
        found = [run for run in found if setting_name(run.config) == wanted]
    tables = table_figures(found, paper_figures())
    if len(tables) != 1:
        settings = "; ".join(each.setting for each in tables) or f"none is of the preset {preset}"
        raise InputError("run", "...", f"a table has runs of one setting: {settings}")
    return tables[0]


def draw_table(record: TableFigure) -> Figure:
    """Accuracy, the paper's accuracy and the ceiling, coloured by verdict."""
    columns, moduli = record.columns, record.moduli
    figure = Figure(figsize=(0.7 + 1.15 * len(columns), 0.8 + 0.24 * len(moduli)))
    axes: Any = figure.add_subplot()
    for j, column in enumerate(columns):
        axes.text(
            j + 0.5, -0.9, f"{column.window}, $k={column.kernel}$", ha="center", va="center", fontsize=7.5
        )
    for i, m in enumerate(moduli):
        axes.text(-0.12, i + 0.5, str(m), ha="right", va="center")
        for j, cell in enumerate(record.cells[i]):
            if cell is None:
                continue
            _verdict_patch(axes, j, i, VERDICTS.get(cell.status, GREY))
            axes.text(j + 0.3, i + 0.52, f"{cell.accuracy:.3f}", ha="center", va="center", fontsize=8)
            rest = f"{_known(cell.paper, 2)} / {_known(cell.ceiling, 3)}"
            axes.text(j + 0.71, i + 0.52, rest, ha="center", va="center", fontsize=5.8, color=GREY)
    axes.text(-0.12, -0.9, "$m$", ha="right", va="center")
    axes.set(xlim=(-0.5, len(columns)), ylim=(len(moduli) + 0.1, -1.8))
    axes.set_title(record.setting, fontsize=8)
    axes.set_axis_off()
    present = {cell.status for row in record.cells for cell in row if cell}
    patches = [Patch(color=VERDICTS[name], label=name) for name in VERDICTS if name in present]
    axes.text(len(columns) / 2, -1.45, "best epoch, paper / ceiling", ha="center", fontsize=7, color=GREY)
    legend_below(axes, patches, columns=4)
    return figure


def _verdict_patch(axes: Any, left: float, top: float, colour: str) -> None:
    """A light background, and a bar of the full colour, which differs in prints without colour, too."""
    axes.add_patch(
        Rectangle((left + 0.02, top + 0.04), 0.96, 0.92, facecolor=tint(colour, 0.25), linewidth=0)
    )
    axes.add_patch(Rectangle((left + 0.02, top + 0.04), 0.05, 0.92, facecolor=colour, linewidth=0))


def _known(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


_SPECIAL = {c: f"\\{c}" for c in "&%#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
}


def latex_table(record: TableFigure) -> str:
    """The table as a LaTeX `tabular` (package booktabs): best epoch, the paper's accuracy, the ceiling."""
    count = len(record.columns)
    lines = [
        "% needs \\usepackage{booktabs}; cells: accuracy of the best epoch / the paper's / the ceiling",
        f"% {record.setting}",
        f"\\begin{{tabular}}{{r{'c' * count}}}",
        "\\toprule",
        " & ".join(["$m$", *(f"{escaped(c.window)}, $k={c.kernel}$" for c in record.columns)]) + r" \\",
        "\\midrule",
    ]
    for m, row in zip(record.moduli, record.cells, strict=True):
        lines.append(" & ".join([str(m), *map(_latex_cell, row)]) + r" \\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def escaped(text: str) -> str:
    """Text with LaTeX's special characters escaped, except for mathematics between dollars.

    >>> escaped("$B=8$ & 50%")
    '$B=8$ \\\\& 50\\\\%'
    """
    parts = text.split("$")
    if len(parts) % 2 == 0:
        return "".join(_SPECIAL.get(c, c) for c in text).replace("$", r"\$")
    return "$".join(
        part if i % 2 else "".join(_SPECIAL.get(c, c) for c in part) for i, part in enumerate(parts)
    )


def _latex_cell(cell: Cell | None) -> str:
    if cell is None:
        return "--"
    figures = [f"{cell.accuracy:.3f}"]
    figures.append("--" if cell.paper is None else f"{cell.paper:.2f}")
    figures.append("--" if cell.ceiling is None else f"{cell.ceiling:.3f}")
    return " / ".join(figures)


FIGURES.add(FigureSpec("table", from_options, draw_table, {".tex": latex_table}))
