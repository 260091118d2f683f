"""A table of results for LaTeX."""

from __future__ import annotations

from pathlib import Path

from pconv.report.files import write_whole
from pconv.report.results import Cell, TableFigure

_SPECIAL = {c: f"\\{c}" for c in "&%#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
}


def latex_table(record: TableFigure) -> str:
    """The table as a `tabular` of the package booktabs: best epoch, the paper's figure, the ceiling."""
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
        lines.append(" & ".join([str(m), *map(_cell, row)]) + r" \\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is; what is between dollars stays mathematics.

    >>> escaped("$B=8$ & 50%")
    '$B=8$ \\\\& 50\\\\%'
    """
    parts = text.split("$")
    if len(parts) % 2 == 0:
        return "".join(_SPECIAL.get(c, c) for c in text).replace("$", r"\$")
    return "$".join(
        part if i % 2 else "".join(_SPECIAL.get(c, c) for c in part) for i, part in enumerate(parts)
    )


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "--"
    figures = [f"{cell.accuracy:.3f}"]
    figures.append("--" if cell.paper is None else f"{cell.paper:.2f}")
    figures.append("--" if cell.ceiling is None else f"{cell.ceiling:.3f}")
    return " / ".join(figures)


def write_table(record: TableFigure, path: Path) -> None:
    """Write the table, whole or not at all."""
    text = latex_table(record)
    write_whole(path, lambda draft: draft.write_text(text, "utf-8"))
