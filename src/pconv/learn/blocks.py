"""The first linear layer, block by block: nine tenths of the network's weights and of a step's time.

A block is what one pooled column feeds: (pooled height x channels) rows of OUT weights, contiguous. In the
forward pass a block meets the windows that deviate in its column. In the backward pass it is read once more,
and leaves updated: no gradient is ever stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uintp

from pconv.learn.kernels import OUT, add_scaled, compiled


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
    left, right = np.empty(OUT, dtype=np.float32), np.empty(OUT, dtype=np.float32)
    hidden[:] = 0
    for j in range(first, end):
        start = j * height * channels * OUT
        for at in range(pointer[j], pointer[j + 1] - 1, 2):
            p, q = order[at], order[at + 1]
            left[:] = 0
            right[:] = 0
            # The deviation is zero in rows that only the other site has.
            for i in range(min(rows[p, 0], rows[q, 0]), max(rows[p, 1], rows[q, 1])):
                _two_sites(weights, start + i * channels * OUT, deviation, p, q, i, left, right)
            add_scaled(hidden, window[p] * OUT, np.float32(1), left, 0, OUT)
            add_scaled(hidden, window[q] * OUT, np.float32(1), right, 0, OUT)
        if (pointer[j + 1] - pointer[j]) % 2:
            p = order[pointer[j + 1] - 1]
            left[:] = 0
            for i in range(rows[p, 0], rows[p, 1]):
                _one_site(weights, start + i * channels * OUT, deviation, p, i, left)
            add_scaled(hidden, window[p] * OUT, np.float32(1), left, 0, OUT)


@compiled
def _two_sites(
    weights: Any, start: int, deviation: Any, p: int, q: int, i: int, left: Any, right: Any
) -> None:
    """One row of two sites in the same column, four channels at a time, then one."""
    channels = deviation.shape[2]
    for c in range(0, channels - 3, 4):
        _add_two(weights, start + c * OUT, _four(deviation, p, i, c), _four(deviation, q, i, c), left, right)
    for c in range(channels - channels % 4, channels):
        add_scaled(left, 0, deviation[p, i, c], weights, start + c * OUT, OUT)
        add_scaled(right, 0, deviation[q, i, c], weights, start + c * OUT, OUT)


@compiled
def _one_site(weights: Any, start: int, deviation: Any, p: int, i: int, left: Any) -> None:
    channels = deviation.shape[2]
    for c in range(0, channels - 3, 4):
        _add_one(weights, start + c * OUT, _four(deviation, p, i, c), left)
    for c in range(channels - channels % 4, channels):
        add_scaled(left, 0, deviation[p, i, c], weights, start + c * OUT, OUT)


@compiled
def _four(deviation: Any, site: int, i: int, c: int) -> Any:
    return (
        deviation[site, i, c],
        deviation[site, i, c + 1],
        deviation[site, i, c + 2],
        deviation[site, i, c + 3],
    )


@compiled
def _add_two(weights: Any, start: int, a: Any, b: Any, left: Any, right: Any) -> None:
    a0, a1, a2, a3 = a
    b0, b1, b2, b3 = b
    for o in range(OUT):
        w0 = weights[uintp(start + o)]
        w1 = weights[uintp(start + o + OUT)]
        w2 = weights[uintp(start + o + 2 * OUT)]
        w3 = weights[uintp(start + o + 3 * OUT)]
        left[uintp(o)] += a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3
        right[uintp(o)] += b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3


@compiled
def _add_one(weights: Any, start: int, a: Any, left: Any) -> None:
    a0, a1, a2, a3 = a
    for o in range(OUT):
        w0 = weights[uintp(start + o)]
        w1 = weights[uintp(start + o + OUT)]
        w2 = weights[uintp(start + o + 2 * OUT)]
        w3 = weights[uintp(start + o + 3 * OUT)]
        left[uintp(o)] += a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3


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
            for c in range(0, channels, 2):  # two rows of weights at once, while all they meet is in cache
                row = i * channels + c
                start = (j * height * channels + row) * OUT
                pair = c + 1 < channels
                sites = deviation, i, c, active, count, gradient, window
                _scale(sums, (2 * row + 1) * OUT, idle[i, c], total)
                if pair:
                    _scale(sums, (2 * row + 3) * OUT, idle[i, c + 1], total)
                    _fold_pair(weights, start, sites, sums, (2 * row + 1) * OUT, site_gradient)
                else:
                    _fold_last(weights, start, sites, sums, (2 * row + 1) * OUT, site_gradient)
                _adam_row(weights, mean, square, start, rates, sums, 2 * row * OUT)
                if pair:
                    _adam_row(weights, mean, square, start + OUT, rates, sums, 2 * (row + 1) * OUT)


@compiled
def _scale(target: Any, t: int, factor: Any, source: Any) -> None:
    for o in range(OUT):
        target[uintp(t + o)] = factor * source[o]


@compiled
def _fold_last(weights: Any, start: int, sites: Any, g: Any, t: int, out: Any) -> None:
    """An odd channel, one site at a time."""
    deviation, i, c, active, count, gradient, window = sites
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
def _fold_pair(weights: Any, start: int, sites: Any, g: Any, t: int, out: Any) -> None:
    """Two channels, all active sites: four sites at a time, then two, then one."""
    deviation, i, c, active, count, gradient, window = sites
    a = 0
    while a + 4 <= count:
        p, q, r, s = active[a], active[a + 1], active[a + 2], active[a + 3]
        upper = deviation[p, i, c], deviation[q, i, c], deviation[r, i, c], deviation[s, i, c]
        lower = deviation[p, i, c + 1], deviation[q, i, c + 1], deviation[r, i, c + 1], deviation[s, i, c + 1]
        places = window[p] * OUT, window[q] * OUT, window[r] * OUT, window[s] * OUT
        d0, d1, d2, d3, e0, e1, e2, e3 = _fold_four(weights, start, (upper, lower), gradient, places, g, t)
        out[p, i, c], out[q, i, c], out[r, i, c], out[s, i, c] = d0, d1, d2, d3
        out[p, i, c + 1], out[q, i, c + 1], out[r, i, c + 1], out[s, i, c + 1] = e0, e1, e2, e3
        a += 4
    if a + 2 <= count:
        p, q = active[a], active[a + 1]
        factors = deviation[p, i, c], deviation[q, i, c], deviation[p, i, c + 1], deviation[q, i, c + 1]
        d0, d1, e0, e1 = _fold_two(weights, start, factors, gradient, window[p] * OUT, window[q] * OUT, g, t)
        out[p, i, c], out[q, i, c] = d0, d1
        out[p, i, c + 1], out[q, i, c + 1] = e0, e1
        a += 2
    if a < count:
        p = active[a]
        factors1 = deviation[p, i, c], deviation[p, i, c + 1]
        out[p, i, c], out[p, i, c + 1] = _fold_one(weights, start, factors1, gradient, window[p] * OUT, g, t)


@compiled
def _fold_four(weights: Any, start: int, factors: Any, gradient: Any, places: Any, g: Any, t: int) -> Any:
    """g += factors @ gradients for two rows, and each gradient's product with each row of weights."""
    f0, f1, f2, f3 = factors[0]
    h0, h1, h2, h3 = factors[1]
    p0, p1, p2, p3 = places
    d0 = d1 = d2 = d3 = e0 = e1 = e2 = e3 = np.float32(0)
    for o in range(OUT):
        w0, w1 = weights[uintp(start + o)], weights[uintp(start + o + OUT)]
        x0, x1 = gradient[uintp(p0 + o)], gradient[uintp(p1 + o)]
        x2, x3 = gradient[uintp(p2 + o)], gradient[uintp(p3 + o)]
        d0 += w0 * x0
        d1 += w0 * x1
        d2 += w0 * x2
        d3 += w0 * x3
        e0 += w1 * x0
        e1 += w1 * x1
        e2 += w1 * x2
        e3 += w1 * x3
        g[uintp(t + o)] += f0 * x0 + f1 * x1 + f2 * x2 + f3 * x3
        g[uintp(t + o + 2 * OUT)] += h0 * x0 + h1 * x1 + h2 * x2 + h3 * x3
    return d0, d1, d2, d3, e0, e1, e2, e3


