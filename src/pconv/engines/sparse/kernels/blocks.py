"""The first linear layer, block by block: nine tenths of the network's weights and of a step's time.

A block is the part of the weights that one pooled column feeds: (pooled height x channels) rows of OUT
weights, contiguous. The forward pass multiplies a block by the windows that deviate in its column. The
backward pass reads it once more and writes it updated: the gradient of the weights is never stored as a
whole."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import uintp

from pconv.engines.sparse.kernels.arguments import (
    AdamRates,
    AdamState,
    BlockOutputs,
    HiddenGradient,
    SitesByColumn,
)
from pconv.engines.sparse.kernels.convolution import OUT, add_scaled, compiled

_TOGETHER = 3  # sites multiplied by a row of weights at once: their factors just fit the registers


class _ActiveSites(NamedTuple):
    """The sites of a column that have a given row, with what they are multiplied by."""

    deviation: Any
    row: int
    sites: Any
    size: int
    gradient: Any
    window: Any


@compiled
def blocks_forward(
    weights: Any, deviation: Any, members: SitesByColumn, first: int, end: int, hidden: Any
) -> None:
    """hidden[window] = deviation @ weights, for the columns first..end-1.

    Each site's contribution is summed separately and then added: in one long sum over all rows of all sites
    every small term would lose its last digits.

    Parameters
    ----------
    weights
        Flat (columns, height, channels, OUT).
    deviation
        The features' difference from the background, (sites, height, channels).
    members
        The sites by column.
    first, end
        The columns.
    hidden
        The result, flat (windows, OUT).
    """
    order, pointer, window, rows = members.order, members.pointer, members.window, members.rows
    _, height, channels = deviation.shape
    parts = np.empty(_TOGETHER * OUT, dtype=np.float32)
    hidden[:] = 0
    for j in range(first, end):
        start = j * height * channels * OUT
        for at in range(pointer[j], pointer[j + 1], _TOGETHER):
            count = min(_TOGETHER, pointer[j + 1] - at)
            top, bottom = rows[order[at], 0], rows[order[at], 1]
            for member in range(1, count):
                top = min(top, rows[order[at + member], 0])
                bottom = max(bottom, rows[order[at + member], 1])
            parts[: count * OUT] = 0
            for i in range(top, bottom):  # the deviation is zero in rows that only other sites have
                _multiply_row(weights, start + i * channels * OUT, deviation, i, order, at, count, parts)
            for member in range(count):
                to = window[order[at + member]] * OUT
                add_scaled(hidden, to, np.float32(1), parts, member * OUT, OUT)


@compiled
def _multiply_row(
    weights: Any, start: int, deviation: Any, i: int, order: Any, at: int, count: int, parts: Any
) -> None:
    """One row of up to three sites of a column times its weights, four channels at a time, then one."""
    channels = deviation.shape[2]
    for c in range(0, channels - 3, 4):
        a = _four(deviation, order[at], i, c)
        if count == 1:
            _add_one(weights, start + c * OUT, a, parts)
            continue
        b = _four(deviation, order[at + 1], i, c)
        if count == 2:
            _add_two(weights, start + c * OUT, a, b, parts)
        else:
            _add_three(weights, start + c * OUT, a, b, _four(deviation, order[at + 2], i, c), parts)
    for c in range(channels - channels % 4, channels):
        for member in range(count):
            factor = deviation[order[at + member], i, c]
            add_scaled(parts, member * OUT, factor, weights, start + c * OUT, OUT)


@compiled
def _four(deviation: Any, site: int, i: int, c: int) -> Any:
    return (
        deviation[site, i, c],
        deviation[site, i, c + 1],
        deviation[site, i, c + 2],
        deviation[site, i, c + 3],
    )


@compiled
def _add_one(weights: Any, start: int, a: Any, parts: Any) -> None:
    a0, a1, a2, a3 = a
    for o in range(OUT):
        w0, w1 = weights[uintp(start + o)], weights[uintp(start + o + OUT)]
        w2, w3 = weights[uintp(start + o + 2 * OUT)], weights[uintp(start + o + 3 * OUT)]
        parts[uintp(o)] += a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3


@compiled
def _add_two(weights: Any, start: int, a: Any, b: Any, parts: Any) -> None:
    a0, a1, a2, a3 = a
    b0, b1, b2, b3 = b
    for o in range(OUT):
        w0, w1 = weights[uintp(start + o)], weights[uintp(start + o + OUT)]
        w2, w3 = weights[uintp(start + o + 2 * OUT)], weights[uintp(start + o + 3 * OUT)]
        parts[uintp(o)] += a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3
        parts[uintp(o + OUT)] += b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3


@compiled
def _add_three(weights: Any, start: int, a: Any, b: Any, d: Any, parts: Any) -> None:
    a0, a1, a2, a3 = a
    b0, b1, b2, b3 = b
    d0, d1, d2, d3 = d
    for o in range(OUT):
        w0, w1 = weights[uintp(start + o)], weights[uintp(start + o + OUT)]
        w2, w3 = weights[uintp(start + o + 2 * OUT)], weights[uintp(start + o + 3 * OUT)]
        parts[uintp(o)] += a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3
        parts[uintp(o + OUT)] += b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3
        parts[uintp(o + 2 * OUT)] += d0 * w0 + d1 * w1 + d2 * w2 + d3 * w3


@compiled
def _active_in_row(order: Any, first: int, end: int, rows: Any, i: int, active: Any) -> int:
    count = 0
    for at in range(first, end):
        site = order[at]
        if rows[site, 0] <= i < rows[site, 1]:
            active[count] = site
            count += 1
    return count


@compiled
def blocks_backward(
    state: AdamState,
    deviation: Any,
    members: SitesByColumn,
    first: int,
    end: int,
    hidden: HiddenGradient,
    rates: AdamRates,
    out: BlockOutputs,
) -> None:
    """The backward pass through some columns: gradients of the deviation and of the weights, Adam's step on
    the weights, and the sums of the new weights over the columns.

    Parameters
    ----------
    state
        Flat (columns, height, channels, OUT), updated in place.
    deviation
        As in the forward pass.
    members
        The sites by column.
    first, end
        The columns; all are of one kind.
    hidden
        The gradient of the forward pass's result.
    rates
        The factors of Adam's step.
    out
        The results.
    """
    weights, mean, square = state.weights, state.mean, state.square
    order, pointer, window, rows = members.order, members.pointer, members.window, members.rows
    gradient, total, idle = hidden.windows, hidden.total, hidden.idle
    site_gradient, sums = out.deviation, out.sums
    _, height, channels = deviation.shape
    active = np.empty(len(gradient) // OUT, dtype=np.int64)
    sums[:] = 0
    for j in range(first, end):
        for i in range(height):
            count = _active_in_row(order, pointer[j], pointer[j + 1], rows, i, active)
            sites = _ActiveSites(deviation, i, active, count, gradient, window)
            c = 0
            while c < channels:  # four rows of weights at once, while all their factors are in cache
                wide = 4 if c + 4 <= channels else 1
                row = i * channels + c
                start = (j * height * channels + row) * OUT
                for extra in range(wide):
                    _scale(sums, (2 * (row + extra) + 1) * OUT, idle[i, c + extra], total)
                if wide == 4:
                    _fold_four(weights, start, sites, c, sums, (2 * row + 1) * OUT, site_gradient)
                else:
                    _fold_one(weights, start, sites, c, sums, (2 * row + 1) * OUT, site_gradient)
                for extra in range(wide):
                    place = 2 * (row + extra) * OUT
                    _adam_row(weights, mean, square, start + extra * OUT, rates, sums, place)
                c += wide


@compiled
def _scale(target: Any, t: int, factor: Any, source: Any) -> None:
    for o in range(OUT):
        target[uintp(t + o)] = factor * source[o]


@compiled
def _fold_one(weights: Any, start: int, sites: _ActiveSites, c: int, g: Any, t: int, out: Any) -> None:
    """One channel: g += factors @ gradients, and each gradient's product with the row of weights."""
    deviation, i, active, count, gradient, window = sites
    for a in range(count):
        p = active[a]
        place = window[p] * OUT
        factor = deviation[p, i, c]
        dot = np.float32(0)
        for o in range(OUT):
            x = gradient[uintp(place + o)]
            dot += weights[uintp(start + o)] * x
            g[uintp(t + o)] += factor * x
        out[p, i, c] = dot


