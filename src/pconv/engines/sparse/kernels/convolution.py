"""The compiled loops of the sparse engines. All are pure arithmetic on the arrays they are given, release the
GIL and write nothing that another thread's call touches.

Sums may be reassociated and multiplications contracted, as BLAS does; nothing else of `fastmath` is asked
for. Arrays are flat and inner loops index them without sign (`uintp`): views would cost reference counts that
the threads share, and a sign the test for indices from the end, either of which keeps loops from vectorising.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, uintp

from pconv.models.pconv import HIDDEN

OUT = HIDDEN[0]  # the outputs of the first linear layer: the length of every inner loop there
compiled = njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"}, error_model="numpy")


@compiled
def adam(weights: Any, gradient: Any, mean: Any, square: Any, rates: Any) -> None:
    """One step of Adam on flat arrays. `rates` is (1 - beta1, beta2, 1 - beta2, step size, 1 / sqrt(bias
    correction 2), epsilon, share that decays) in single precision, each computed in double: 1 - beta2 would
    lose five digits. What decays is taken off, since a factor 1 - share would lose the share's digits; where
    nothing decays, exactly 0 is."""
    fresh1, beta2, fresh2, size, correction, epsilon, decay = rates
    for i in range(len(weights)):
        g = gradient[i]
        m = mean[i] + fresh1 * (g - mean[i])
        v = beta2 * square[i] + fresh2 * g * g
        mean[i] = m
        square[i] = v
        weights[i] -= size * m / (np.sqrt(v) * correction + epsilon) + decay * weights[i]


@compiled
def add_scaled(target: Any, t: int, factor: Any, source: Any, s: int, length: int) -> None:
    """target[t : t + length] += factor * source[s : s + length]"""
    for i in range(length):
        target[uintp(t + i)] += factor * source[uintp(s + i)]


@compiled
def convolve(
    sites: Any, values: Any, before: Any, kernel: Any, shape: Any, idle: Any, slope: Any, out: Any
) -> None:
    """Convolution, pooling and activation at some sites of a map.

    sites: (column, rows, source, first, end); before: (column, rows) of the sites of the map before, which
    hold `values`; kernel: (k + 1, channels in, run), what an input column adds to a pair of columns: (k rows,
    2, channels) and zeros to fill it up; shape: (k, channels in, height before, height, channels, run); idle:
    (kind of each column, the background before pooling and after activation); out: (deviation, choice), both
    (sites, height, channels). All arrays of numbers are flat.
    """
    column, rows, source, first, end = sites
    kind, maps_empty, maps_idle = idle
    deviation, choice = out
    half, height, channels = shape[0] // 2, shape[3], shape[4]
    square = 4 * channels  # two rows, two columns: what is pooled into one
    maps, above = _maps(shape)
    for site in range(first, end):
        j = column[site]
        top, bottom = rows[site, 0], rows[site, 1]
        empty = kind[j] * height * square
        for at in range(top * square, bottom * square):
            maps[uintp(above + at)] = maps_empty[uintp(empty + at)]
        for q in range(source[site, 0], source[site, 1]):
            _add_column(values, q, before[1], kernel, before[0][q] - 2 * j + half, shape, maps)
        start, still = site * height * channels, kind[j] * height * channels
        for at in range(top * channels):
            deviation[uintp(start + at)] = 0
        for at in range(bottom * channels, height * channels):
            deviation[uintp(start + at)] = 0
        for i in range(top, bottom):
            for c in range(channels):
                at = uintp(above + i * square + c)
                best, place = maps[at], 0  # row by row, and the first of equals wins, as in PyTorch
                best, place = greater(maps[uintp(at + channels)], 1, best, place)
                best, place = greater(maps[uintp(at + 2 * channels)], 2, best, place)
                best, place = greater(maps[uintp(at + 3 * channels)], 3, best, place)
                to = i * channels + c
                # LeakyReLU is a maximum: no branch, which the processor would guess wrong half of the time
                deviation[uintp(start + to)] = max(best, best * slope) - maps_idle[uintp(still + to)]
                choice[uintp(start + to)] = place if best > 0 else place + 4


@compiled
def greater(value: Any, place: int, best: Any, best_place: int) -> Any:
    better = value > best
    return (value if better else best), (place if better else best_place)


@compiled
def _maps(shape: Any) -> Any:
    """A pair of columns, (rows, 2, channels), and where row 0 is: there is room above and below for what
    sticks out of a kernel's footprint, so that all runs have one length and none is cut."""
    k, _, before, _, channels, run = shape
    return np.zeros(before * 2 * channels + run, dtype=np.float32), k // 2 * 2 * channels


