"""Pictures of the theory for print: windows that look the same, and the map of all (m, B)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from pconv.report.palette import BLOCKS, GREY, VERDICTS, tint
from pconv.report.records import MapFigure, WindowFigure

SOLVED = tint(BLOCKS["zero"], 0.45)


def draw_window(record: WindowFigure) -> Figure:
    """The window of a class beside that of the class that looks the same."""
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
    """The class of one row, and the powers of primes of m that divide it."""
    number = (record.classes[k] + record.offsets[i]) % record.modulus
    axes.text(left + 0.35, i + 0.52, str(number), ha="right", va="center", color=GREY)
    for j, ((p, a), exponent) in enumerate(zip(record.factors, record.exponents[k][i], strict=True)):
        if exponent:
            x, colour = left + 0.45 + 0.5 * j, BLOCKS["last"] if exponent == a else BLOCKS["other"]
            axes.add_patch(Rectangle((x, i + 0.1), 0.44, 0.8, color=colour, linewidth=0))
            power = f"${p}^{{{exponent}}}$" if exponent > 1 else f"${p}$"
            axes.text(x + 0.22, i + 0.52, power, ha="center", va="center")


def draw_map(record: MapFigure) -> Figure:
    """Solved or not over (m, B), the totient boundary, and where the paper's pattern is another."""
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
    """The line below the first B that solves each modulus; it leaves the map where there is none."""
    top = record.successors[-1] + 1
    starts = zip(record.moduli, record.solved_from, strict=True)
    return [(m + side, min(start, top) - 0.5) for m, start in starts for side in (-0.5, 0.5)]


def _points(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in pairs], [y for _, y in pairs]
