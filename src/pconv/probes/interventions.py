"""Interventions on the grid: cells are hidden or changed, and the answer must follow the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from pconv._arrays import IntArray
from pconv.probes.finding import Finding, Standard, share_finding
from pconv.probes.heatmap import HeatMap, cell_map, drawn_columns
from pconv.probes.reader import NO_CLASS, Grids, SignatureReader
from pconv.probes.registry import ProbeResult, register_probe
from pconv.probes.target import ProbeTarget
from pconv.theory.problem import row_name

NAME = "interventions"
WINDOWS = 5_000
_HIDDEN_IN = 200
"""The most windows in which a cell of the map is hidden."""


@dataclass(frozen=True)
class Intervention:
    """A change of windows, the same for the theory and for the network; `change` writes to its argument."""

    what: str
    change: Callable[[Grids], None]

    def apply(self, grids: Grids) -> Grids:
        changed = grids.copy()
        self.change(changed)
        return changed


def interventions(reader: SignatureReader) -> Iterator[Intervention]:
    """All interventions on the windows of a problem."""
    yield Intervention("touch nothing", lambda grids: None)  # the baseline of the others
    for i, offset in enumerate(reader.problem.offsets):
        yield Intervention(f"hide row {row_name(offset)}", _setting((slice(None), i)))
    own = reader.columns
    for factor, column in zip(reader.factors, own, strict=True):
        yield Intervention(f"hide the column of {factor.prime}", _setting((slice(None), slice(None), column)))
    others = np.setdiff1d(np.arange(len(reader.primes)), own)
    if len(others):
        yield Intervention("hide one column of a prime not dividing m", _hide_in_turn(others))
        kept = "hide all columns but those of primes dividing m"
        yield Intervention(kept, _setting((slice(None), slice(None), others)))
    for factor, column in zip(reader.factors, own, strict=True):
        yield Intervention(f"raise the exponent of {factor.prime} by 1 in one row", _step(column, 1))
        yield Intervention(f"lower the exponent of {factor.prime} by 1 in one row", _step(column, -1))
    if len(others):
        yield Intervention("raise the exponent of another prime by 1 in one row", _step_in_turn(others))


def _setting(cells: tuple[int | slice | IntArray, ...]) -> Callable[[Grids], None]:
    def change(grids: Grids) -> None:
        grids[cells] = 0

    return change


def _hide_in_turn(columns: IntArray) -> Callable[[Grids], None]:
    """Change one column in each window, a different one in turn."""

    def change(grids: Grids) -> None:
        windows = np.arange(len(grids))
        grids[windows, :, columns[windows % len(columns)]] = 0

    return change


def _step(column: int, by: int) -> Callable[[Grids], None]:
    """Raise an exponent in any row, or lower one that is not 0, a different row in turn."""

    def change(grids: Grids) -> None:
        windows = np.arange(len(grids))
        possible = grids[:, :, column] + by >= 0
        # the (window number mod count)-th possible row of each window
        wanted = windows % np.maximum(possible.sum(axis=1), 1)
        row = ((possible.cumsum(axis=1) - 1 == wanted[:, None]) & possible).argmax(axis=1)
        changeable = possible.any(axis=1)
        grids[windows[changeable], row[changeable], column] += by

    return change


def _step_in_turn(columns: IntArray) -> Callable[[Grids], None]:
    def change(grids: Grids) -> None:
        windows = np.arange(len(grids))
        # rows turn once for each round of columns: every cell takes its turn
        rows = windows // len(columns) % grids.shape[1]
        grids[windows, rows, columns[windows % len(columns)]] += 1

    return change


@register_probe(NAME, order=10)
def probe_interventions(target: ProbeTarget, standard: Standard) -> ProbeResult:
    """Every intervention, with a finding for answers that must stay and one for those that must change."""
    grids = target.grids(WINDOWS)
    findings: list[Finding] = []
    for intervention in interventions(target.reader):
        findings += _findings(target, grids, intervention, standard)
    return ProbeResult(findings, list(_cell_maps(target, grids)))


def _findings(
    target: ProbeTarget, grids: Grids, intervention: Intervention, standard: Standard
) -> Iterator[Finding]:
    reader, what = target.reader, intervention.what
    changed = intervention.apply(grids)
    before, after = reader.read(grids), reader.read(changed)  # the prediction: no network is asked yet
    answered = target.answered_groups(changed)
    stay, outside = after == before, after == NO_CLASS
    moved = ~stay & ~outside
    followed = answered == after
    if stay.any():
        predicted = "the evidence is untouched: the class stays"
        yield share_finding(NAME, what, predicted, followed[stay], standard)
    if moved.any():
        predicted = moves_in_words(reader, before[moved], after[moved])
        yield share_finding(NAME, what, predicted, followed[moved], standard)
    if outside.any():
        predicted = "nothing: no class looks like this"
        kept = f"{(answered == before)[outside].mean():.2%} keep their class"
        yield Finding(NAME, what, predicted, kept, None, int(outside.sum()))


def moves_in_words(reader: SignatureReader, before: IntArray, after: IntArray) -> str:
    """The predicted groups before and after an intervention, in a line.

    Parameters
    ----------
    reader
        The theory's reader, which names groups.
    before, after
        The predicted group of each window.
    """
    pairs = np.unique(np.stack([before, after], axis=1), axis=0)
    targets = np.unique(after)
    if len(targets) == 1:
        sources = ", ".join(reader.in_words(b) for b in pairs[:3, 0]) + (", .." if len(pairs) > 3 else "")
        return f"{sources} become {reader.in_words(targets[0])}"
    shown = "; ".join(f"{reader.in_words(b)} to {reader.in_words(a)}" for b, a in pairs[:3])
    return shown if len(pairs) <= 3 else f"{shown}; and {len(pairs) - 3} more such moves"


def _cell_maps(target: ProbeTarget, grids: Grids) -> Iterator[HeatMap]:
    """How often the answer leaves its group when the exponent in a cell is hidden, for each cell."""
    reader = target.reader
    columns = drawn_columns(reader)
    shape = (grids.shape[1], len(columns))
    said, seen = np.full(shape, np.nan), np.full(shape, np.nan)
    before, answered = reader.read(grids), target.answered_groups(grids)
    for i, j in np.ndindex(shape):
        present = np.flatnonzero(grids[:, i, columns[j]])[:_HIDDEN_IN]
        if len(present):
            hidden = grids[present]
            hidden[:, i, columns[j]] = 0
            said[i, j] = (reader.read(hidden) != before[present]).mean()
            seen[i, j] = (target.answered_groups(hidden) != answered[present]).mean()
    yield cell_map("theory: hiding the exponent in this cell changes the evidence", reader, said)
    yield cell_map("network: hiding the exponent in this cell changes the answer", reader, seen)
