"""Figures for print: the house style, and thin drawers of what runs gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from pconv.report.curves import Curve, LossFigure
from pconv.report.files import write_whole
from pconv.report.palette import BLOCKS, CURVES, GREY, LEAK, MEANINGS, NO_THEORY, VERDICTS, tint
from pconv.report.records import ConfusionFigure
from pconv.report.results import TableFigure

ENDINGS = (".pdf", ".svg", ".png")
STYLE: dict[Any, Any] = {
    "font.family": "serif",
    "font.serif": ["STIXGeneral", "DejaVu Serif"],
    "mathtext.fontset": "stix",
    "font.size": 9,
    "pdf.fonttype": 42,  # fonts as outlines that editors and publishers accept
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "pconv",  # the same figure is the same file
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 100,
    "savefig.dpi": 300,
}


def save(draw: Callable[[], Figure], path: Path) -> None:
    """Draw in the house style and write the file, whole or not at all."""
    ending = path.suffix.lower()[1:]
    undated = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(ending)
    with rc_context(STYLE):
        figure = draw()
        write_whole(
            path,
            lambda draft: figure.savefig(draft, format=ending, metadata=undated, bbox_inches="tight"),
        )


def _readable(colour: tuple[float, float, float]) -> str:
    red, green, blue = colour
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


CELL = 0.27
"""Inches a class: numbers of four digits stay readable."""


def draw_confusion(record: ConfusionFigure) -> Figure:
    """Rows are true classes, columns answers; with counts, a cell is the fuller the larger its share is."""
    m = record.modulus
    side = max(2.4, CELL * min(m, 32))
    figure = Figure(figsize=(side + 0.6, side + 1.2))
    axes: Any = figure.add_axes(
        (0.4 / (side + 0.6), 0.6 / (side + 1.2), side / (side + 0.6), side / (side + 1.2))
    )
    for i, kind in enumerate(record.kinds):
        _confusion_row(axes, record, i, BLOCKS.get(kind, NO_THEORY), 72 * side / m)
    axes.set(xlim=(0, m), ylim=(m, 0), title=record.title)
    ticks = range(0, m, 1 if m <= 32 else 4)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks([c + 0.5 for c in ticks], [str(c) for c in ticks])
    axes.tick_params(length=0, labelsize=7, labelcolor=GREY, labeltop=True, labelbottom=False)
    for spine in axes.spines.values():
        spine.set(visible=True, color="#bbbbbb")
    patches = [
        Patch(color=BLOCKS.get(kind, NO_THEORY), label=meaning)
        for kind, meaning in MEANINGS.items()
        if kind in record.kinds
    ]
    if _leaks(record):
        patches.append(Patch(color=tint(LEAK, 0.3), label="outside the prediction"))
    _legend(axes, patches, columns=2 if m < 20 else 3)
    return figure


def _legend(axes: Any, patches: list[Patch], columns: int) -> None:
    axes.legend(
        handles=patches,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.01),
        ncols=columns,
        frameon=False,
        fontsize=7.5,
    )


def _confusion_row(axes: Any, record: ConfusionFigure, i: int, colour: str, points: float) -> None:
    counts = record.counts[i] if record.counts else None
    total = max(1, sum(counts)) if counts else 1
    for j in range(record.modulus):
        free, count = record.free(i, j), counts[j] if counts else None
        if not free and not count:
            continue
        share = 1.0 if count is None else 0.07 + 0.93 * (count / total) ** 0.55 if count else 0.05
        shade = tint(colour if free else LEAK, share)
        axes.add_patch(Rectangle((j + 0.03, i + 0.03), 0.94, 0.94, facecolor=shade, linewidth=0))
        if count and points > 12:
            size = min(8.0, 0.82 * points / (0.5 * len(str(count))))
            axes.text(
                j + 0.5, i + 0.53, str(count), ha="center", va="center", fontsize=size, color=_readable(shade)
            )


def _leaks(record: ConfusionFigure) -> bool:
    counts = record.counts or ()
    return any(count and not record.free(i, j) for i, row in enumerate(counts) for j, count in enumerate(row))


def draw_losses(record: LossFigure) -> Figure:
    """A panel for each run, on one scale: training loss, held-out loss, and the floor where there is one."""
    count = len(record.curves)
    figure = Figure(figsize=(max(3.2, 2.3 * count), 2.2), layout="constrained")
    panels: Any = figure.subplots(1, count, sharey=True, squeeze=False)[0]
    for i, (axes, curve) in enumerate(zip(panels, record.curves, strict=True)):
        _draw_curve(axes, curve)
        name = f"({'abcdefghijklmnopqrstuvwxyz'[i % 26]}) {curve.label}" if count > 1 else curve.label
        axes.set(xlabel="step", title=name)
        axes.title.set_fontsize(9)
    panels[0].set(ylabel="loss", ylim=(0, None))  # once all is drawn: the panels share the scale
    for axes, curve in zip(panels, record.curves, strict=True):
        if axes is panels[0] or (curve.held_out and not record.curves[0].held_out):
            axes.legend(frameon=False, fontsize=7.5)
    figure.suptitle(record.title, fontsize=10)
    return figure


def _draw_curve(axes: Any, curve: Curve) -> None:
    steps = [curve.width * (k + 0.5) for k in range(len(curve.losses))]
    axes.plot(steps, _drawn(curve.losses), color=CURVES[0], linewidth=1, label="training loss")
    if curve.held_out:
        after, losses = zip(*curve.held_out, strict=True)
        look = {"color": CURVES[2], "linewidth": 1, "marker": "o", "markersize": 2}
        axes.plot(after, _drawn(losses), **look, label="held-out loss")
        lowest = [point for point in curve.held_out if point[0] == curve.chosen]
        ring = {"facecolors": "none", "edgecolors": "black", "linewidths": 0.8, "zorder": 3}
        axes.scatter(
            [step for step, _ in lowest],
            _drawn([loss for _, loss in lowest]),
            s=22,
            **ring,
            label="lowest held-out loss",
        )
    if curve.floor is not None:
        axes.axhline(curve.floor, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), label="loss floor")


def _drawn(losses: Sequence[float | None]) -> list[float]:
    return [float("nan") if loss is None else loss for loss in losses]


def draw_table(record: TableFigure) -> Figure:
    """Ours, the paper's and the ceiling, coloured by verdict."""
    columns, moduli = record.columns, record.moduli
    figure = Figure(figsize=(0.7 + 1.15 * len(columns), 0.8 + 0.24 * len(moduli)))
    axes: Any = figure.add_subplot()
    for j, column in enumerate(columns):
        axes.text(
            j + 0.5, -0.9, f"{column.window}, $k={column.kernel}$", ha="center", va="center", fontsize=7.5
        )
    for i, m in enumerate(moduli):
        axes.text(-0.12, i + 0.5, str(m), ha="right", va="center")
        for j, cell in enumerate(record.cells[i]):
            if cell is None:
                continue
            _verdict_patch(axes, j, i, VERDICTS.get(cell.status, GREY))
            axes.text(j + 0.3, i + 0.52, f"{cell.accuracy:.3f}", ha="center", va="center", fontsize=8)
            rest = f"{_known(cell.paper, 2)} / {_known(cell.ceiling, 3)}"
            axes.text(j + 0.71, i + 0.52, rest, ha="center", va="center", fontsize=5.8, color=GREY)
    axes.text(-0.12, -0.9, "$m$", ha="right", va="center")
    axes.set(xlim=(-0.5, len(columns)), ylim=(len(moduli) + 0.1, -1.8))
    axes.set_title(record.setting, fontsize=8)
    axes.set_axis_off()
    present = {cell.status for row in record.cells for cell in row if cell}
    patches = [Patch(color=VERDICTS[name], label=name) for name in VERDICTS if name in present]
    axes.text(len(columns) / 2, -1.45, "best epoch, paper / ceiling", ha="center", fontsize=7, color=GREY)
    _legend(axes, patches, columns=4)
    return figure


def _verdict_patch(axes: Any, left: float, top: float, colour: str) -> None:
    """A tint to read figures on, and a bar of the full colour, which differs in prints without colour too."""
    axes.add_patch(
        Rectangle((left + 0.02, top + 0.04), 0.96, 0.92, facecolor=tint(colour, 0.25), linewidth=0)
    )
    axes.add_patch(Rectangle((left + 0.02, top + 0.04), 0.05, 0.92, facecolor=colour, linewidth=0))


def _known(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
