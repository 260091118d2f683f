"""The laws of a search: how much each explains, by its size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from matplotlib.figure import Figure

from pconv._json import read_json
from pconv.errors import InputError
from pconv.report.figures.options import Option
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.palette import BLOCKS, GREY

FIRST, RIVAL, OTHERS = BLOCKS["zero"], BLOCKS["mixed"], "#b9bec6"
_NAMED = 4  # rivals that are named


@dataclass(frozen=True)
class Point:
    """A law: its formula, its size and how many runs it explains."""

    formula: str
    size: int
    explained: int


@dataclass(frozen=True)
class LawsFigure:
    """The front of laws, its rivals, and the sizes and fits of all others."""

    runs: int
    tried: int
    found: str | None
    front: tuple[Point, ...]
    rivals: tuple[Point, ...]
    others: tuple[tuple[int, int], ...]


def laws_figure(document: Mapping[str, Any]) -> LawsFigure:
    """The record of a document that `pconv discover --json` printed."""
    try:
        front = tuple(_point(law) for law in document["front"])
        shown = {point.formula for point in front}
        return LawsFigure(
            int(document["runs"]),
            int(document["tried"]),
            None if document["found"] is None else str(document["found"]),
            front,
            tuple(_point(law) for law in document["laws"] if str(law["formula"]) not in shown),
            tuple((int(size), int(explained)) for size, explained in document["fits"]),
        )
    except (KeyError, TypeError, ValueError):
        raise InputError(
            "file", "document", "is not what `pconv discover --json` prints for a search"
        ) from None


def _point(law: Mapping[str, Any]) -> Point:
    return Point(str(law["formula"]), int(law["size"]), int(law["explained"]))


def from_options(
    file: Annotated[Path, Option("What `pconv discover --json` printed.", "FILE", positional=True)],
) -> LawsFigure:
    """The laws that a search tried: runs explained against size, with the front and its rivals."""
    return laws_figure(read_json(file, "file"))


def draw_laws(record: LawsFigure) -> Figure:
    """A point for each size and number of runs; the front is a line."""
    figure = Figure(figsize=(5.6, 3.6), layout="constrained")
    axes: Any = figure.subplots()
    axes.scatter(
        *zip(*record.others, strict=True) if record.others else ([], []), s=5, color=OTHERS, zorder=1
    )
    sizes, explained = [point.size for point in record.front], [point.explained for point in record.front]
    axes.step(sizes, explained, where="post", color=FIRST, linewidth=1, zorder=2)
    axes.scatter(sizes, explained, s=24, color=FIRST, zorder=4, label="front")
    rivals = record.rivals[:_NAMED]
    places = [point.size for point in rivals], [point.explained for point in rivals]
    axes.scatter(*places, s=14, color=RIVAL, zorder=3, label="rivals")
    for point in record.front:
        _name(axes, point, FIRST, -5, "right")
    for point in rivals:
        _name(axes, point, RIVAL, 5, "left")
    largest = max((size for size, _ in record.others), default=1)
    axes.set(xlabel="symbols of the formula", ylabel="runs explained", xlim=(0, largest + 2))
    axes.set_xticks(range(1, largest + 1))
    axes.axhline(record.runs, color=GREY, linewidth=0.5, linestyle=":")
    what = record.found or "no law found"
    axes.set_title(f"{record.tried:,} laws on {record.runs} runs: {what}", fontsize=9)
    axes.legend(frameon=False, fontsize=7.5, loc="lower left")
    return figure


def _name(axes: Any, point: Point, colour: str, shift: int, side: str) -> None:
    place = {"xytext": (shift, 3), "textcoords": "offset points", "ha": side}
    axes.annotate(point.formula, (point.size, point.explained), fontsize=7, color=colour, **place)


FIGURES.add(FigureSpec("laws", from_options, draw_laws))
