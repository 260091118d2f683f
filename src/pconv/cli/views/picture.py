"""A predicted confusion pattern in the terminal."""

from __future__ import annotations

from rich.text import Text

from pconv.theory import BasePrediction
from pconv.theory.blocks import Kind, pattern_kinds, unsolved_parts

WIDEST = 36  # classes that fit into a terminal of 80 columns, two columns each
_STYLES = {Kind.ZERO: "magenta", Kind.LAST: "blue", Kind.OTHER: "green", Kind.MIXED: "red"}
_MEANINGS = {
    Kind.ZERO: "class 0",
    Kind.LAST: "another row is a multiple",
    Kind.OTHER: "identified otherwise",
    Kind.MIXED: "mixed",
}


def draw(says: BasePrediction) -> Text:
    """Rows are true classes, columns answers: filled cells are free, dots must stay empty."""
    kinds = pattern_kinds(says)
    text = Text(f"predicted confusion, {says.theory} (row: class, column: answer; dots: empty)\n")
    unsolved = [part.modulus for part in unsolved_parts(says)]
    if len(unsolved) == 1 and unsolved[0] < says.classes:
        text.append(f"the pattern modulo {unsolved[0]}, {says.classes // unsolved[0]} copies of it\n")
    width = len(str(says.classes - 1))
    for c, free in enumerate(says.pattern.tolist()):
        text.append(f"{c:>{width}} ", style="dim")
        for cell in free:
            text.append("██" if cell else " ·", style=_STYLES[kinds[c]] if cell else "dim")
        text.append("\n")
    for kind in Kind:
        if kind in kinds:
            text.append("██", style=_STYLES[kind])
            text.append(f" {_MEANINGS[kind]}  ")
    text.append("\n")
    return text