@compiled
def _fold_four(weights: Any, start: int, sites: _ActiveSites, c: int, g: Any, t: int, out: Any) -> None:
    """Four channels from c on, two sites at a time, then the odd one."""
    deviation, i, active, count, gradient, window = sites
    for a in range(0, count - 1, 2):
        p, q = active[a], active[a + 1]
        factors = _four(deviation, p, i, c), _four(deviation, q, i, c)
        places = window[p] * OUT, window[q] * OUT
        left, right = _fold_two_sites(weights, start, factors, gradient, places, g, t)
        _put_four(out, p, i, c, left)
        _put_four(out, q, i, c, right)
    if count % 2:
        p = active[count - 1]
        only = _fold_one_site(weights, start, _four(deviation, p, i, c), gradient, window[p] * OUT, g, t)
        _put_four(out, p, i, c, only)


@compiled
def _put_four(out: Any, site: int, i: int, c: int, values: Any) -> None:
    out[site, i, c], out[site, i, c + 1], out[site, i, c + 2], out[site, i, c + 3] = values


@compiled
def _fold_two_sites(
    weights: Any, start: int, factors: Any, gradient: Any, places: Any, g: Any, t: int
) -> Any:
    a0, a1, a2, a3 = factors[0]
    b0, b1, b2, b3 = factors[1]
    p, q = places
    d0 = d1 = d2 = d3 = e0 = e1 = e2 = e3 = np.float32(0)
    for o in range(OUT):
        x, y = gradient[uintp(p + o)], gradient[uintp(q + o)]
        w0, w1 = weights[uintp(start + o)], weights[uintp(start + o + OUT)]
        w2, w3 = weights[uintp(start + o + 2 * OUT)], weights[uintp(start + o + 3 * OUT)]
        d0 += w0 * x
        d1 += w1 * x
        d2 += w2 * x
        d3 += w3 * x
        e0 += w0 * y
        e1 += w1 * y
        e2 += w2 * y
        e3 += w3 * y
        g[uintp(t + o)] += a0 * x + b0 * y
        g[uintp(t + o + 2 * OUT)] += a1 * x + b1 * y
        g[uintp(t + o + 4 * OUT)] += a2 * x + b2 * y
        g[uintp(t + o + 6 * OUT)] += a3 * x + b3 * y
    return (d0, d1, d2, d3), (e0, e1, e2, e3)


