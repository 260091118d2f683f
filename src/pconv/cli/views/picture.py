"""Confusion patterns and matrices in the terminal."""

from __future__ import annotations

from rich.text import Text

from pconv.result import Matrix
from pconv.studies.mixing import CONFUSED
from pconv.theory import BasePrediction
from pconv.theory.blocks import Kind, pattern_kinds, unsolved_parts

EMPTY = " ·"
"""A cell without any answer, in all matrices."""
WIDEST = 36  # classes that fit into a terminal of 80 columns, two columns each
_STYLES = {Kind.ZERO: "magenta", Kind.LAST: "blue", Kind.OTHER: "green", Kind.MIXED: "red"}
_BLOCKS = {Kind.ZERO: "░░", Kind.LAST: "▒▒", Kind.OTHER: "▓▓", Kind.MIXED: "██"}
"""The kinds where there is no colour to show them."""
_MEANINGS = {
    Kind.ZERO: "class 0",
    Kind.LAST: "another row is a multiple",
    Kind.OTHER: "identified otherwise",
    Kind.MIXED: "mixed",
}


def draw(prediction: BasePrediction, coloured: bool) -> Text:
    """A predicted pattern: rows are classes, columns answers; dots must be zero, other cells need not be.

    Parameters
    ----------
    prediction
        The prediction.
    coloured
        Whether colours show the kinds of classes; otherwise shades do.
    """
    kinds = pattern_kinds(prediction)
    text = Text(f"predicted confusion, {prediction.theory} (row: class, column: answer; dots: empty)\n")
    unsolved = [part.modulus for part in unsolved_parts(prediction)]
    if len(unsolved) == 1 and unsolved[0] < prediction.classes:
        text.append(f"the pattern modulo {unsolved[0]}, {prediction.classes // unsolved[0]} copies of it\n")
    width = len(str(prediction.classes - 1))
    for c, free in enumerate(prediction.pattern.tolist()):
        text.append(f"{c:>{width}} ", style="dim")
        for cell in free:
            text.append(_block(kinds[c], coloured) if cell else EMPTY, _STYLES[kinds[c]] if cell else "dim")
        text.append("\n")
    for kind in Kind:
        if kind in kinds:
            text.append(_block(kind, coloured), style=_STYLES[kind])
            text.append(f" {_MEANINGS[kind]}  ")
    text.append("\n")
    return text


def _block(kind: Kind, coloured: bool) -> str:
    return "██" if coloured else _BLOCKS[kind]


def draw_matrix(confusion: Matrix, where: str) -> Text:
    """A confusion matrix: rows are classes, columns answers; shades show shares of the class's answers.

    Parameters
    ----------
    confusion
        The matrix.
    where
        The numbers that were classified, for the title.
    """
    few = f"up to {CONFUSED:.0%}"
    text = Text(f"\nconfusion on {where} (row: class, column: answer; dots: empty, colons: {few})\n")
    width = len(str(len(confusion) - 1))
    for i, row in enumerate(confusion):
        text.append(f"{i:>{width}} ", style="dim")
        for j, count in enumerate(row):
            text.append(_shade(count, sum(row)), style="green" if i == j else "red" if count else "dim")
        text.append("\n")
    return text


def _shade(count: int, total: int) -> str:
    if count <= CONFUSED * total:
        return " :" if count else EMPTY
    return "░▒▓█"[min(3, 4 * count // total)] * 2
