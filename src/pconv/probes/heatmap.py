"""Heat maps: a small matrix with its labels, and how to draw several on one sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pconv import _notebook_html as html
from pconv._arrays import IntArray
from pconv._atomic import atomic_write
from pconv.errors import InputError
from pconv.probes.reader import SignatureReader
from pconv.theory.problem import row_name

FORMATS = (".png", ".svg", ".pdf")
_COLUMNS_DRAWN = 32


@dataclass(frozen=True)
class HeatMap:
    """A matrix of values from `low` to `high`; NaN where there is none."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: NDArray[np.float64]
    low: float = 0
    high: float = 1

    def shades(self) -> NDArray[np.float64]:
        """The values as shares of the way from `low` to `high`."""
        return np.clip((self.values - self.low) / (self.high - self.low), 0, 1)

    def _repr_html_(self) -> str:
        scale = f"{self.title}: from {self.low:g} (dark) to {self.high:.2g} (bright)"
        return html.heat(scale, self.rows, self.columns, self.shades().tolist())

    def to_dict(self) -> dict[str, Any]:
        cells = [[None if np.isnan(v) else round(v, 6) for v in row] for row in self.values.tolist()]
        return {
            "title": self.title,
            "rows": list(self.rows),
            "columns": list(self.columns),
            "values": cells,
            "low": self.low,
            "high": self.high,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`, up to its rounding."""
        values = np.array(data["values"], dtype=np.float64)  # None becomes NaN
        rows, columns, low, high = tuple(data["rows"]), tuple(data["columns"]), data["low"], data["high"]
        if values.shape != (len(rows), len(columns)) or not values.size or not low < high:
            raise ValueError(f"values of shape {values.shape} from {low} to {high}")
        return cls(data["title"], rows, columns, values, low, high)


def drawn_columns(reader: SignatureReader) -> IntArray:
    """The columns that a map over row x prime shows: the first ones, and those of the primes of m."""
    return np.union1d(np.arange(min(_COLUMNS_DRAWN, len(reader.primes))), reader.columns).astype(np.int64)


def cell_map(title: str, reader: SignatureReader, values: NDArray[np.float64], high: float = 1) -> HeatMap:
    """A map over row x prime.

    Parameters
    ----------
    title
        The title.
    reader
        Its window and primes name the rows and columns.
    values
        A value for each row and drawn column.
    high
        The value at the end of the colour scale, which starts at 0.
    """
    primes = tuple(str(prime) for prime in reader.primes[drawn_columns(reader)])
    return HeatMap(title, tuple(map(row_name, reader.problem.offsets)), primes, values, 0, high)


def draw(maps: Sequence[HeatMap], path: Path, title: str) -> None:
    """Draw all maps below one another, on one sheet.

    Parameters
    ----------
    maps
        The maps, at least one.
    path
        The file; its ending decides the format.
    title
        The title of the sheet.
    """
    if not maps:
        raise InputError("figure", path, "the probes that were run draw no map")
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # needs no display
    from matplotlib.figure import Figure

    heights = [0.9 + 0.2 * len(heat.rows) for heat in maps]
    figure = Figure(figsize=(9, 0.5 + sum(heights)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    panels = figure.subplots(len(maps), 1, squeeze=False, gridspec_kw={"height_ratios": heights})
    for panel, heat in zip(panels[:, 0], maps, strict=True):
        panel.set_facecolor("0.85")  # cells without a value stay grey
        image = panel.imshow(heat.values, cmap="viridis", vmin=heat.low, vmax=heat.high, aspect="auto")
        panel.set_title(heat.title, fontsize=9)
        panel.set_xticks(range(len(heat.columns)), heat.columns, fontsize=6)
        panel.set_yticks(range(len(heat.rows)), heat.rows, fontsize=6)
        figure.colorbar(image, ax=panel)
    with atomic_write(path, "figure") as draft:
        figure.savefig(draft, dpi=150, format=path.suffix.lower()[1:])