@compiled
def _fold_one_site(weights: Any, start: int, factors: Any, gradient: Any, p: int, g: Any, t: int) -> Any:
    a0, a1, a2, a3 = factors
    d0 = d1 = d2 = d3 = np.float32(0)
    for o in range(OUT):
        x = gradient[uintp(p + o)]
        d0 += weights[uintp(start + o)] * x
        d1 += weights[uintp(start + o + OUT)] * x
        d2 += weights[uintp(start + o + 2 * OUT)] * x
        d3 += weights[uintp(start + o + 3 * OUT)] * x
        g[uintp(t + o)] += a0 * x
        g[uintp(t + o + 2 * OUT)] += a1 * x
        g[uintp(t + o + 4 * OUT)] += a2 * x
        g[uintp(t + o + 6 * OUT)] += a3 * x
    return d0, d1, d2, d3


@compiled
def _adam_row(
    weights: Any, mean: Any, square: Any, start: int, rates: AdamRates, sums: Any, place: int
) -> None:
    """Adam's step on one row of weights, and the new weights added to `sums`. The row's gradient is in the
    same array at a constant offset: the compiler would not vectorise a loop over one more array that might
    overlap the others."""
    mean_rate, square_keep, square_rate, step_size, correction, epsilon, decay = rates
    for o in range(OUT):
        at = uintp(start + o)
        g = sums[uintp(place + o + OUT)]
        m = mean[at] + mean_rate * (g - mean[at])
        v = square_keep * square[at] + square_rate * g * g
        w = weights[at]
        w -= step_size * m / (np.sqrt(v) * correction + epsilon) + decay * w
        mean[at] = m
        square[at] = v
        weights[at] = w
        sums[uintp(place + o)] += w


@compiled
def sum_blocks(weights: Any, first: int, end: int, sums: Any) -> None:
    """The sums of the flat weights (columns, rows, OUT) over the columns first..end-1, written to the first
    halves of `sums`, (rows, 2, OUT). They are added in the order of `blocks_backward` and so with the same
    rounding."""
    sums[:] = 0
    rows = len(sums) // (2 * OUT)
    for j in range(first, end):
        for row in range(rows):
            add_scaled(sums, 2 * row * OUT, np.float32(1), weights, (j * rows + row) * OUT, OUT)
