"""One convolution of sparse windows with max-pooling and LeakyReLU, forward and backward, for
`CompactEngine`.

A window is convolved in a buffer (rows, columns, channels) with space at the end of each row for the part of
a kernel that lies outside: an entry of the grid then adds k runs of the same length."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uintp

from pconv.engines.sparse.kernels.arguments import (
    ConvolvedWindows,
    GridEntries,
    WindowGradients,
    WindowShape,
)
from pconv.engines.sparse.kernels.convolution import add_scaled, compiled, greater


@compiled
def convolve_windows(
    grid: GridEntries,
    taps: Any,
    bias: Any,
    idle: Any,
    shape: WindowShape,
    slope: Any,
    out: ConvolvedWindows,
) -> None:
    """Convolution, pooling and activation of the full columns, and of the touched ones of the others.

    Parameters
    ----------
    grid, out
        The entries of the windows, and the results.
    taps
        Flat (kernel, run): what an entry adds to each row around its own.
    bias, idle
        (channels,): the convolution's response to the all-zero window, before and after the activation.
    shape, slope
        The sizes, and LeakyReLU's slope below zero.
    """
    indptr, indices, values = grid
    rows, k, height, full, others, channels, stride = shape
    features, deviation, places, touched = out
    run, block = len(taps) // k, height * channels
    empty = np.empty(2 * height * stride, dtype=np.float32)
    for at in range(len(empty)):
        empty[at] = bias[at % stride % channels]
    buffer = np.empty_like(empty)
    nothing = np.zeros_like(idle)
    touched[:] = 0
    deviation[:] = 0
    for window in range((len(indptr) - 1) // rows):
        for at in range(len(empty)):
            buffer[at] = empty[at]
        for row in range(rows):
            start, stop = max(0, row - k // 2), min(2 * height, row + k // 2 + 1)
            for entry in range(indptr[window * rows + row], indptr[window * rows + row + 1]):
                value, column = np.float32(values[entry]), indices[entry]
                for r in range(start, stop):
                    to = r * stride + column * channels
                    add_scaled(buffer, to, value, taps, (r - row + k // 2) * run, run)
                for j in range(
                    max(full, (column - k // 2) // 2), min(full + others, (column + k // 2) // 2 + 1)
                ):
                    site = window * others + j - full
                    if touched[site, 1] == 0:
                        touched[site, 0] = start // 2
                    touched[site, 1] = min(height, (stop + 1) // 2)
        place = window * (full + others) * block
        for j in range(full):
            to = (window * full + j) * block
            _pool(buffer, j, 0, height, shape, slope, nothing, (features, to), (places, place + j * block))
        for j in range(full, full + others):
            site = window * others + j - full
            top, bottom = touched[site, 0], touched[site, 1]
            to = site * block
            _pool(buffer, j, top, bottom, shape, slope, idle, (deviation, to), (places, place + j * block))


@compiled
def _pool(
    buffer: Any,
    j: int,
    top: int,
    bottom: int,
    shape: WindowShape,
    slope: Any,
    less: Any,
    out: Any,
    chosen: Any,
) -> None:
    """Max-pooling and LeakyReLU of the rows top..bottom-1 of column j, minus `less`, and the index in the
    buffer that each value was taken from (its complement ~index where LeakyReLU has its slope). Of equal
    values the first in row order is taken, as in PyTorch."""
    channels, stride = shape.channels, shape.stride
    features, to = out
    places, place = chosen
    for i in range(top, bottom):
        first = 2 * i * stride + (2 * j + shape.kernel // 2) * channels
        for c in range(channels):
            at = first + c
            best, taken = buffer[uintp(at)], at
            best, taken = greater(buffer[uintp(at + channels)], at + channels, best, taken)
            at += stride
            best, taken = greater(buffer[uintp(at)], at, best, taken)
            best, taken = greater(buffer[uintp(at + channels)], at + channels, best, taken)
            features[uintp(to + i * channels + c)] = max(best, best * slope) - less[c]
            places[uintp(place + i * channels + c)] = taken if best > 0 else ~taken


@compiled
def convolve_windows_backward(
    grid: GridEntries,
    given: ConvolvedWindows,
    shape: WindowShape,
    slope: Any,
    buffer: Any,
    out: WindowGradients,
) -> None:
    """The backward pass of `convolve_windows`.

    Parameters
    ----------
    grid, shape, slope
        As in `convolve_windows`.
    given
        The gradients of the features and of the deviation, with the places and touched rows.
    buffer
        Scratch space for one window, (2 * height, stride).
    out
        The results, which are added to.
    """
    indptr, indices, values = grid
    rows, k, height, full, others, channels, stride = shape
    features, deviation, places, touched = given
    taps, bias, idle = out
    run, block = len(taps) // k, height * channels
    for window in range((len(indptr) - 1) // rows):
        buffer[:] = 0
        place = window * (full + others) * block
        for j in range(full):
            start = (window * full + j) * block
            _unpool(features, start, block, places, place + j * block, slope, buffer, bias)
        for j in range(others):
            site = window * others + j
            top, bottom = touched[site, 0], touched[site, 1]
            start, length = site * block + top * channels, (bottom - top) * channels
            at = place + (full + j) * block + top * channels
            _unpool(deviation, start, length, places, at, slope, buffer, bias)
            for i in range(start, start + length, channels):
                for c in range(channels):
                    idle[c] -= deviation[uintp(i + c)]
        for row in range(rows):
            start, stop = max(0, row - k // 2), min(2 * height, row + k // 2 + 1)
            for entry in range(indptr[window * rows + row], indptr[window * rows + row + 1]):
                value, column = np.float32(values[entry]), indices[entry] * channels
                for r in range(start, stop):
                    add_scaled(taps, (r - row + k // 2) * run, value, buffer, r * stride + column, run)


@compiled
def _unpool(
    gradient: Any, start: int, length: int, places: Any, first: int, slope: Any, buffer: Any, bias: Any
) -> None:
    """Writes gradients of pooled values to their places in the buffer, and adds them to the bias's."""
    for i in range(0, length, len(bias)):
        for c in range(len(bias)):
            g, at = gradient[uintp(start + i + c)], places[uintp(first + i + c)]
            g *= np.float32(1) if at >= 0 else slope
            buffer[uintp(at if at >= 0 else ~at)] = g
            bias[c] += g
