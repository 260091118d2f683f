"""The compiled loops of the compact engine: one convolution of sparse windows, pooled, and back.

A window's convolution lives in a buffer (rows, columns, channels), with room beside each row for the part of
a kernel's footprint that sticks out: an entry of the grid then adds k runs of one length, none of them cut.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uintp

from pconv.learn.kernels import add_scaled, compiled


@compiled
def convolve_windows(grid: Any, taps: Any, empty: Any, shape: Any, slope: Any, out: Any) -> None:
    """Convolution, pooling and activation of whole windows.

    grid: (indptr, indices, exponents) of a PrimeGrid; taps: flat (k, run), what an entry adds to each row
    around its own; empty: the buffer of the empty window, flat; shape: (rows, k, pooled height, pooled width,
    channels, floats in a buffer's row); out: (features, the place in the buffer that each was taken from),
    both flat (windows, pooled width, pooled height, channels).
    """
    indptr, indices, exponents = grid
    rows, k, height, width, channels, stride = shape
    features, places = out
    run = len(taps) // k
    buffer = np.empty_like(empty)
    to = 0
    for window in range((len(indptr) - 1) // rows):
        for at in range(len(empty)):
            buffer[at] = empty[at]
        for row in range(rows):
            start, stop = max(0, row - k // 2), min(2 * height, row + k // 2 + 1)
            for entry in range(indptr[window * rows + row], indptr[window * rows + row + 1]):
                value = np.float32(exponents[entry])
                column = indices[entry] * channels
                for r in range(start, stop):
                    add_scaled(buffer, r * stride + column, value, taps, (r - row + k // 2) * run, run)
        for j in range(width):
            for i in range(height):
                first = 2 * i * stride + (2 * j + k // 2) * channels
                for at in range(first, first + channels):
                    best, place = _first_greatest(buffer, at, channels, stride)
                    features[uintp(to)] = best if best > 0 else best * slope
                    places[uintp(to)] = place
                    to += 1


@compiled
def _first_greatest(buffer: Any, at: int, right: int, down: int) -> Any:
    """Of the four values that are pooled: row by row, and the first of equals wins, as in PyTorch."""
    best, place = buffer[uintp(at)], at
    value = buffer[uintp(at + right)]
    best, place = (value, at + right) if value > best else (best, place)
    value = buffer[uintp(at + down)]
    best, place = (value, at + down) if value > best else (best, place)
    value = buffer[uintp(at + down + right)]
    return (value, at + down + right) if value > best else (best, place)


@compiled
def convolve_windows_backward(grid: Any, given: Any, shape: Any, slope: Any, buffer: Any, out: Any) -> None:
    """The gradients of `convolve_windows`.

    given: (gradient of the features, the features, their places), all flat; buffer: a window's, to work in;
    out: the gradients of the taps, flat (k, run), and of the bias (channels,), both to be added to.
    """
    indptr, indices, exponents = grid
    rows, k, height, width, channels, stride = shape
    gradient, features, places = given
    taps, bias = out
    run = len(taps) // k
    size = width * height * channels
    for window in range((len(indptr) - 1) // rows):
        buffer[:] = 0
        for at in range(window * size, (window + 1) * size, channels):
            for c in range(channels):
                g = gradient[uintp(at + c)]
                g = g if features[uintp(at + c)] > 0 else g * slope
                buffer[uintp(places[uintp(at + c)])] = g
                bias[c] += g
        for row in range(rows):
            start, stop = max(0, row - k // 2), min(2 * height, row + k // 2 + 1)
            for entry in range(indptr[window * rows + row], indptr[window * rows + row + 1]):
                value = np.float32(exponents[entry])
                column = indices[entry] * channels
                for r in range(start, stop):
                    add_scaled(taps, (r - row + k // 2) * run, value, buffer, r * stride + column, run)
