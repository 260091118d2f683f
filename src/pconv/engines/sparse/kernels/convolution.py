"""Convolution, max-pooling and LeakyReLU at the sites of a plan, forward and backward; Adam on flat
arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, uintp

from pconv.engines.sparse.kernels.arguments import (
    AdamRates,
    LayerBackground,
    LayerGradients,
    LayerInput,
    LayerShape,
    PooledSites,
    Sites,
)
from pconv.models.sizes import HIDDEN

OUT = HIDDEN[0]  # the outputs of the first linear layer: the length of every inner loop there
compiled = njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"}, error_model="numpy")


@compiled
def adam(weights: Any, gradient: Any, mean: Any, square: Any, rates: AdamRates) -> None:
    """One step of Adam on flat arrays, in place. The decay is subtracted, since a factor 1 - decay would lose
    the digits of a small decay; without decay exactly 0 is subtracted."""
    mean_rate, square_keep, square_rate, step_size, correction, epsilon, decay = rates
    for i in range(len(weights)):
        g = gradient[i]
        m = mean[i] + mean_rate * (g - mean[i])
        v = square_keep * square[i] + square_rate * g * g
        mean[i] = m
        square[i] = v
        weights[i] -= step_size * m / (np.sqrt(v) * correction + epsilon) + decay * weights[i]


@compiled
def add_scaled(target: Any, t: int, factor: Any, source: Any, s: int, length: int) -> None:
    """target[t : t + length] += factor * source[s : s + length]"""
    for i in range(length):
        target[uintp(t + i)] += factor * source[uintp(s + i)]


@compiled
def convolve(
    sites: Sites,
    first: int,
    end: int,
    given: LayerInput,
    shape: LayerShape,
    background: LayerBackground,
    slope: Any,
    out: PooledSites,
) -> None:
    """Convolution, pooling and activation at the sites first..end-1 of a map.

    Parameters
    ----------
    sites, first, end
        The sites of the pooled map, and the range to compute.
    given
        The previous map at its sites and the taps, (kernel + 1, channels_in, run). A run is what one input
        channel of one column adds to a pair of columns: (kernel rows, 2 columns, channels), padded with
        zeros.
    shape
        The sizes of the layer.
    background
        The layer's response to the all-zero window.
    slope
        LeakyReLU's slope below zero; 1 where the layer has no activation.
    out
        The results.
    """
    column, rows, source = sites.column, sites.rows, sites.source
    values, taps, before = given.values, given.taps, given.sites
    kind, maps_empty, maps_idle = background.kind, background.empty, background.idle
    deviation, choice = out.deviation, out.choice
    half, height, channels = shape.kernel // 2, shape.height, shape.channels
    square = 4 * channels  # two rows, two columns: what is pooled into one
    maps, above = _maps(shape)
    for site in range(first, end):
        j = column[site]
        top, bottom = rows[site, 0], rows[site, 1]
        empty = kind[j] * height * square
        for at in range(top * square, bottom * square):
            maps[uintp(above + at)] = maps_empty[uintp(empty + at)]
        for q in range(source[site, 0], source[site, 1]):
            _add_column(values, q, before.rows, taps, before.column[q] - 2 * j + half, shape, maps)
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
    """The greater value and its place; of equal values the earlier one."""
    better = value > best
    return (value if better else best), (place if better else best_place)


@compiled
def _maps(shape: LayerShape) -> Any:
    """An array for a pair of columns, (rows, 2, channels), and the index of its row 0. The array has space
    above and below for the part of a kernel that lies outside, so that all runs have the same length."""
    size = shape.height_in * 2 * shape.channels + shape.run
    return np.zeros(size, dtype=np.float32), shape.kernel // 2 * 2 * shape.channels


@compiled
def _add_column(values: Any, q: int, rows: Any, taps: Any, x: int, shape: LayerShape, maps: Any) -> None:
    """maps[r] += values[r'] * taps[r - r' + half] for all rows r around r', both columns of the pair and all
    channels at once."""
    incoming, height, channels, run = shape.channels_in, shape.height_in, shape.channels, shape.run
    for row in range(rows[q, 0], rows[q, 1]):
        for c in range(incoming):
            value = values[(q * height + row) * incoming + c]
            if value != 0:
                add_scaled(maps, row * 2 * channels, value, taps, (x * incoming + c) * run, run)


@compiled
def convolve_backward(
    sites: Sites,
    first: int,
    end: int,
    given: LayerInput,
    shape: LayerShape,
    kind: Any,
    slope: Any,
    pooled: PooledSites,
    out: LayerGradients,
) -> None:
    """The backward pass of `convolve`.

    Parameters
    ----------
    sites, first, end, given, shape, slope
        As in `convolve`.
    kind
        The kind of each pooled column, as in `LayerBackground`.
    pooled
        The gradient of the deviation, and the choices that `convolve` made.
    out
        The results, which are added to.
    """
    column, rows, source = sites.column, sites.rows, sites.source
    values, taps, before = given.values, given.taps, given.sites
    gradient, choice = pooled.deviation, pooled.choice
    taps_gradient, values_gradient = out.taps, out.values
    empty_gradient, idle_gradient = out.empty, out.idle
    half, height, channels = shape.kernel // 2, shape.height, shape.channels
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
            x = before.column[q] - 2 * j + half
            _taps_gradient(values, q, before.rows, taps_gradient, x, shape, maps)
            if len(values_gradient):
                _values_gradient(values_gradient, q, before.rows, taps, x, shape, maps)


@compiled
def _taps_gradient(values: Any, q: int, rows: Any, taps: Any, x: int, shape: LayerShape, maps: Any) -> None:
    """taps[r - r' + half] += values[r'] * maps[r]: the gradient of `_add_column`'s taps."""
    incoming, height, channels, run = shape.channels_in, shape.height_in, shape.channels, shape.run
    for row in range(rows[q, 0], rows[q, 1]):
        for c in range(incoming):
            value = values[(q * height + row) * incoming + c]
            if value != 0:
                add_scaled(taps, (x * incoming + c) * run, value, maps, row * 2 * channels, run)


@compiled
def _values_gradient(values: Any, q: int, rows: Any, taps: Any, x: int, shape: LayerShape, maps: Any) -> None:
    """values[r'] += sum over r of taps[r - r' + half] * maps[r]: the gradient of `_add_column`'s values."""
    incoming, height, channels, run = shape.channels_in, shape.height_in, shape.channels, shape.run
    for row in range(rows[q, 0], rows[q, 1]):
        for c in range(incoming):
            tap, start = (x * incoming + c) * run, row * 2 * channels
            total = np.float32(0)
            for i in range(run):
                total += taps[uintp(tap + i)] * maps[uintp(start + i)]
            values[(q * height + row) * incoming + c] += total