@compiled
def _add_column(values: Any, q: int, rows: Any, kernel: Any, x: int, shape: Any, maps: Any) -> None:
    """maps[r] += values[r'] * kernel[r - r' + half] for all rows r around r', both columns of the pair and
    all channels at once."""
    _, incoming, height, _, channels, run = shape
    for row in range(rows[q, 0], rows[q, 1]):
        for c in range(incoming):
            value = values[(q * height + row) * incoming + c]
            if value != 0:
                add_scaled(maps, row * 2 * channels, value, kernel, (x * incoming + c) * run, run)


@compiled
def convolve_backward(
    sites: Any, values: Any, before: Any, kernel: Any, shape: Any, kind: Any, slope: Any, given: Any, out: Any
) -> None:
    """The gradients of `convolve`, from `given` = (gradient of the deviation, choice).

    out: gradients of the kernel, of the background before pooling and after activation, and of `values` (of
    no sites where nobody needs it).
    """
    column, rows, source, first, end = sites
    gradient, choice = given
    kernel_gradient, empty_gradient, idle_gradient, values_gradient = out
    half, height, channels = shape[0] // 2, shape[3], shape[4]
    square = 4 * channels
    maps, above = _maps(shape)
    for site in range(first, end):
        j = column[site]
        top, bottom = rows[site, 0], rows[site, 1]
        for at in range(above + top * square, above + bottom * square):
            maps[uintp(at)] = 0
        start, still = site * height * channels, kind[j] * height * channels
        for i in range(top, bottom):
            for c in range(channels):
                at = i * channels + c
                g = gradient[uintp(start + at)]
                idle_gradient[uintp(still + at)] -= g
                place = choice[uintp(start + at)]
                g *= np.float32(1) if place < 4 else slope
                to = i * square + (place & 3) * channels + c
                maps[uintp(above + to)] = g
                empty_gradient[uintp(kind[j] * height * square + to)] += g
        for q in range(source[site, 0], source[site, 1]):
            x = before[0][q] - 2 * j + half
            _take_column(values, q, before[1], kernel_gradient, x, shape, maps)
            if len(values_gradient):
                _give_column(values_gradient, q, before[1], kernel, x, shape, maps)


@compiled
def _take_column(values: Any, q: int, rows: Any, kernel: Any, x: int, shape: Any, maps: Any) -> None:
    """kernel[r - r' + half] += values[r'] * maps[r]: what `_add_column` means for the kernel."""
    _, incoming, height, _, channels, run = shape
    for row in range(rows[q, 0], rows[q, 1]):
        for c in range(incoming):
            value = values[(q * height + row) * incoming + c]
            if value != 0:
                add_scaled(kernel, (x * incoming + c) * run, value, maps, row * 2 * channels, run)


@compiled
def _give_column(values: Any, q: int, rows: Any, kernel: Any, x: int, shape: Any, maps: Any) -> None:
    """values[r'] += sum over r of kernel[r - r' + half] * maps[r]: what it means for the map before."""
    _, incoming, height, _, channels, run = shape
    for row in range(rows[q, 0], rows[q, 1]):
        for c in range(incoming):
            tap, start = (x * incoming + c) * run, row * 2 * channels
            total = np.float32(0)
            for i in range(run):
                total += kernel[uintp(tap + i)] * maps[uintp(start + i)]
            values[(q * height + row) * incoming + c] += total
