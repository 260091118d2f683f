"""The picture of the packages, drawn from the import contract: `python docs/draw_modules.py`.

Layers are read from pyproject.toml: the tests hold the picture against it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/images/modules.svg"
WIDTH, ROW, BOX = 760, 64, 40

SAYS = {
    "cli": "a command, and its answer",
    "estimator": "for scikit-learn",
    "report": "a page, figures",
    "lab": "many runs, kept in a store",
    "verify": "prediction + result → verdict",
    "theory": "question → prediction",
    "learn": "numbers → trained network → result",
    "arithmetic": "numbers → prime grids",
    "config": "what a run is: its id",
    "result": "what came out",
    "asked": "what was asked for",
    "registry": "by name",
    "disk": "whole files",
    "html": "in notebooks",
    "words": "as one says it",
    "errors": "one clear line",
}


def layers() -> list[list[str]]:
    """The import contract, the top first; packages of one layer do not know each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return [[name.removeprefix("pconv.") for name in layer.split(" | ")] for layer in contracts[0]["layers"]]


def picture() -> str:
    """The layers as rows of boxes, an arrow from each to what it may use."""
    rows = layers()
    height = ROW * len(rows) + 16
    below = [*rows[1:], []]
    drawn = "".join(_row(rows[i], below[i], 12 + ROW * i) for i in range(len(rows)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="sans-serif" font-size="14" role="img">\n'
        "<title>The packages of pconv: each imports only what stands below it</title>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n'
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 10 5 0 10z" fill="#666"/></marker></defs>\n'
        f"{drawn}</svg>\n"
    )


def _row(names: list[str], below: list[str], top: int) -> str:
    boxes = "".join(
        _box(name, left, top, width) for name, (left, width) in zip(names, _places(names), strict=True)
    )
    finer = max(names, below, key=len) if below else []
    return boxes + "".join(_arrow(left + width / 2, top) for left, width in _places(finer))


def _places(names: list[str]) -> list[tuple[float, float]]:
    """Left edge and width of each box of a layer; together they span the picture."""
    gap = 24
    width = (WIDTH - 32 - gap * (len(names) - 1)) / max(1, len(names))
    return [(16 + i * (width + gap), width) for i in range(len(names))]


def _box(name: str, left: float, top: int, width: float) -> str:
    return (
        f'<rect x="{left:g}" y="{top}" width="{width:g}" height="{BOX}" rx="6" '
        'fill="#eef3fa" stroke="#35618f"/>\n'
        f'<text x="{left + 12:g}" y="{top + 25}" font-weight="bold" fill="#14324f">{name}</text>\n'
        f'<text x="{left + width - 12:g}" y="{top + 25}" text-anchor="end" fill="#333">{SAYS[name]}</text>\n'
    )


def _arrow(middle: float, top: int) -> str:
    return (
        f'<line x1="{middle:g}" y1="{top + BOX}" x2="{middle:g}" y2="{top + ROW - 2}" stroke="#666" '
        'marker-end="url(#tip)"/>\n'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
