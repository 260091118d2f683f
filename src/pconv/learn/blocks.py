"""The first linear layer, block by block: nine tenths of the network's weights and of a step's time.

A block is what one pooled column feeds: (pooled height x channels) rows of OUT weights, contiguous. In the
forward pass a block meets the windows that deviate in its column. In the backward pass it is read once more,
and leaves updated: no gradient is ever stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pconv.learn.kernels import OUT, add_scaled, compiled, uintp


@compiled
def blocks_forward(
    weights: Any, deviation: Any, rows: Any, members: Any, first: int, end: int, hidden: Any
) -> None:
    """hidden[window] += deviation @ weights, for the columns first..end-1.

    weights: flat (columns, height, channels, OUT); deviation: (sites, height, channels); members: (order,
    column pointer, window); hidden: flat (windows, OUT).
    """
    order, pointer, window = members
    _, height, channels = deviation.shape
    active = np.empty(len(hidden) // OUT, dtype=np.int64)
    for j in range(first, end):
        for i in range(height):
            count = _active_in_row(order, pointer[j], pointer[j + 1], rows, i, active)
            for c in range(0, channels - 3, 4):
                start = ((j * height + i) * channels + c) * OUT
                for a in range(0, count - 1, 2):
                    p, q = active[a], active[a + 1]
                    left, right = _four(deviation, p, i, c), _four(deviation, q, i, c)
                    _add_two(weights, start, left, right, hidden, window[p] * OUT, window[q] * OUT)
                if count % 2:
                    p = active[count - 1]
                    _add_one(weights, start, _four(deviation, p, i, c), hidden, window[p] * OUT)
            for c in range(channels - channels % 4, channels):
                start = ((j * height + i) * channels + c) * OUT
                for a in range(count):
                    p = active[a]
                    add_scaled(hidden, window[p] * OUT, deviation[p, i, c], weights, start, OUT)


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
def _four(deviation: Any, site: int, i: int, c: int) -> Any:
    return deviation[site, i, c], deviation[site, i, c + 1], deviation[site, i, c + 2], deviation[site, i, c + 3]


@compiled
def _add_two(weights: Any, start: int, left: Any, right: Any, hidden: Any, p: int, q: int) -> None:
    a0, a1, a2, a3 = left
    b0, b1, b2, b3 = right
    for o in range(OUT):
        w0 = weights[uintp(start + o)]
        w1 = weights[uintp(start + o + OUT)]
        w2 = weights[uintp(start + o + 2 * OUT)]
        w3 = weights[uintp(start + o + 3 * OUT)]
        hidden[uintp(p + o)] += a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3
        hidden[uintp(q + o)] += b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3


@compiled
def _add_one(weights: Any, start: int, left: Any, hidden: Any, p: int) -> None:
    a0, a1, a2, a3 = left
    for o in range(OUT):
        w0 = weights[uintp(start + o)]
        w1 = weights[uintp(start + o + OUT)]
        w2 = weights[uintp(start + o + 2 * OUT)]
        w3 = weights[uintp(start + o + 3 * OUT)]
        hidden[uintp(p + o)] += a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3


@compiled
def blocks_backward(
    state: Any, deviation: Any, rows: Any, members: Any, first: int, end: int, given: Any, rates: Any, out: Any
) -> None:
    """For the columns first..end-1, all of one kind: the deviation's gradient, the weights' gradient, Adam,
    and the sum of the new weights over the columns.

    state: (weights, mean, square), flat; given: (gradient of hidden, flat (windows, OUT), its sum over the
    windows, the background's features here (height, channels)); out: (gradient of the deviation, sum of the
    weights, flat (height, channels, OUT)).
    """
    weights, mean, square = state
    order, pointer, window = members
    gradient, total, idle = given
    deviation_gradient, weight_sum = out
    _, height, channels = deviation.shape
    active = np.empty(len(gradient) // OUT, dtype=np.int64)
    g = np.empty(OUT, dtype=np.float32)
    weight_sum[:] = 0
    for j in range(first, end):
        for i in range(height):
            count = _active_in_row(order, pointer[j], pointer[j + 1], rows, i, active)
            for c in range(channels):
                start = ((j * height + i) * channels + c) * OUT
                at_rest = idle[i, c]
                for o in range(OUT):
                    g[o] = at_rest * total[o]
                for a in range(0, count - 3, 4):
                    p, q, r, s = active[a], active[a + 1], active[a + 2], active[a + 3]
                    factors = deviation[p, i, c], deviation[q, i, c], deviation[r, i, c], deviation[s, i, c]
                    places = window[p] * OUT, window[q] * OUT, window[r] * OUT, window[s] * OUT
                    dots = _fold_four(weights, start, factors, gradient, places, g)
                    deviation_gradient[p, i, c] = dots[0]
                    deviation_gradient[q, i, c] = dots[1]
                    deviation_gradient[r, i, c] = dots[2]
                    deviation_gradient[s, i, c] = dots[3]
                for a in range(count - count % 4, count):
                    p = active[a]
                    dot = _fold_one(weights, start, deviation[p, i, c], gradient, window[p] * OUT, g)
                    deviation_gradient[p, i, c] = dot
                _adam_row(weights, g, mean, square, start, rates, weight_sum, (i * channels + c) * OUT)


@compiled
def _fold_four(weights: Any, start: int, factors: Any, gradient: Any, places: Any, g: Any) -> Any:
    """g += factors @ gradients, and each gradient's product with the row of weights."""
    f0, f1, f2, f3 = factors
    p0, p1, p2, p3 = places
    s0 = s1 = s2 = s3 = np.float32(0)
    for o in range(OUT):
        w = weights[uintp(start + o)]
        x0 = gradient[uintp(p0 + o)]
        x1 = gradient[uintp(p1 + o)]
        x2 = gradient[uintp(p2 + o)]
        x3 = gradient[uintp(p3 + o)]
        s0 += w * x0
        s1 += w * x1
        s2 += w * x2
        s3 += w * x3
        g[o] += f0 * x0 + f1 * x1 + f2 * x2 + f3 * x3
    return s0, s1, s2, s3


@compiled
def _fold_one(weights: Any, start: int, factor: Any, gradient: Any, place: int, g: Any) -> Any:
    s = np.float32(0)
    for o in range(OUT):
        x = gradient[uintp(place + o)]
        s += weights[uintp(start + o)] * x
        g[o] += factor * x
    return s


@compiled
def _adam_row(
    weights: Any, gradient: Any, mean: Any, square: Any, start: int, rates: Any, weight_sum: Any, place: int
) -> None:
    fresh1, beta2, fresh2, size, correction, epsilon = rates
    for o in range(OUT):
        at = uintp(start + o)
        g = gradient[o]
        m = mean[at] + fresh1 * (g - mean[at])
        v = beta2 * square[at] + fresh2 * g * g
        w = weights[at] - size * m / (np.sqrt(v) * correction + epsilon)
        mean[at] = m
        square[at] = v
        weights[at] = w
        weight_sum[uintp(place + o)] += w


@compiled
def sum_blocks(weights: Any, first: int, end: int, weight_sum: Any) -> None:
    """The sum that `blocks_backward` leaves, in the same order and so to the bit."""
    weight_sum[:] = 0
    rows = len(weight_sum) // OUT
    for j in range(first, end):
        for row in range(rows):
            add_scaled(weight_sum, row * OUT, np.float32(1), weights, (j * rows + row) * OUT, OUT)
