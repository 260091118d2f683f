"""The common style of figures for print, and how they are saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pconv._atomic import atomic_write

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
}


def save(draw: Callable[[], Figure], path: Path, dpi: int = 300) -> None:
    """Call `draw` under the common style and write its figure.

    Parameters
    ----------
    draw
        Draws the figure.
    path
        The file; its ending decides the format.
    dpi
        Dots per inch of a PNG.
    """
    ending = path.suffix.lower()[1:]
    undated = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(ending)
    with rc_context(STYLE):
        figure = draw()
        with atomic_write(path, "output") as draft:
            figure.savefig(draft, format=ending, metadata=undated, bbox_inches="tight", dpi=dpi)


def legend_below(axes: Any, patches: list[Patch], columns: int) -> None:
    """Draws a legend without a frame below the axes.

    Parameters
    ----------
    axes
        The matplotlib axes.
    patches
        The entries of the legend.
    columns
        The number of columns.
    """
    axes.legend(
        handles=patches,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.01),
        ncols=columns,
        frameon=False,
        fontsize=7.5,
    )
