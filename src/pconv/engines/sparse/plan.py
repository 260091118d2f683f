"""Where a batch's grids differ from the empty window, layer by layer: found once, before any arithmetic.

A *site* is one column of one window's feature map. Of an almost empty grid few columns are touched by a prime
factor; all others hold the network's response to the empty window, the same for every batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pconv.data.grid import PrimeGrid


@dataclass(frozen=True)
class Sites:
    """The sites of one map, ordered by window and then by column.

    Each carries the rows that may deviate and the sites of the map before it that it is computed from: its
    two columns of convolution, pooled into one, read kernel + 1 columns.
    """

    pointer: NDArray[np.int64]  # (windows + 1,): sites pointer[w]:pointer[w+1] belong to window w
    column: NDArray[np.int32]
    rows: NDArray[np.int32]  # (sites, 2): first row, and the one past the last
    source: NDArray[np.int64]  # (sites, 2): the same, among the sites of the map before

    @property
    def count(self) -> int:
        return len(self.column)


@dataclass(frozen=True)
class Plan:
    """The sites of the input and of every pooled map, and the last ones in the order of their columns."""

    values: NDArray[np.float32]  # (input sites, rows, 1)
    maps: tuple[Sites, ...]  # the input, then each layer's pooled map
    order: NDArray[np.int64]  # the sites of the last map, by column, and by rows within one
    column_pointer: NDArray[np.int64]  # (pooled columns + 1,) into `order`
    window: NDArray[np.int32]  # the window of each site of the last map


def plan(grid: PrimeGrid, kernels: Sequence[int]) -> Plan:
    """The plan of one batch."""
    values, sites = _input_sites(grid)
    maps = [sites]
    rows, columns = grid.rows, grid.columns
    for kernel in kernels:
        rows, columns = rows // 2, columns // 2
        maps.append(_pooled_sites(maps[-1], kernel, rows, columns))
    last = maps[-1]
    order, column_pointer = by_column(last.rows, last.column, rows, columns)
    window = np.repeat(np.arange(grid.count, dtype=np.int32), np.diff(last.pointer))
    return Plan(values, tuple(maps), order, column_pointer, window)


@njit(cache=True, nogil=True)
def by_column(rows: Any, column: Any, height: int, columns: int) -> Any:
    """The sites that have rows, by column and by rows within one, and where each column's begin. Neighbours
    in a column are computed together, over the rows of all: those should be much the same."""
    some = np.flatnonzero(rows[:, 0] < rows[:, 1])
    by_end, _ = _sorted_by(rows[:, 1], height + 1, some)
    by_rows, _ = _sorted_by(rows[:, 0], height + 1, by_end)
    return _sorted_by(column, columns, by_rows)


@njit(cache=True, nogil=True)
def _sorted_by(key: Any, keys: int, before: Any) -> Any:
    """Sites by key (0 .. keys-1), those of one key as they were before, and where each key's begin."""
    pointer = np.zeros(keys + 1, dtype=np.int64)
    for site in before:
        pointer[key[site] + 1] += 1
    for k in range(keys):
        pointer[k + 1] += pointer[k]
    free = pointer[:-1].copy()
    order = np.empty(len(before), dtype=np.int64)
    for site in before:
        order[free[key[site]]] = site
        free[key[site]] += 1
    return order, pointer


def _input_sites(grid: PrimeGrid) -> tuple[NDArray[np.float32], Sites]:
    most = len(grid.indices)
    pointer = np.zeros(grid.count + 1, dtype=np.int64)
    column = np.empty(most, dtype=np.int32)
    rows = np.empty((most, 2), dtype=np.int32)
    values = np.zeros((most, grid.rows), dtype=np.float32)
    place = np.full(grid.columns, -1, dtype=np.int64)
    _gather(grid.indptr, grid.indices, grid.values, place, pointer, column, rows, values)
    used = int(pointer[-1])
    sites = Sites(pointer, column[:used], rows[:used], np.empty((0, 2), dtype=np.int64))
    return values[:used, :, None], sites


@njit(cache=True, nogil=True)
def _gather(
    indptr: Any,
    indices: Any,
    entries: Any,
    place: Any,
    pointer: Any,
    column: Any,
    rows: Any,
    values: Any,
) -> None:
    """The entries of each window, which come row by row, brought together column by column."""
    height = values.shape[1]
    used = 0
    for window in range(len(pointer) - 1):
        first = used
        for entry in range(indptr[window * height], indptr[(window + 1) * height]):
            if place[indices[entry]] < 0:
                place[indices[entry]] = used
                column[used] = indices[entry]
                used += 1
        column[first:used].sort()
        for site in range(first, used):
            place[column[site]] = site
            rows[site, 0] = height
        for row in range(height):
            for entry in range(indptr[window * height + row], indptr[window * height + row + 1]):
                site = place[indices[entry]]
                values[site, row] = entries[entry]
                rows[site, 0] = min(rows[site, 0], row)
                rows[site, 1] = row + 1
        for site in range(first, used):
            place[column[site]] = -1
        pointer[window + 1] = used


def _pooled_sites(before: Sites, kernel: int, rows: int, columns: int) -> Sites:
    windows = len(before.pointer) - 1
    reach = kernel // 2 + 1  # an input column touches at most this many pooled columns
    most = min(windows * columns, before.count * reach)
    pointer = np.zeros(windows + 1, dtype=np.int64)
    column = np.empty(most, dtype=np.int32)
    touched = np.empty((most, 2), dtype=np.int32)
    source = np.empty((most, 2), dtype=np.int64)
    _spread(
        before.pointer,
        before.column,
        before.rows,
        (kernel // 2, rows, columns),
        pointer,
        column,
        touched,
        source,
    )
    used = int(pointer[-1])
    return Sites(pointer, column[:used], touched[:used], source[:used])


@njit(cache=True, nogil=True)
def _spread(
    pointer: Any,
    column: Any,
    rows: Any,
    shape: Any,
    out_pointer: Any,
    out_column: Any,
    out_rows: Any,
    out: Any,
) -> None:
    """Pooled column j reads the columns 2j - half .. 2j + 1 + half of the map before."""
    half, height, width = shape
    used = 0
    for window in range(len(pointer) - 1):
        first, last = pointer[window], pointer[window]  # the sites that column j reads, both only grow
        j = 0
        while j < width:
            while first < pointer[window + 1] and column[first] < 2 * j - half:
                first += 1
            if first == pointer[window + 1]:
                break
            j = max(j, (column[first] - half) // 2)  # the first j whose range reaches that site
            if j >= width:
                break
            last = max(first, last)
            while last < pointer[window + 1] and column[last] <= 2 * j + 1 + half:
                last += 1
            top, bottom = height, 0
            for site in range(first, last):
                top = min(top, max(0, rows[site, 0] - half) // 2)
                bottom = max(bottom, min(height, (rows[site, 1] - 1 + half) // 2 + 1))
            out_column[used] = j
            out_rows[used, 0] = top
            out_rows[used, 1] = max(top, bottom)
            out[used, 0] = first
            out[used, 1] = last
            used += 1
            j += 1
        out_pointer[window + 1] = used
