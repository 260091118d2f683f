"""A small table, as plain text and as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True)
class Table:
    """Cells under a header.

    >>> print(Table("four rows", ("n", "2"), (("1", "0"), ("12", "2"))))
    four rows
     n  2
     1  0
    12  2
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        lines = (self.header, *self.rows)
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        aligned = ["  ".join(map(str.rjust, line, widths)) for line in lines]
        return "\n".join([self.caption, *aligned])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.header)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows
        )
        caption = f"<caption>{escape(self.caption)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_dict(self) -> dict[str, Any]:
        return {
            "caption": self.caption,
            "header": list(self.header),
            "rows": [list(row) for row in self.rows],
        }
