"""The picture of the packages, drawn from the import contract: `python docs/draw_modules.py`.

Layers are read from pyproject.toml: the tests hold the picture against it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/images/modules.svg"
WIDTH, ROW, BOX = 760, 64, 40

CONTENTS = {
    "cli": "commands",
    "estimator": "for scikit-learn",
    "report": "figures, page, document",
    "discover": "answers → laws",
    "board": "attribution methods → ranking",
    "studies": "tables of the paper, our own, analyses",
    "sweeps": "one run or many, here or on a cluster",
    "pacing": "configuration → epochs to the floor",
    "store": "finished runs",
    "probes": "interventions on a trained network",
    "certification": "statements about all integers",
    "evaluate": "prediction + run → verdict",
    "compiler": "problem → weights",
    "theory": "problem → prediction",
    "training": "configuration → result",
    "engines": "training steps, census",
    "models": "networks and weights",
    "data": "numbers → prime grids",
    "result": "the record of a run",
    "config_args": "arguments → configuration",
    "config": "the configuration of a run, its id",
    "window": "sets of offsets",
    "config_fields": "how a field is declared",
    "registry": "objects by name",
    "errors": "one clear line",
}


TORCH = ("training", "engines", "models")  # what trains, and `theory` next to it, which imports none of it


def layers() -> list[list[str]]:
    """The import contract, the top first, without private modules; modules of a layer are independent."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rows = [[name.removeprefix("pconv.") for name in layer.split(" | ")] for layer in contracts[0]["layers"]]
    public = [[name for name in row if not name.startswith("_")] for row in rows]
    return [row for row in public if row]


def picture() -> str:
    """The layers as rows of boxes, an arrow from each to what it may import."""
    rows = layers()
    height = ROW * len(rows) + 16
    drawn = "".join(_row(rows, i) for i in range(len(rows)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="sans-serif" font-size="14" role="img">\n'
        "<title>The packages of pconv: each imports only what is below it</title>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n'
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 10 5 0 10z" fill="#666"/></marker></defs>\n'
        f"{drawn}</svg>\n"
    )


def _row(rows: list[list[str]], i: int) -> str:
    """The boxes of a layer with the arrows below them; `theory` is as high as the layers next to it."""
    names, top = rows[i], 12 + ROW * i
    if names[-1] in TORCH:
        (left, width), (right, _) = _places(2)
        tall = _box("theory", left, top, width, BOX + ROW * (len(TORCH) - 1)) if "theory" in names else ""
        return (
            tall
            + _box(names[-1], right, top, width)
            + _arrows(2 if names[-1] == TORCH[-1] else 1, top, right)
        )
    boxes = "".join(
        _box(name, left, top, width) for name, (left, width) in zip(names, _places(len(names)), strict=True)
    )
    below = rows[i + 1] if i + 1 < len(rows) else []
    return boxes + (_arrows(max(len(names), len(below)), top) if below else "")


def _places(count: int) -> list[tuple[float, float]]:
    """Left edge and width of each box of a layer; together they span the picture."""
    gap = 24
    width = (WIDTH - 32 - gap * (count - 1)) / count
    return [(16 + i * (width + gap), width) for i in range(count)]


def _arrows(count: int, top: int, right: float = 0) -> str:
    """Arrows to the next layer, evenly spaced; one alone may be in the right half."""
    if count == 1 and right:
        return _arrow(right + (WIDTH - 16 - right) / 2, top)
    return "".join(_arrow(left + width / 2, top) for left, width in _places(count))


def _box(name: str, left: float, top: int, width: float, height: int = BOX) -> str:
    return (
        f'<rect x="{left:g}" y="{top}" width="{width:g}" height="{height}" rx="6" '
        'fill="#eef3fa" stroke="#35618f"/>\n'
        f'<text x="{left + 12:g}" y="{top + 25}" font-weight="bold" fill="#14324f">{name}</text>\n'
        f'<text x="{left + width - 12:g}" y="{top + 25}" text-anchor="end" fill="#333">'
        f"{CONTENTS[name]}</text>\n"
    )


def _arrow(middle: float, top: int) -> str:
    return (
        f'<line x1="{middle:g}" y1="{top + BOX}" x2="{middle:g}" y2="{top + ROW - 2}" stroke="#666" '
        'marker-end="url(#tip)"/>\n'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
