"""HTML for the display of objects in notebooks, for light and dark themes, without external resources.

Text has the notebook's own colour; pictures have colours of medium lightness, visible in both themes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from math import isnan

from pconv._colours import VERDICTS

MOST_CLASSES = 64
"""The most classes that are drawn: with more, cells are too small to see."""

IDENTIFIED = "#4e86c6"
MIXED = "#d65f5f"
STRAY = "#8c8c8c"
# viridis from low to high, as matplotlib draws the same maps
SHADES = ("#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725")

Layer = tuple[str, float, Sequence[tuple[int, int]]]
"""A colour, its opacity, and the cells (row, column) that have it."""


def paragraph(text: str) -> str:
    return f'<p style="margin:.4em 0;max-width:46em">{escape(text)}</p>'


def title(text: str) -> str:
    return f'<p style="margin:.4em 0;font-weight:600">{escape(text)}</p>'


def badge(word: str) -> str:
    """A word on the background colour of the verdict of this name, or on grey.

    >>> badge("<odd>")
    '<span style="background:#8c8c8c;color:#000;border-radius:3px;padding:1px 6px">&lt;odd&gt;</span>'
    """
    ground = VERDICTS.get(word, STRAY)
    look = f"background:{ground};color:{text_colour(ground)};border-radius:3px;padding:1px 6px"
    return f'<span style="{look}">{escape(word)}</span>'


def text_colour(colour: str) -> str:
    """Black or white, whichever has the higher contrast.

    >>> text_colour("#d99000"), text_colour("#6b35a0")
    ('#000', '#fff')
    """
    red, green, blue = (_linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#000" if luminance > 0.179 else "#fff"  # 0.179: both have a contrast of 4.6 to 1


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def facts(pairs: Mapping[str, str]) -> str:
    """A table of names and values."""
    lines = (
        f'<tr><td style="text-align:left;opacity:.7">{escape(name)}</td>'
        f'<td style="text-align:left;max-width:28em;white-space:normal">{escape(value)}</td></tr>'
        for name, value in pairs.items()
    )
    return f'<table style="border:none;margin:0;color:inherit"><tbody>{"".join(lines)}</tbody></table>'


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table: the header is text, the cells are HTML."""
    left = ' style="text-align:left"'
    head = "".join(f"<th{left}>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td{left}>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table style="color:inherit"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def side_by_side(*pieces: str) -> str:
    """Pieces of HTML next to one another, or below one another where the page is narrow."""
    inner = "".join(f"<div>{piece}</div>" for piece in pieces if piece)
    return f'<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">{inner}</div>'


def folded(summary: str, content: str) -> str:
    """Content that is hidden until the summary is clicked."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def pattern(caption: str, free: Sequence[Sequence[bool]]) -> str:
    """A predicted confusion pattern: the cells that may be non-zero, of identified and of mixed classes."""
    filled = [(i, j) for i, row in enumerate(free) for j, cell in enumerate(row) if cell]
    alone = [(i, j) for i, j in filled if sum(free[i]) == 1]
    mixed = [(i, j) for i, j in filled if sum(free[i]) > 1]
    return _matrix(caption, len(free), [(IDENTIFIED, 1, alone), (MIXED, 1, mixed)])


def confusion(caption: str, counts: Sequence[Sequence[int]], colour: Callable[[int, int], str]) -> str:
    """A confusion matrix: the larger a cell's share of its class, the more opaque its colour.

    Parameters
    ----------
    caption
        The title of the picture.
    counts
        The matrix; rows are classes, columns answers.
    colour
        The function from (row, column) to the colour of the cell.
    """
    layers: dict[tuple[str, float], list[tuple[int, int]]] = {}
    for i, row in enumerate(counts if len(counts) <= MOST_CLASSES else ()):
        for j, count in enumerate(row):
            if count:
                layers.setdefault((colour(i, j), _opacity(count / sum(row))), []).append((i, j))
    return _matrix(caption, len(counts), [(*look, cells) for look, cells in layers.items()])


def _opacity(share: float) -> float:
    """The opacity of a share, in four steps; the lowest is still visible."""
    return 0.25 if share <= 0.01 else 0.5 if share < 0.25 else 0.75 if share < 0.5 else 1


def _matrix(caption: str, size: int, layers: Iterable[Layer]) -> str:
    if size > MOST_CLASSES:
        return paragraph(f"{caption}: not drawn above {MOST_CLASSES} classes.")
    named = range(0, size, 1 if size <= 24 else 5)
    names = {i: str(i) for i in named}
    side = max(5, min(16, 260 // size))
    return _picture(caption, (size, size), side, 10 / side, names, names, layers)


def heat(caption: str, rows: Sequence[str], columns: Sequence[str], shades: Sequence[Sequence[float]]) -> str:
    """A heat map.

    Parameters
    ----------
    caption
        The title of the picture.
    rows, columns
        The names of the rows and columns.
    shades
        Values from 0 to 1; nan leaves a cell empty.
    """
    if len(rows) > MOST_CLASSES or len(columns) > MOST_CLASSES:
        return paragraph(f"{caption}: not drawn at {len(rows)} x {len(columns)} cells.")
    steps: list[list[tuple[int, int]]] = [[] for _ in SHADES]
    for i, row in enumerate(shades):
        for j, shade in enumerate(row):
            if not isnan(shade):
                steps[min(int(shade * len(SHADES)), len(SHADES) - 1)].append((i, j))
    layers = [(colour, 1.0, cells) for colour, cells in zip(SHADES, steps, strict=True)]
    names = dict(enumerate(rows)), dict(enumerate(columns))
    return _picture(caption, (len(rows), len(columns)), 20, 0.6, *names, layers)


def _picture(
    caption: str,
    shape: tuple[int, int],
    side: int,
    letters: float,
    rows: Mapping[int, str],
    columns: Mapping[int, str],
    layers: Iterable[Layer],
) -> str:
    """An SVG picture of cells `side` points wide, a path per layer; `letters` is the font size in cells."""
    left = 0.3 + letters * (0.4 + 0.6 * max(map(len, rows.values()), default=0))
    wide, high, top = shape[1] + left + 0.2, shape[0] + 1.6 * letters + 0.3, 1.6 * letters
    paths = "".join(_path(*layer) for layer in layers)
    names = "".join(f'<text x="-.3" y="{i + 0.75}">{escape(name)}</text>' for i, name in rows.items())
    heads = "".join(f'<text x="{j + 0.5}" y="-.4">{escape(name)}</text>' for j, name in columns.items())
    return (
        f"{title(caption)}"
        f'<svg role="img" aria-label="{escape(caption)}" fill="currentColor" font-size="{letters:.2f}" '
        f'width="{wide * side:.0f}" height="{high * side:.0f}" style="max-width:100%" '
        f'viewBox="{-left:.2f} {-top:.2f} {wide:.2f} {high:.2f}">{paths}'
        f'<rect width="{shape[1]}" height="{shape[0]}" fill="none" stroke="currentColor" stroke-width=".05"/>'
        f'<g text-anchor="end">{names}</g><g text-anchor="middle">{heads}</g></svg>'
    )


def _path(colour: str, opacity: float, cells: Iterable[tuple[int, int]]) -> str:
    squares = "".join(f"M{j} {i}h1v1h-1z" for i, j in cells)
    return f'<path fill="{colour}" fill-opacity="{opacity:g}" d="{squares}"/>'
