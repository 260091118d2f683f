"""The windows of two classes that look the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pconv.config_args import parse_window
from pconv.data.factorization import PrimePower
from pconv.errors import InputError
from pconv.report.figures.options import Option
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.palette import BLOCKS, GREY
from pconv.result import Matrix
from pconv.theory import Problem
from pconv.theory.certificate import certificate
from pconv.theory.signature import valuation

MOST_ROWS = 200
"""The rows of a figure, which is then 46 inches high."""


@dataclass(frozen=True)
class WindowFigure:
    """The windows of a class and of one that looks the same: which rows are multiples of p, .., p^a."""

    modulus: int
    offsets: tuple[int, ...]
    factors: tuple[PrimePower, ...]
    classes: tuple[int, ...]  # the class, and the one that looks the same if there is one
    exponents: tuple[Matrix, ...]  # [class][row][prime of m], at most a


def window_figure(problem: Problem, residue: int) -> WindowFigure:
    """The record of a class's window and that of another class that looks the same.

    >>> window_figure(Problem(11, range(9)), 1).classes
    (1, 2)
    """
    m = problem.modulus
    if not 0 <= residue < m:
        raise InputError("class", residue, f"must be from 0 to {m - 1}")
    found = certificate(problem, residue)
    classes = (residue,) if found is None else (residue, found.classes[1])
    return WindowFigure(
        m,
        problem.offsets,
        problem.factors,
        classes,
        tuple(tuple(_row(problem, c + offset) for offset in problem.offsets) for c in classes),
    )


def _row(problem: Problem, number: int) -> tuple[int, ...]:
    return tuple(valuation(number, factor.prime, factor.exponent) for factor in problem.factors)


def from_options(
    modulus: int,
    successors: int | None = None,
    offsets: str | None = None,
    residue: Annotated[int, Option("The class to show.", "c", ("--class", "-c"))] = 1,
) -> WindowFigure:
    """The window of a class next to that of a class that looks the same."""
    rows = parse_window(successors, offsets)
    if len(rows) > MOST_ROWS:
        name, given = ("successors", successors) if offsets is None else ("offsets", offsets)
        raise InputError(name, given, f"a figure shows at most {MOST_ROWS} rows")
    return window_figure(Problem(modulus, rows), residue)


def draw_window(record: WindowFigure) -> Figure:
    """The windows of the classes next to each other, a row each offset."""
    rows, wide = len(record.offsets), 1.1 + 0.5 * len(record.factors)
    figure = Figure(figsize=(0.6 + wide * len(record.classes), 0.55 + 0.23 * rows))
    axes: Any = figure.add_subplot()
    for i, offset in enumerate(record.offsets):
        name = f"$n{offset:+d}$" if offset else "$n$"
        axes.text(-0.15, i + 0.5, name, ha="right", va="center", color=GREY)
        for k in range(len(record.classes)):
            axes.plot((k * wide, (k + 1) * wide - 0.2), (i + 1, i + 1), color="#dddddd", linewidth=0.6)
            _window_row(axes, record, k, i, k * wide)
    for k, residue in enumerate(record.classes):
        axes.text(k * wide + 0.1, -0.75, f"class {residue}", fontweight="bold", va="center")
    axes.set(xlim=(-0.6, wide * len(record.classes)), ylim=(rows + 0.1, -1.2))
    axes.set_axis_off()
    return figure


def _window_row(axes: Any, record: WindowFigure, k: int, i: int, left: float) -> None:
    """The residue of one row, and the powers of primes of m that divide it."""
    number = (record.classes[k] + record.offsets[i]) % record.modulus
    axes.text(left + 0.35, i + 0.52, str(number), ha="right", va="center", color=GREY)
    for j, ((p, a), exponent) in enumerate(zip(record.factors, record.exponents[k][i], strict=True)):
        if exponent:
            x, colour = left + 0.45 + 0.5 * j, BLOCKS["last"] if exponent == a else BLOCKS["other"]
            axes.add_patch(Rectangle((x, i + 0.1), 0.44, 0.8, color=colour, linewidth=0))
            power = f"${p}^{{{exponent}}}$" if exponent > 1 else f"${p}$"
            axes.text(x + 0.22, i + 0.52, power, ha="center", va="center")


FIGURES.add(FigureSpec("window", from_options, draw_window))
