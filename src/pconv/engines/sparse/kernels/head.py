"""The linear layers after the first one: everything but the matrix products, in one pass each."""

from __future__ import annotations

from typing import Any

import numpy as np

from pconv.engines.sparse.kernels.convolution import compiled

_AT_ONCE = 16  # rows that are summed separately: one long sum would lose the last digits of every term


@compiled
def add_and_activate(sums: Any, bias: Any, slope: Any) -> None:
    """LeakyReLU of sums + bias, in place: (windows, outputs) and (outputs,)."""
    windows, outputs = sums.shape
    for window in range(windows):
        for o in range(outputs):
            x = sums[window, o] + bias[o]
            sums[window, o] = x if x > 0 else x * slope


@compiled
def through_activation(gradient: Any, activation: Any, slope: Any, total: Any) -> None:
    """The gradient before LeakyReLU, in place, and its sum over the windows: `gradient` and `activation` are
    (windows, outputs), `total` is (outputs,)."""
    windows, outputs = gradient.shape
    part = np.empty_like(total)
    total[:] = 0
    for first in range(0, windows, _AT_ONCE):
        part[:] = 0
        for window in range(first, min(windows, first + _AT_ONCE)):
            for o in range(outputs):
                gradient[window, o] *= np.float32(1) if activation[window, o] > 0 else slope
            for o in range(outputs):
                part[o] += gradient[window, o]
        for o in range(outputs):
            total[o] += part[o]


@compiled
def cross_entropy(logits: Any, labels: Any, gradient: Any, total: Any) -> Any:
    """The mean loss over the windows; writes the gradient of the logits, (windows, classes), and its sum over
    the windows, (classes,). Computed in double precision, which costs little: the classes are few."""
    windows, classes = logits.shape
    exponential, sums = np.empty(classes), np.zeros(classes)
    loss = 0.0
    for window in range(windows):
        greatest = logits[window, 0]
        for c in range(1, classes):
            greatest = max(greatest, logits[window, c])
        whole = 0.0
        for c in range(classes):
            exponential[c] = np.exp(np.float64(logits[window, c] - greatest))
            whole += exponential[c]
        loss += np.log(whole) - (logits[window, labels[window]] - greatest)
        for c in range(classes):
            g = (exponential[c] / whole - (1.0 if c == labels[window] else 0.0)) / windows
            gradient[window, c] = g
            sums[c] += g
    for c in range(classes):  # numba would compile an assignment of arrays for seconds
        total[c] = sums[c]
    return loss / windows
