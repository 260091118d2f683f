"""The predicted time to the loss floor against the measured one, for runs that were held out of the fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pconv.config import RunConfig
from pconv.errors import InputError, PconvError
from pconv.pacing.fit import fit_law, measured_runs
from pconv.pacing.holdout import HeldOutRun, cross_comparisons
from pconv.report.figures.options import Source
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.palette import BLOCKS, GREY
from pconv.result import RunResult
from pconv.studies.directory import read_results

BAND = "#e9ecf0"
_KINDS = {
    "N = 32 or fewer": "#7f8fa6",
    "N = 33 to 4,999": BLOCKS["last"],
    "N = 5,000 or more": BLOCKS["mixed"],
}
_NAMED = 5  # runs that are named


@dataclass(frozen=True)
class Point:
    """A held-out run: predicted and measured steps; `reached` is false if it ended above the floor."""

    label: str
    primes: int
    predicted: float
    measured: float
    reached: bool
    covered: bool


@dataclass(frozen=True)
class PaceFigure:
    """Held-out runs, and the factors by which intervals reach below and above a prediction."""

    points: tuple[Point, ...]
    low: float
    high: float
    level: float


def pace_figure(results: Iterable[RunResult]) -> PaceFigure:
    """The record of runs, each predicted by a law that was fitted without its configuration."""
    runs = measured_runs(results)
    try:
        points, law = tuple(map(_point, cross_comparisons(runs))), fit_law(runs)
    except InputError as error:  # it names an option of `pconv pace`
        raise PconvError(f"the figure has {error.detail}") from None
    low, high = np.exp(law.quantiles).tolist()
    return PaceFigure(points, low, high, law.level)


def _point(found: HeldOutRun) -> Point:
    config = found.run.config
    return Point(
        short_label(config), config.primes, found.predicted, found.least, found.reached, found.covered
    )


def short_label(config: RunConfig) -> str:
    """The label of a run without the columns, which the colour shows.

    >>> short_label(RunConfig(modulus=7, primes=5_000, seed=1))
    'm=7, B=8, k=7, seed 1'
    """
    columns = f"N={config.primes:,}"
    return ", ".join(part for part in config.label().split(", ") if part != columns)


def from_options(source: Source = None, *, store: Path) -> PaceFigure:
    """Predicted against measured steps to the loss floor, of runs that were held out of the fit."""
    return pace_figure(read_results(source or store))


def draw_pace(record: PaceFigure) -> Figure:
    """A point for each run; the diagonal is a right prediction, the band an interval."""
    figure = Figure(figsize=(5.4, 5.2), layout="constrained")
    axes: Any = figure.subplots()
    every = [value for point in record.points for value in (point.predicted, point.measured)]
    ends = np.array([0.7 * min(every), 1.4 * max(every)])
    axes.fill_between(ends, record.low * ends, record.high * ends, color=BAND, zorder=0)
    axes.plot(ends, ends, color=GREY, linewidth=0.7, zorder=1)
    for name, colour in _KINDS.items():
        _draw_points(axes, [point for point in record.points if _kind(point) == name], name, colour)
    censored = [point for point in record.points if not point.reached]
    places = [point.predicted for point in censored], [point.measured for point in censored]
    axes.scatter(*places, marker="^", s=34, facecolors="none", edgecolors="black", linewidths=0.8, zorder=4)
    if censored:
        axes.scatter(
            [], [], marker="^", s=34, facecolors="none", edgecolors="black", label="ended above the floor"
        )
    _name_far(axes, record.points)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, aspect="equal")
    axes.set(xlabel="predicted steps to the loss floor", ylabel="measured steps")
    inside = sum(point.covered for point in record.points)
    share = f"{inside} of {len(record.points)} ({inside / len(record.points):.0%})"
    axes.set_title(f"Held-out configurations: {share} in their {record.level:.0%} intervals", fontsize=9)
    axes.legend(frameon=False, fontsize=7.5, loc="upper left")
    return figure


def _draw_points(axes: Any, points: Sequence[Point], name: str, colour: str) -> None:
    if points:
        places = [point.predicted for point in points], [point.measured for point in points]
        axes.scatter(*places, s=11, color=colour, label=name, zorder=3, linewidths=0)


def _kind(point: Point) -> str:
    small, middle, large = _KINDS
    return small if point.primes <= 32 else middle if point.primes < 5_000 else large


def _name_far(axes: Any, points: Sequence[Point]) -> None:
    """Names the runs furthest above their intervals: those that learned much more slowly than predicted. Runs
    of one height, such as those that ended above the floor, are named together beside the leftmost one."""
    late = [point for point in points if not point.covered and point.measured > point.predicted]
    named = sorted(late, key=lambda each: each.predicted / each.measured)[:_NAMED]
    for height in sorted({point.measured for point in named}):
        group = sorted(
            (point for point in named if point.measured == height), key=lambda each: each.predicted
        )
        names = "\n".join(point.label for point in group)
        place = {"xytext": (-5, 6), "textcoords": "offset points", "ha": "right", "va": "top"}
        axes.annotate(names, (group[0].predicted, height), fontsize=6.5, color=GREY, **place)


FIGURES.add(FigureSpec("pace", from_options, draw_pace))
