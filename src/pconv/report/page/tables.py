"""The tables of the page: a tab for each study, with its runs at the paper's size before those of the quick
preset, and a tab for each setting of the runs of no study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pconv.config import PRESETS, RunConfig
from pconv.report.figures.table import Cell, TableFigure, table_cell, table_figures
from pconv.report.load import PaperCell
from pconv.report.names import columns_name
from pconv.store.run import JudgedRun
from pconv.studies.catalog import all_studies
from pconv.studies.study import Study

SIZE_NAMES = {
    preset: columns_name(preset).replace("$", "").replace("{,}", ",")
    for preset in sorted(PRESETS, key=lambda preset: preset != "paper")
}
"""The presets as the page calls them, the paper's first."""


@dataclass(frozen=True)
class PageTable:
    """A table of accuracies.

    Parameters
    ----------
    tab
        The name of its tab.
    question
        What the runs of the tab answer.
    title
        The size of the grids; empty where the name of the tab has it.
    corner
        What the rows are.
    rows, columns
        Their names.
    cells
        By row; None where there is no run.
    """

    tab: str
    question: str
    title: str
    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell | None, ...], ...]


def page_tables(runs: Sequence[JudgedRun], paper: Mapping[PaperCell, float]) -> list[PageTable]:
    """All tables: studies with runs at the paper's size first, then the other studies, then other runs.

    Parameters
    ----------
    runs
        The runs.
    paper
        The paper's accuracies, for runs of no study; a study has its own.
    """
    by_config: dict[RunConfig, list[JudgedRun]] = {}
    for run in sorted(runs, key=lambda run: run.config.seed):
        by_config.setdefault(replace(run.config, seed=0), []).append(run)
    tables = {
        (size, study.name): table
        for size in SIZE_NAMES
        for study in all_studies().values()
        if (table := _study_table(study.at(size), by_config))
    }
    tabs = list(dict.fromkeys(name for _, name in tables))  # those at the paper's size come first
    studied = [tables[size, name] for name in tabs for size in SIZE_NAMES if (size, name) in tables]
    shown = {
        run_id for table in studied for row in table.cells for cell in row if cell for run_id in cell.run_ids
    }
    others = table_figures((run for run in runs if run.result.run_id not in shown), paper)
    return studied + [_other_table(table) for table in sorted(others, key=_size, reverse=True)]


def _study_table(study: Study, runs: Mapping[RunConfig, Sequence[JudgedRun]]) -> PageTable | None:
    """The table of a study at one size, without rows and columns that have no run; None without runs."""
    found = {(cell.row, cell.column): cell for cell in study.cells if cell.config in runs}
    if not found:
        return None
    rows, columns = (_in_order(names) for names in zip(*found, strict=True))
    return PageTable(
        study.name.replace("-", " "),
        study.question,
        SIZE_NAMES[study.preset],
        "",
        rows,
        columns,
        tuple(
            tuple(
                table_cell(runs[cell.config], cell.paper) if (cell := found.get((row, column))) else None
                for column in columns
            )
            for row in rows
        ),
    )


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _other_table(table: TableFigure) -> PageTable:
    columns = tuple(f"{column.window}, k={column.kernel}".replace("$", "") for column in table.columns)
    return PageTable(table.setting, "", "", "m", tuple(map(str, table.moduli)), columns, table.cells)


def _size(table: TableFigure) -> int:
    return sum(cell is not None for row in table.cells for cell in row)
