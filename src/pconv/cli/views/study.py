"""The table of a study in the terminal."""

from __future__ import annotations

from collections import Counter

from rich.table import Table
from rich.text import Text

from pconv._colours import VERDICTS_IN_TERMINAL
from pconv.config import DEFAULT_THEORY
from pconv.studies.cell import CellResult
from pconv.studies.paper import SOLVED
from pconv.studies.study import Study
from pconv.studies.views import MISSING, NO_THEORY


def study_table(study: Study, cells: list[CellResult]) -> Table:
    """Rows and columns in the order of the study's cells; the seeds of a cell share a place."""
    places: dict[tuple[str, str], list[CellResult]] = {}
    for result in cells:
        places.setdefault((result.cell.row, result.cell.column), []).append(result)
    columns = list(dict.fromkeys(column for _, column in places))
    table = Table("", *columns, title_justify="left", header_style="bold", show_lines=True)
    for row in dict.fromkeys(row for row, _ in places):
        there = [places.get((row, column)) for column in columns]
        table.add_row(row, *(_coloured(study.view.lines(found)) if found else MISSING for found in there))
    return table


def _coloured(lines: list[str]) -> Text:
    text = Text("\n".join(lines))
    for status, colour in VERDICTS_IN_TERMINAL.items():
        text.highlight_words([status], colour)
    text.highlight_words(["≠"], "bold")
    text.highlight_words(["does not"], "red")
    return text


def summary(study: Study, cells: list[CellResult]) -> str:
    """How many cells agree with the paper, how many could differ, and the counts of verdicts."""
    compared = [cell for cell in cells if cell.agrees is not None]
    counts = Counter(
        cell.verdict or (NO_THEORY if cell.accuracy is not None else "not there") for cell in cells
    )
    verdicts = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    legend = agreement = ""
    if compared:
        legend = f"{study.view.legend}. " if study.view.legend else ""
        able = sum(min(cell.accuracy or 0, cell.cell.paper or 0) < SOLVED for cell in compared)
        agreement = (
            f"{sum(bool(cell.agrees) for cell in compared)} of {len(compared)} cells agree with the paper; "
            f"{able} could differ, in the others both accuracies are at least {SOLVED}. "
        )
    by_census = sum(cell.has_census for cell in cells)
    theory = cells[0].theory if cells else DEFAULT_THEORY
    return f"{legend}{agreement}Verdicts on the {theory} theory ({by_census} by census): {verdicts}."
