"""The plan of a batch: where its grids deviate from the all-zero window, layer by layer.

It is made once for a batch, before any arithmetic. A *site* is one column of one window's feature map. A grid
is almost empty, so that prime factors touch few of its columns; all others hold the network's response to the
all-zero window, which does not depend on the batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pconv._arrays import FloatArray
from pconv.data.grid import PrimeGrid
from pconv.engines.sparse.kernels.arguments import GridEntries, PooledShape, Sites, SitesByColumn


class Plan(NamedTuple):
    """The sites of the input and of every pooled map of a batch, and those of the last map by column."""

    values: FloatArray  # (input sites, rows, 1)
    maps: tuple[Sites, ...]  # the input, then each layer's pooled map
    by_column: SitesByColumn  # the sites of the last map


def plan(grid: PrimeGrid, kernels: Sequence[int]) -> Plan:
    """The plan of one batch.

    Parameters
    ----------
    grid
        The windows of the batch.
    kernels
        The kernel size of each convolution.
    """
    values, sites = _input_sites(grid)
    maps = [sites]
    rows, columns = grid.rows, grid.columns
    for kernel in kernels:
        rows, columns = rows // 2, columns // 2
        maps.append(_pooled_sites(maps[-1], kernel, rows, columns))
    last = maps[-1]
    order, pointer = sort_by_column(last.rows, last.column, rows, columns)
    window = np.repeat(np.arange(grid.count, dtype=np.int32), np.diff(last.pointer))
    return Plan(values, tuple(maps), SitesByColumn(order, pointer, window, last.rows))


def sort_by_column(rows: Any, column: Any, height: int, columns: int) -> Any:
    """The sites that have rows, sorted by column and by rows within a column, and the start of each column.

    Neighbours in a column are computed together over the union of their rows, which is therefore small.

    Parameters
    ----------
    rows
        The rows of each site, (sites, 2): the first, and the one past the last.
    column
        The column of each site, (sites,).
    height, columns
        The size of the map.
    """
    some = np.flatnonzero(rows[:, 0] < rows[:, 1])
    by_end, _ = _sorted_by(rows[:, 1].copy(), height + 1, some)
    by_rows, _ = _sorted_by(rows[:, 0].copy(), height + 1, by_end)
    return _sorted_by(column, columns, by_rows)


@njit(cache=True, nogil=True)
def _sorted_by(key: Any, keys: int, before: Any) -> Any:
    """A stable counting sort of the sites `before` by key (0 .. keys-1), and the start of each key."""
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
    source = np.empty((0, 2), dtype=np.int64)
    entries = GridEntries(grid.indptr, grid.indices, grid.values)
    _gather(entries, place, Sites(pointer, column, rows, source), values)
    used = int(pointer[-1])
    sites = Sites(pointer, column[:used], rows[:used], source)
    return values[:used, :, None], sites


@njit(cache=True, nogil=True)
def _gather(grid: GridEntries, place: Any, sites: Sites, values: Any) -> None:
    """Groups the entries of each window, which are ordered by row, by column: fills `sites` and `values`.
    `place` is scratch space, -1 for each column."""
    indptr, indices, entries = grid
    pointer, column, rows, _ = sites
    height = values.shape[1]
    used = 0
    for window in range(len(pointer) - 1):
        first = used
        for entry in range(indptr[window * height], indptr[(window + 1) * height]):
            if place[indices[entry]] < 0:
                place[indices[entry]] = used
                column[used] = indices[entry]
                used += 1
        _sort(column, first, used)
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


@njit(cache=True, nogil=True)
def _sort(values: Any, first: int, end: int) -> None:
    """Sorts values[first:end] in place by insertion: a window has few columns, and numba compiles its own
    sort for a second."""
    for i in range(first + 1, end):
        value = values[i]
        place = i
        while place > first and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


def _pooled_sites(before: Sites, kernel: int, rows: int, columns: int) -> Sites:
    windows = len(before.pointer) - 1
    reach = kernel // 2 + 1  # an input column touches at most this many pooled columns
    most = min(windows * columns, len(before.column) * reach)
    pointer = np.zeros(windows + 1, dtype=np.int64)
    column = np.empty(most, dtype=np.int32)
    touched = np.empty((most, 2), dtype=np.int32)
    source = np.empty((most, 2), dtype=np.int64)
    _spread(before, PooledShape(kernel // 2, rows, columns), Sites(pointer, column, touched, source))
    used = int(pointer[-1])
    return Sites(pointer, column[:used], touched[:used], source[:used])


@njit(cache=True, nogil=True)
def _spread(before: Sites, shape: PooledShape, out: Sites) -> None:
    """Fills `out` with the sites of the pooled map: column j of it reads the columns 2j - half .. 2j + 1 +
    half of the previous map."""
    pointer, column, rows, _ = before
    out_pointer, out_column, out_rows, out_source = out
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
            out_source[used, 0] = first
            out_source[used, 1] = last
            used += 1
            j += 1
        out_pointer[window + 1] = used
