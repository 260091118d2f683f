"""The compiled loops of the sparse engines. All are pure arithmetic on the arrays they are given, release the
GIL and write nothing that another thread's call touches.

Sums may be reassociated and multiplications contracted, as BLAS does; nothing else of `fastmath` is asked for.
Inner loops run over flat views whose further rows lie at constant offsets: only so does the compiler see that
they do not overlap, and vectorise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, uintp

from pconv.learn.network import HIDDEN

OUT = HIDDEN[0]  # the outputs of the first linear layer: the length of every inner loop there
compiled = njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"}, error_model="numpy")


@compiled
def adam(weights: Any, gradient: Any, mean: Any, square: Any, rates: Any) -> None:
    """One step of Adam on flat arrays. `rates` is (1 - beta1, beta2, 1 - beta2, step size, 1 / sqrt(bias
    correction 2), epsilon) in single precision, each computed in double: 1 - beta2 would lose five digits."""
    fresh1, beta2, fresh2, size, correction, epsilon = rates
    for i in range(len(weights)):
        g = gradient[i]
        m = mean[i] + fresh1 * (g - mean[i])
        v = beta2 * square[i] + fresh2 * g * g
        mean[i] = m
        square[i] = v
        weights[i] -= size * m / (np.sqrt(v) * correction + epsilon)


@compiled
def add_scaled(target: Any, t: int, factor: Any, source: Any, s: int, length: int) -> None:
    """target[t : t + length] += factor * source[s : s + length]"""
    for i in range(length):
        target[uintp(t + i)] += factor * source[uintp(s + i)]


@compiled
def convolve(
    sites: Any, values: Any, before: Any, kernel: Any, shape: Any, empty: Any, idle: Any, slope: Any, out: Any
) -> None:
    """Convolution, pooling and activation at some sites of a map.

    sites: (column, rows, source, first, end); before: (column, rows) of the sites of the map before, which
    hold `values`, flat (sites, height, channels in); kernel: flat (k, channels in, k, channels), flipped along
    the rows; shape: (k, channels in, height before, height, channels); empty: the response to the empty window
    before pooling, (narrow columns, rows, channels), and the narrow column that stands for each column; idle:
    the same after activation; out: (deviation, choice), both (sites, height, channels).
    """
    column, rows, source, first, end = sites
    maps_empty, kind_empty = empty
    maps_idle, kind_idle = idle
    deviation, choice = out
    channels = shape[4]
    half = shape[0] // 2
    side = 2 * shape[3] * channels  # the two columns of convolution that are pooled into one
    maps = np.empty(2 * side, dtype=np.float32)
    for site in range(first, end):
        j = column[site]
        top, bottom = rows[site, 0], rows[site, 1]
        for y in range(2):
            kind = kind_empty[2 * j + y]
            for r in range(2 * top, 2 * bottom):
                for c in range(channels):
                    maps[y * side + r * channels + c] = maps_empty[kind, r, c]
            for q in range(source[site, 0], source[site, 1]):
                x = before[0][q] - (2 * j + y) + half
                if 0 <= x < shape[0]:
                    _add_column(values, q, before[1], kernel, x, shape, 2 * top, 2 * bottom, maps, y * side)
        kind = kind_idle[j]
        for i in range(top, bottom):
            for c in range(channels):
                at = 2 * i * channels + c
                best, place = maps[at], 0  # row by row, and the first of equals wins, as in PyTorch
                best, place = _greater(maps[at + side], 1, best, place)
                best, place = _greater(maps[at + channels], 2, best, place)
                best, place = _greater(maps[at + channels + side], 3, best, place)
                if not best > 0:
                    best *= slope
                    place += 4
                deviation[site, i, c] = best - maps_idle[kind, i, c]
                choice[site, i, c] = place


@compiled
def _greater(value: Any, place: int, best: Any, best_place: int) -> Any:
    better = value > best
    return (value if better else best), (place if better else best_place)


@compiled
def _add_column(
    values: Any,
    q: int,
    rows: Any,
    kernel: Any,
    x: int,
    shape: Any,
    top: int,
    bottom: int,
    maps: Any,
    side: int,
) -> None:
    """maps[r] += values[r'] * kernel[r - r' + half] for all rows r in top..bottom-1, channels at once."""
    k, incoming, height, _, channels = shape
    half = k // 2
    for row in range(rows[q, 0], rows[q, 1]):
        start, stop = max(top, row - half), min(bottom, row + half + 1)
        for c in range(incoming):
            value = values[(q * height + row) * incoming + c]
            if value != 0:
                tap = ((x * incoming + c) * k + start - row + half) * channels
                add_scaled(maps, side + start * channels, value, kernel, tap, (stop - start) * channels)


@compiled
def convolve_backward(
    sites: Any,
    values: Any,
    before: Any,
    kernel: Any,
    shape: Any,
    kinds: Any,
    slope: Any,
    given: Any,
    out: Any,
) -> None:
    """The gradients of `convolve`, from `given` = (gradient of the deviation, choice).

    out: gradients of the kernel, of the response before pooling, of the response at rest, and of `values` (of
    no sites where nobody needs it).
    """
    column, rows, source, first, end = sites
    kind_empty, kind_idle = kinds
    gradient, choice = given
    kernel_gradient, empty_gradient, idle_gradient, values_gradient = out
    channels = shape[4]
    half = shape[0] // 2
    side = 2 * shape[3] * channels
    maps = np.empty(2 * side, dtype=np.float32)
    for site in range(first, end):
        j = column[site]
        top, bottom = rows[site, 0], rows[site, 1]
        for y in range(2):
            maps[y * side + 2 * top * channels : y * side + 2 * bottom * channels] = 0
        for i in range(top, bottom):
            for c in range(channels):
                g = gradient[site, i, c]
                idle_gradient[kind_idle[j], i, c] -= g
                place = choice[site, i, c]
                if place >= 4:
                    g *= slope
                y, r = place & 1, 2 * i + (place >> 1 & 1)
                maps[y * side + r * channels + c] = g
                empty_gradient[kind_empty[2 * j + y], r, c] += g
        for y in range(2):
            for q in range(source[site, 0], source[site, 1]):
                x = before[0][q] - (2 * j + y) + half
                if 0 <= x < shape[0]:
                    ends = 2 * top, 2 * bottom
                    _take_column(values, q, before[1], kernel_gradient, x, shape, ends, maps, y * side)
                    if len(values_gradient):
                        _give_column(values_gradient, q, before[1], kernel, x, shape, ends, maps, y * side)


@compiled
def _take_column(
    values: Any, q: int, rows: Any, kernel: Any, x: int, shape: Any, ends: Any, maps: Any, side: int
) -> None:
    """kernel[r - r' + half] += values[r'] * maps[r]: what `_add_column` means for the kernel."""
    k, incoming, height, _, channels = shape
    half = k // 2
    for row in range(rows[q, 0], rows[q, 1]):
        start, stop = max(ends[0], row - half), min(ends[1], row + half + 1)
        for c in range(incoming):
            value = values[(q * height + row) * incoming + c]
            if value != 0:
                tap = ((x * incoming + c) * k + start - row + half) * channels
                add_scaled(kernel, tap, value, maps, side + start * channels, (stop - start) * channels)


@compiled
def _give_column(
    values: Any, q: int, rows: Any, kernel: Any, x: int, shape: Any, ends: Any, maps: Any, side: int
) -> None:
    """values[r'] += sum over r of kernel[r - r' + half] * maps[r]: what it means for the map before."""
    k, incoming, height, _, channels = shape
    half = k // 2
    for row in range(rows[q, 0], rows[q, 1]):
        start, stop = max(ends[0], row - half), min(ends[1], row + half + 1)
        for c in range(incoming):
            tap = ((x * incoming + c) * k + start - row + half) * channels
            total = np.float32(0)
            for i in range((stop - start) * channels):
                total += kernel[uintp(tap + i)] * maps[uintp(side + start * channels + i)]
            values[(q * height + row) * incoming + c] += total
