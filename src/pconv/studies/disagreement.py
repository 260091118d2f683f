"""Cells that disagree with the paper, and on which side of the ceiling each figure lies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pconv.data.domain import VALIDATION_SIZE
from pconv.studies.cell import CellResult
from pconv.studies.paper import LEVEL


@dataclass(frozen=True)
class Disagreement:
    """A cell that does not agree with the paper's figure, and where both lie relative to the ceiling."""

    result: CellResult
    why: str


def side(accuracy: float, ceiling: float) -> str:
    """Whether an accuracy on 512 numbers is below, at or above a ceiling: exact binomial tests at 1%.

    The best epoch is chosen on the same numbers, so an accuracy may be above the ceiling by selection alone.

    >>> side(0.92, 0.911), side(0.38, 0.442), side(0.55, 0.442)
    ('at', 'below', 'above')
    """
    from pconv.evaluate.statistics import fewer_pvalue, more_pvalue

    correct = round(accuracy * VALIDATION_SIZE)
    if fewer_pvalue(correct, VALIDATION_SIZE, ceiling) < LEVEL:
        return "below"
    return "above" if more_pvalue(correct, VALIDATION_SIZE, ceiling) < LEVEL else "at"


def disagreements(cells: Iterable[CellResult]) -> list[Disagreement]:
    """The cells that do not agree with the paper."""
    return [Disagreement(cell, _why(cell)) for cell in cells if cell.agrees is False]


def _why(cell: CellResult) -> str:
    assert cell.accuracy is not None
    assert cell.cell.paper is not None
    if cell.ceiling is None:
        return "the theory does not apply"
    ours, paper = side(cell.accuracy, cell.ceiling), side(cell.cell.paper, cell.ceiling)
    if ours == paper == "below":
        less = "ours" if cell.accuracy < cell.cell.paper else "the paper's"
        return f"both are below the ceiling, {less} further"
    if ours == paper:
        return f"both are {ours} the ceiling"
    return f"ours is {ours} the ceiling, the paper's {paper} it"
