"""The map of all (m, B): which moduli are solved by which window, and where the theories differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from pconv._colours import VERDICTS
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.evaluate.predict_run import problem_of
from pconv.report.figures.options import Option
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.load import chosen_runs
from pconv.report.palette import BLOCKS, GREY, tint
from pconv.result import Matrix
from pconv.store.run import JudgedRun
from pconv.theory import design_window, predict, theories
from pconv.theory.crucial import differing_classes
from pconv.window import successor_window

SOLVED = tint(BLOCKS["zero"], 0.45)


@dataclass(frozen=True)
class MapFigure:
    """For all (m, B): how many classes can be distinguished, and where the paper's pattern differs.

    `distinguishable[i][j]` is the number of classes for `moduli[i]` and `successors[j]`; `solved_from[i]` is
    the smallest B with which all classes can be distinguished.
    """

    moduli: tuple[int, ...]
    successors: tuple[int, ...]
    distinguishable: Matrix
    solved_from: tuple[int, ...]
    disputed: tuple[tuple[int, int], ...]  # (m, B)
    runs: tuple[tuple[int, int, str], ...] = ()  # (m, B, verdict)

    def solved(self, i: int, j: int) -> bool:
        return self.distinguishable[i][j] == self.moduli[i]


def map_figure(
    moduli: Iterable[int], counts: Iterable[int], runs: Iterable[tuple[int, int, str]] = ()
) -> MapFigure:
    """The record of the map.

    Parameters
    ----------
    moduli, counts
        The moduli m, and the numbers B of successors.
    runs
        Runs to mark, as (m, B, verdict); those outside the map are left out.

    Examples
    --------
    >>> map_figure([7, 11], [8]).distinguishable
    ((7,), (10,))
    """
    moduli, windows = tuple(moduli), {count: successor_window(count) for count in counts}
    predicted = [[predict(m, window) for window in windows.values()] for m in moduli]
    paper = theories()["paper"]
    disputed = []
    for row in predicted:
        for prediction in row:
            rival = paper.predict(prediction.problem)
            if rival is not None and differing_classes(prediction, rival):
                disputed.append((prediction.modulus, prediction.problem.rows - 1))
    return MapFigure(
        moduli,
        tuple(windows),
        tuple(tuple(prediction.distinguishable for prediction in row) for row in predicted),
        tuple(design_window(m).successors for m in moduli),
        tuple(disputed),
        tuple(run for run in runs if run[0] in moduli and run[1] in windows),
    )


def marks(runs: Iterable[JudgedRun]) -> list[tuple[int, int, str]]:
    """The runs that have a place on the map, as (m, B, verdict)."""
    return [
        (run.config.modulus, run.config.successors, run.status)
        for run in runs
        if run.config.successors is not None and _plain(run.config)
    ]


def _plain(config: RunConfig) -> bool:
    """Whether the run has a place on the map: the default representation and task, and all primes of m."""
    if any(getattr(config, name) != getattr(RunConfig, name) for name in ("representation", "task")):
        return False
    problem = problem_of(config)
    return all(problem.sees(factor.prime) for factor in problem.factors)


def from_options(
    max_modulus: Annotated[int, Option("The largest m.", "m")] = 64,
    max_successors: Annotated[int, Option("The largest B.", "B")] = 32,
    store: Annotated[Path | None, Option("Mark the runs of this store.", "FILE")] = None,
) -> MapFigure:
    """The moduli that are solved, over all (m, B), with the totient boundary."""
    for name, value, low, high in (
        ("max_modulus", max_modulus, 2, 256),
        ("max_successors", max_successors, 0, 128),
    ):
        if not low <= value <= high:
            raise InputError(name, value, f"must be from {low} to {high}")
    runs = marks(chosen_runs(None, store)) if store else ()
    return map_figure(range(2, max_modulus + 1), range(max_successors + 1), runs)


def draw_map(record: MapFigure) -> Figure:
    """Solved or not for every (m, B), the totient boundary, and where the paper's pattern differs."""
    moduli, counts = record.moduli, record.successors
    figure = Figure(figsize=(max(3.0, 0.105 * len(moduli) + 0.8), max(2.0, 0.105 * len(counts) + 0.9)))
    axes: Any = figure.add_subplot()
    for i, m in enumerate(moduli):
        for j, count in enumerate(counts):
            open_share = 1 - record.distinguishable[i][j] / m
            shade = tint(BLOCKS["mixed"], 0.12 + 0.8 * open_share) if open_share else SOLVED
            axes.add_patch(Rectangle((m - 0.47, count - 0.47), 0.94, 0.94, facecolor=shade, linewidth=0))
    differ = axes.scatter(*_points(record.disputed), marker="+", color="black", s=7, linewidths=0.6)
    [line] = axes.plot(*_points(_edge(record)), color="black", linewidth=1.1)
    for m, count, status in record.runs:
        colour = VERDICTS.get(status, GREY)
        axes.scatter([m], [count], s=9, color=colour, edgecolors="black", linewidths=0.4, zorder=3)
    limits = {"xlim": (moduli[0] - 0.5, moduli[-1] + 0.5), "ylim": (counts[0] - 0.5, counts[-1] + 0.5)}
    axes.set(**limits, aspect="equal", xlabel="modulus $m$", ylabel="successors $B$")
    axes.legend(
        [Patch(color=SOLVED), Patch(color=tint(BLOCKS["mixed"], 0.6)), line, differ],
        ["solved", "not solved", r"$B+1 = \max\,\varphi(p^a)$", "signature and paper differ"],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.18),
        ncols=4,
        frameon=False,
        fontsize=7.5,
    )
    return figure


def _edge(record: MapFigure) -> list[tuple[float, float]]:
    """The line below the smallest B that solves each modulus; above the map where none does."""
    top = record.successors[-1] + 1
    starts = zip(record.moduli, record.solved_from, strict=True)
    return [(m + side, min(start, top) - 0.5) for m, start in starts for side in (-0.5, 0.5)]


def _points(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in pairs], [y for _, y in pairs]


FIGURES.add(FigureSpec("map", from_options, draw_map))