@compiled
def _fold_two(weights: Any, start: int, factors: Any, gradient: Any, p: int, q: int, g: Any, t: int) -> Any:
    f0, f1, h0, h1 = factors
    d0 = d1 = e0 = e1 = np.float32(0)
    for o in range(OUT):
        w0, w1 = weights[uintp(start + o)], weights[uintp(start + o + OUT)]
        x0, x1 = gradient[uintp(p + o)], gradient[uintp(q + o)]
        d0 += w0 * x0
        d1 += w0 * x1
        e0 += w1 * x0
        e1 += w1 * x1
        g[uintp(t + o)] += f0 * x0 + f1 * x1
        g[uintp(t + o + 2 * OUT)] += h0 * x0 + h1 * x1
    return d0, d1, e0, e1


@compiled
def _fold_one(weights: Any, start: int, factors: Any, gradient: Any, p: int, g: Any, t: int) -> Any:
    f, h = factors
    d = e = np.float32(0)
    for o in range(OUT):
        x = gradient[uintp(p + o)]
        d += weights[uintp(start + o)] * x
        e += weights[uintp(start + o + OUT)] * x
        g[uintp(t + o)] += f * x
        g[uintp(t + o + 2 * OUT)] += h * x
    return d, e


@compiled
def _adam_row(weights: Any, mean: Any, square: Any, start: int, rates: Any, sums: Any, place: int) -> None:
    """One row's step and its place in the sums. Its gradient lies beside them at a constant offset: the
    compiler would not vectorise a loop over one more array that might overlap the others."""
    fresh1, beta2, fresh2, size, correction, epsilon = rates
    for o in range(OUT):
        at = uintp(start + o)
        g = sums[uintp(place + o + OUT)]
        m = mean[at] + fresh1 * (g - mean[at])
        v = beta2 * square[at] + fresh2 * g * g
        w = weights[at] - size * m / (np.sqrt(v) * correction + epsilon)
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
