"""The first linear layer, block by block: nine tenths of the network's weights and of a step's time.

A block is what one pooled column feeds: (pooled height x channels) rows of OUT weights, contiguous. In the
forward pass a block meets the windows that deviate in its column. In the backward pass it is read once more,
and leaves updated: no gradient is ever stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uintp

from pconv.engines.sparse.kernels.convolution import OUT, add_scaled, compiled

_TOGETHER = 3  # sites that meet a row of weights at once: their factors just fit the processor's registers


@compiled
def blocks_forward(
    weights: Any, deviation: Any, rows: Any, members: Any, first: int, end: int, hidden: Any
) -> None:
    """hidden[window] = deviation @ weights, for the columns first..end-1.

    weights: flat (columns, height, channels, OUT); deviation: (sites, height, channels); members: (order,
    column pointer, window); hidden: flat (windows, OUT). What a site adds is summed apart and then added at
    once: in one long sum over all rows of all sites every small term would lose its last digits.
    """
    order, pointer, window = members
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
                _meet(weights, start + i * channels * OUT, deviation, i, order, at, count, parts)
            for member in range(count):
                to = window[order[at + member]] * OUT
                add_scaled(hidden, to, np.float32(1), parts, member * OUT, OUT)


@compiled
def _meet(
    weights: Any, start: int, deviation: Any, i: int, order: Any, at: int, count: int, parts: Any
) -> None:
    """One row of some sites in the same column, four channels at a time, then one."""
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
    state: Any,
    deviation: Any,
    rows: Any,
    members: Any,
    first: int,
    end: int,
    given: Any,
    rates: Any,
    out: Any,
) -> None:
    """For the columns first..end-1, all of one kind: the deviation's gradient, the weights' gradient, Adam,
    and the sum of the new weights over the columns.

    state: (weights, mean, square), flat; given: (gradient of hidden, flat (windows, OUT), its sum over the
    windows, the background's features here (height, channels)); out: (gradient of the deviation, and flat
    (height, channels, 2, OUT) the sums of the weights, each with room for a gradient beside it).
    """
    weights, mean, square = state
    order, pointer, window = members
    gradient, total, idle = given
    site_gradient, sums = out
    _, height, channels = deviation.shape
    active = np.empty(len(gradient) // OUT, dtype=np.int64)
    sums[:] = 0
    for j in range(first, end):
        for i in range(height):
            count = _active_in_row(order, pointer[j], pointer[j + 1], rows, i, active)
            sites = deviation, i, active, count, gradient, window
            c = 0
            while c < channels:  # four rows of weights at once, while all they meet is in cache
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
def _fold_one(weights: Any, start: int, sites: Any, c: int, g: Any, t: int, out: Any) -> None:
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
def _fold_four(weights: Any, start: int, sites: Any, c: int, g: Any, t: int, out: Any) -> None:
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
def _adam_row(weights: Any, mean: Any, square: Any, start: int, rates: Any, sums: Any, place: int) -> None:
    """One row's step and its place in the sums. Its gradient lies beside them at a constant offset: the
    compiler would not vectorise a loop over one more array that might overlap the others."""
    fresh1, beta2, fresh2, size, correction, epsilon, decay = rates
    for o in range(OUT):
        at = uintp(start + o)
        g = sums[uintp(place + o + OUT)]
        m = mean[at] + fresh1 * (g - mean[at])
        v = beta2 * square[at] + fresh2 * g * g
        w = weights[at]
        w -= size * m / (np.sqrt(v) * correction + epsilon) + decay * w
        mean[at] = m
        square[at] = v
        weights[at] = w
        sums[uintp(place + o)] += w


@compiled
def sum_blocks(weights: Any, first: int, end: int, sums: Any) -> None:
    """The sums that `blocks_backward` leaves, in the same order and so to the bit."""
    sums[:] = 0
    rows = len(sums) // (2 * OUT)
    for j in range(first, end):
        for row in range(rows):
            add_scaled(sums, 2 * row * OUT, np.float32(1), weights, (j * rows + row) * OUT, OUT)
