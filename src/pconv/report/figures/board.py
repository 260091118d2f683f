"""The leaderboard of attribution methods: the score of each, and the metrics that it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pconv._json import read_json
from pconv.board.metrics import METRICS, SHOWN
from pconv.errors import InputError
from pconv.report.figures.options import Option
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.palette import BLOCKS, GREY

MOST_ROWS = 200
METHOD, CHEAT, TRUTH = BLOCKS["zero"], BLOCKS["mixed"], "#3a3f47"
_PANELS = ("score", *SHOWN)
_DOT: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 4}
_RING: dict[str, Any] = {**_DOT, "color": GREY, "markerfacecolor": "none", "markeredgewidth": 0.6}
_TITLES = {"present": "rank, present", "absent": "rank, absent"}


@dataclass(frozen=True)
class Bar:
    """A figure of one method: its value, its interval, and the value with random weights."""

    value: float | None
    low: float | None = None
    high: float | None = None
    twin: float | None = None


@dataclass(frozen=True)
class BoardRow:
    """A method with a bar in every panel."""

    name: str
    colour: str
    bars: Mapping[str, Bar]


@dataclass(frozen=True)
class BoardFigure:
    """The methods, the best first, and the truth itself last."""

    rows: tuple[BoardRow, ...]
    networks: int
    windows: int
    level: float  # the confidence of the intervals


def board_figure(document: Mapping[str, Any]) -> BoardFigure:
    """The record of a document that `pconv board --json` printed."""
    try:
        rows = [_row(row, CHEAT if row["cheat"] else METHOD) for row in document["methods"]]
        rows.append(_row(document["reference"], TRUTH))
        scored = document["networks"]  # a compiled network once for each seed
        names = {one["name"] for one in scored}
        windows = sum(int(one["windows"]) for one in scored)
        figure = BoardFigure(tuple(rows), len(names), windows, float(document["level"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError("file", "document", "is not what `pconv board --json` prints") from None
    if len(rows) > MOST_ROWS:
        raise InputError("file", "document", f"has more than {MOST_ROWS} methods")
    return figure


def _row(row: Mapping[str, Any], colour: str) -> BoardRow:
    bars = {"score": Bar(_number(row["score"]), _number(row["low"]), _number(row["high"]))}
    for name in _PANELS[1:]:
        low, high = row["intervals"][name]
        twin = _number(row["twin"][name]) if name in METRICS else None
        bars[name] = Bar(_number(row[name]), _number(low), _number(high), twin)
    return BoardRow(str(row["name"]), colour, bars)


def _number(value: Any) -> float | None:
    number = None if value is None else float(value)
    if number is not None and not isfinite(number):
        raise ValueError("is not finite")
    return number


def from_options(
    file: Annotated[Path, Option("What `pconv board --json` printed.", "FILE", positional=True)],
) -> BoardFigure:
    """The leaderboard: scores and metrics of attribution methods, with their intervals over seeds."""
    return board_figure(read_json(file, "file"))


def draw_board(record: BoardFigure) -> Figure:
    """A row for each method and a panel for each metric: points with intervals; rings with random weights."""
    figure = Figure(figsize=(9.6, 0.9 + 0.24 * len(record.rows)), layout="constrained")
    widths = [2.2, *[1] * (len(_PANELS) - 1)]
    panels: Sequence[Any] = figure.subplots(1, len(_PANELS), sharey=True, width_ratios=widths)
    for axes, name in zip(panels, _PANELS, strict=True):
        _draw_panel(axes, record.rows, name)
    panels[0].set_yticks(range(len(record.rows)), [row.name for row in record.rows])
    panels[0].set_ylim(len(record.rows) - 0.5, -0.5)
    for label, row in zip(panels[0].get_yticklabels(), record.rows, strict=True):
        label.set_color(row.colour)
        label.set_parse_math(False)  # a name may contain dollar signs
    intervals = f"bars: {record.level:.0%} intervals over seeds"
    title = f"{record.networks} networks, {record.windows:,} windows; {intervals}"
    figure.suptitle(title, fontsize=8, color=GREY)
    figure.legend(handles=_legend(), loc="outside lower center", ncols=4, frameon=False, fontsize=7.5)
    return figure


def _draw_panel(axes: Any, rows: Sequence[BoardRow], name: str) -> None:
    for y, row in enumerate(rows):
        bar = row.bars[name]
        if bar.low is not None and bar.high is not None:
            axes.plot([bar.low, bar.high], [y, y], color=row.colour, linewidth=1.2, zorder=2)
        if bar.twin is not None:
            axes.plot(bar.twin, y, **_RING)
        if bar.value is not None:
            axes.plot(bar.value, y, **_DOT, color=row.colour, zorder=3)
    axes.set_title(_TITLES.get(name, name), fontsize=8)
    axes.tick_params(labelsize=7.5, length=2)
    if name == "score":
        axes.axvline(0, color=GREY, linewidth=0.5)
    else:
        axes.set(xlim=(-0.06, 1.06))
        axes.set_xticks([0, 0.5, 1], ["0", "½", "1"])
    axes.grid(axis="y", color="#e9ecf0", linewidth=0.6)
    axes.set_axisbelow(True)


def _legend() -> list[Line2D]:
    dots = [("method", METHOD), ("cheat: ignores the network", CHEAT), ("the truth itself", TRUTH)]
    ring = Line2D([], [], **_RING, label="with random weights")
    return [*(Line2D([], [], **_DOT, color=colour, label=name) for name, colour in dots), ring]


FIGURES.add(FigureSpec("board", from_options, draw_board))
