"""The studies that reproduce the paper's tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pconv.studies import axes
from pconv.studies.axes import Label, both
from pconv.studies.cell import StudyCell
from pconv.studies.paper import MAIN_TABLES, PATTERN_EPOCHS, Printed, printed
from pconv.studies.study import Study
from pconv.studies.views import CONFUSION, LOSS, TIME

HEADLINE_MODULI = (7, 11, 16, 25, 22, 30)
"""Prime, prime power and composite moduli, solved and not at B=8."""
_WINDOW = both(axes.successors, axes.kernel)


def _cell(figure: Printed, row: Label, column: Label) -> StudyCell:
    config = figure.config
    return StudyCell(row(config), column(config), config, figure.accuracy, figure.minutes)


def _reproduced(table: str, row: Label, column: Label, **options: Any) -> Study:
    """The study of a table of the paper, in the paper's layout."""

    def build(preset: str) -> Iterator[StudyCell]:
        return (_cell(figure, row, column) for figure in printed(table, preset))

    return Study(table, f"The paper's {table.replace('-', ' ')}", build, table=table, **options)


def _headline(preset: str) -> Iterator[StudyCell]:
    figures = {
        (figure.config.modulus, figure.config.rows): figure
        for table in MAIN_TABLES
        for figure in printed(table, preset)
    }
    for modulus in HEADLINE_MODULI:
        yield _cell(figures[modulus, 9], axes.modulus, _WINDOW)


PAPER_STUDIES = (
    *(_reproduced(table, axes.modulus, _WINDOW) for table in MAIN_TABLES),
    _reproduced("channels", axes.channels, axes.modulus),
    _reproduced("layers", axes.channels, axes.modulus),
    _reproduced("epochs", axes.epochs, axes.modulus, snapshots=PATTERN_EPOCHS),
    _reproduced("batches", axes.batches, axes.modulus),
    _reproduced(
        "locality",
        _WINDOW,
        axes.modulus,
        view=TIME,
        early_stop=False,
        in_document=False,  # the document has a section on times
    ),
    _reproduced("kernels", both(axes.modulus, axes.successors), axes.kernel),
    _reproduced("confusions", axes.modulus, _WINDOW, view=CONFUSION),
    _reproduced(
        "losses",
        axes.modulus,
        axes.kernel,
        view=LOSS,
        early_stop=False,
        exports_curves=True,
        in_document=False,  # its curves are a figure, and its kernels an analysis
    ),
    Study(
        "headline",
        "Does every regime come out as the paper and the theory say?",
        _headline,
        in_document=False,  # its cells are in the main tables
    ),
)
