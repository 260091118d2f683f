"""The compiled loops of the sparse engines. All are pure arithmetic on the arrays they are given, release the
GIL and write nothing that another thread's call touches.

Sums may be reassociated and multiplications contracted, as BLAS does; nothing else of `fastmath` is asked for.
Inner loops run over flat views whose further rows lie at constant offsets: only so does the compiler see that
they do not overlap, and vectorise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

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
def convolve(
    sites: Any, values: Any, source_column: Any, kernel: Any, before: Any, rest: Any, slope: Any, out: Any
) -> None:
    """Convolution, pooling and activation at some sites of a map.

    sites: (column, rows, source, first, end); values: (sites before, height, channels in); kernel: (k, channels
    in, k, channels) flipped along the rows; before: the convolution's response to the empty window and the
    column of it that stands for each column; rest: the same after activation; out: (deviation, choice).
    """
    column, rows, source, first, end = sites
    empty, empty_column = before  # (narrow columns, height, channels)
    idle, idle_column = rest  # (narrow columns, pooled height, channels)
    deviation, choice = out  # (sites, pooled height, channels)
    k, incoming, _, channels = kernel.shape
    half = k // 2
    maps = np.empty((2, 2 * deviation.shape[1], channels), dtype=np.float32)
    for site in range(first, end):
        j = column[site]
        top, bottom = rows[site]
        for y in range(2):
            maps[y, 2 * top : 2 * bottom] = empty[empty_column[2 * j + y], 2 * top : 2 * bottom]
            for q in range(source[site, 0], source[site, 1]):
                x = source_column[q] - (2 * j + y) + half
                if 0 <= x < k:
                    _add_column(values[q], kernel[x], half, 2 * top, 2 * bottom, maps[y])
        for i in range(top, bottom):
            for c in range(channels):
                best, at = maps[0, 2 * i, c], 0
                for place in range(1, 4):  # row by row, and the first of equals wins, as in PyTorch
                    value = maps[place & 1, 2 * i + (place >> 1), c]
                    if value > best:
                        best, at = value, place
                if not best > 0:
                    best *= slope
                    at += 4
                deviation[site, i, c] = best - idle[idle_column[j], i, c]
                choice[site, i, c] = at


@compiled
def _add_column(values: Any, kernel: Any, half: int, top: int, bottom: int, out: Any) -> None:
    """out[r] += values[r'] * kernel[r - r' + half] for all rows r in top..bottom-1, channels at once."""
    incoming, k, channels = kernel.shape
    flat = out.reshape(-1)
    for row in range(len(values)):
        start = max(top, row - half)
        stop = min(bottom, row + half + 1)
        for c in range(incoming):
            value = values[row, c]
            if value != 0 and start < stop:
                target = flat[start * channels : stop * channels]
                taps = kernel[c].reshape(-1)[(start - row + half) * channels :]
                for i in range(len(target)):
                    target[i] += value * taps[i]


@compiled
def convolve_backward(
    sites: Any, values: Any, source_column: Any, kernel: Any, kinds: Any, slope: Any, given: Any, out: Any
) -> None:
    """The gradients of `convolve`, from `given` = (gradient of the deviation, choice).

    out: gradients of the kernel, of the response before pooling, of the response at rest, and of `values` (of
    no sites where nobody needs it).
    """
    column, rows, source, first, end = sites
    empty_column, idle_column = kinds
    gradient, choice = given
    kernel_gradient, empty_gradient, idle_gradient, values_gradient = out
    k, incoming, _, channels = kernel.shape
    half = k // 2
    maps = np.empty((2, 2 * gradient.shape[1], channels), dtype=np.float32)
    for site in range(first, end):
        j = column[site]
        top, bottom = rows[site]
        maps[:, 2 * top : 2 * bottom] = 0
        for i in range(top, bottom):
            for c in range(channels):
                g = gradient[site, i, c]
                idle_gradient[idle_column[j], i, c] -= g
                at = choice[site, i, c]
                if at >= 4:
                    g *= slope
                    at -= 4
                maps[at & 1, 2 * i + (at >> 1), c] = g
                empty_gradient[empty_column[2 * j + (at & 1)], 2 * i + (at >> 1), c] += g
        for y in range(2):
            for q in range(source[site, 0], source[site, 1]):
                x = source_column[q] - (2 * j + y) + half
                if 0 <= x < k:
                    _take_column(values[q], kernel_gradient[x], half, 2 * top, 2 * bottom, maps[y])
                    if len(values_gradient):
                        _give_column(values_gradient[q], kernel[x], half, 2 * top, 2 * bottom, maps[y])


@compiled
def _take_column(values: Any, kernel: Any, half: int, top: int, bottom: int, maps: Any) -> None:
    """kernel[r - r' + half] += values[r'] * maps[r]: what `_add_column` means for the kernel."""
    incoming, k, channels = kernel.shape
    flat = maps.reshape(-1)
    for row in range(len(values)):
        start = max(top, row - half)
        stop = min(bottom, row + half + 1)
        for c in range(incoming):
            value = values[row, c]
            if value != 0 and start < stop:
                given = flat[start * channels : stop * channels]
                taps = kernel[c].reshape(-1)[(start - row + half) * channels :]
                for i in range(len(given)):
                    taps[i] += value * given[i]


@compiled
def _give_column(values: Any, kernel: Any, half: int, top: int, bottom: int, maps: Any) -> None:
    """values[r'] += sum over r of kernel[r - r' + half] * maps[r]: what it means for the map before."""
    incoming, k, channels = kernel.shape
    flat = maps.reshape(-1)
    for row in range(len(values)):
        start = max(top, row - half)
        stop = min(bottom, row + half + 1)
        if start < stop:
            for c in range(incoming):
                given = flat[start * channels : stop * channels]
                taps = kernel[c].reshape(-1)[(start - row + half) * channels :]
                total = np.float32(0)
                for i in range(len(given)):
                    total += taps[i] * given[i]
                values[row, c] += total
