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


def draw(prediction: BasePrediction) -> Text:
    """Rows are classes, columns answers; filled cells may be non-zero, dots must be zero."""
    kinds = pattern_kinds(prediction)
    text = Text(f"predicted confusion, {prediction.theory} (row: class, column: answer; dots: empty)\n")
    unsolved = [part.modulus for part in unsolved_parts(prediction)]
    if len(unsolved) == 1 and unsolved[0] < prediction.classes:
        text.append(f"the pattern modulo {unsolved[0]}, {prediction.classes // unsolved[0]} copies of it\n")
    width = len(str(prediction.classes - 1))
    for c, free in enumerate(prediction.pattern.tolist()):
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
