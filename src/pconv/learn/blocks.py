"""The first linear layer, block by block: nine tenths of the network's weights and of a step's time.

A block is what one pooled column feeds: (pooled height x channels) rows of OUT weights, contiguous. In the
forward pass a block meets the windows that deviate in its column. In the backward pass it is read once more,
and leaves updated: no gradient is ever stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pconv.learn.kernels import OUT, compiled


@compiled
def blocks_forward(
    weights: Any, deviation: Any, rows: Any, members: Any, first: int, end: int, hidden: Any
) -> None:
    """hidden[window] += deviation @ weights, for the columns first..end-1.

    weights: flat (columns, height, channels, OUT); deviation: (sites, height, channels); members: (order,
    column pointer, window).
    """
    order, pointer, window = members
    _, height, channels = deviation.shape
    active = np.empty(len(hidden), dtype=np.int64)
    for j in range(first, end):
        for i in range(height):
            count = _active_in_row(order, pointer[j], pointer[j + 1], rows, i, active)
            for c in range(0, channels - 3, 4):
                start = ((j * height + i) * channels + c) * OUT
                block = weights[start : start + 4 * OUT]
                for a in range(0, count - 1, 2):
                    p, q = active[a], active[a + 1]
                    left, right = deviation[p, i, c : c + 4], deviation[q, i, c : c + 4]
                    _add_two(block, left, right, hidden[window[p]], hidden[window[q]])
                if count % 2:
                    p = active[count - 1]
                    _add_one(block, deviation[p, i, c : c + 4], hidden[window[p]])
            for c in range(channels - channels % 4, channels):
                start = ((j * height + i) * channels + c) * OUT
                block = weights[start : start + OUT]
                for a in range(count):
                    p = active[a]
                    factor = deviation[p, i, c]
                    target = hidden[window[p]]
                    for o in range(OUT):
                        target[o] += factor * block[o]


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
def _add_two(block: Any, left: Any, right: Any, out1: Any, out2: Any) -> None:
    a0, a1, a2, a3 = left[0], left[1], left[2], left[3]
    b0, b1, b2, b3 = right[0], right[1], right[2], right[3]
    for o in range(OUT):
        w0, w1, w2, w3 = block[o], block[o + OUT], block[o + 2 * OUT], block[o + 3 * OUT]
        out1[o] += a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3
        out2[o] += b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3


@compiled
def _add_one(block: Any, left: Any, out: Any) -> None:
    a0, a1, a2, a3 = left[0], left[1], left[2], left[3]
    for o in range(OUT):
        out[o] += a0 * block[o] + a1 * block[o + OUT] + a2 * block[o + 2 * OUT] + a3 * block[o + 3 * OUT]


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

    state: (weights, mean, square), flat; given: (gradient of hidden (windows, OUT), its sum over the windows,
    the background's features here (height, channels)); out: (gradient of the deviation, sum of the weights
    (height, channels, OUT)).
    """
    weights, mean, square = state
    order, pointer, window = members
    gradient, total, idle = given
    deviation_gradient, weight_sum = out
    _, height, channels = deviation.shape
    active = np.empty(len(gradient), dtype=np.int64)
    g = np.empty(OUT, dtype=np.float32)
    weight_sum[:] = 0
    for j in range(first, end):
        for i in range(height):
            count = _active_in_row(order, pointer[j], pointer[j + 1], rows, i, active)
            for c in range(channels):
                start = ((j * height + i) * channels + c) * OUT
                block = weights[start : start + OUT]
                at_rest = idle[i, c]
                for o in range(OUT):
                    g[o] = at_rest * total[o]
                for a in range(0, count - 3, 4):
                    p, q, r, s = active[a], active[a + 1], active[a + 2], active[a + 3]
                    factors = deviation[p, i, c], deviation[q, i, c], deviation[r, i, c], deviation[s, i, c]
                    g0, g1 = gradient[window[p]], gradient[window[q]]
                    g2, g3 = gradient[window[r]], gradient[window[s]]
                    dots = _fold_four(block, factors, g0, g1, g2, g3, g)
                    deviation_gradient[p, i, c] = dots[0]
                    deviation_gradient[q, i, c] = dots[1]
                    deviation_gradient[r, i, c] = dots[2]
                    deviation_gradient[s, i, c] = dots[3]
                for a in range(count - count % 4, count):
                    p = active[a]
                    deviation_gradient[p, i, c] = _fold_one(block, deviation[p, i, c], gradient[window[p]], g)
                moments = mean[start : start + OUT], square[start : start + OUT]
                _adam_row(block, g, moments[0], moments[1], rates, weight_sum[i, c])


@compiled
def _fold_four(block: Any, factors: Any, d0: Any, d1: Any, d2: Any, d3: Any, g: Any) -> Any:
    f0, f1, f2, f3 = factors
    s0 = s1 = s2 = s3 = np.float32(0)
    for o in range(OUT):
        w, x0, x1, x2, x3 = block[o], d0[o], d1[o], d2[o], d3[o]
        s0 += w * x0
        s1 += w * x1
        s2 += w * x2
        s3 += w * x3
        g[o] += f0 * x0 + f1 * x1 + f2 * x2 + f3 * x3
    return s0, s1, s2, s3


@compiled
def _fold_one(block: Any, factor: Any, d: Any, g: Any) -> Any:
    s = np.float32(0)
    for o in range(OUT):
        s += block[o] * d[o]
        g[o] += factor * d[o]
    return s


@compiled
def _adam_row(weights: Any, gradient: Any, mean: Any, square: Any, rates: Any, weight_sum: Any) -> None:
    fresh1, beta2, fresh2, size, correction, epsilon = rates
    for o in range(OUT):
        g = gradient[o]
        m = mean[o] + fresh1 * (g - mean[o])
        v = beta2 * square[o] + fresh2 * g * g
        w = weights[o] - size * m / (np.sqrt(v) * correction + epsilon)
        mean[o] = m
        square[o] = v
        weights[o] = w
        weight_sum[o] += w


@compiled
def sum_blocks(weights: Any, first: int, end: int, weight_sum: Any) -> None:
    """The sum that `blocks_backward` leaves, in the same order: to the bit, so that a restored engine goes on."""
    height, channels, _ = weight_sum.shape
    weight_sum[:] = 0
    for j in range(first, end):
        for i in range(height):
            for c in range(channels):
                start = ((j * height + i) * channels + c) * OUT
                block = weights[start : start + OUT]
                target = weight_sum[i, c]
                for o in range(OUT):
                    target[o] += block[o]
