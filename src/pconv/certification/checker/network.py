"""The network and the bound on its rounding, layer by layer as docs/certify.md defines them, in float64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Array = NDArray[np.float64]
_SLOPE = 0.01
_UNIT = 2.0**-24


class PlainNetwork:
    """p-Conv or the MLP.

    Parameters
    ----------
    arrays
        The weights under PyTorch's names.
    architecture
        pconv or mlp.
    layers
        The number of convolutions.
    """

    def __init__(self, arrays: Mapping[str, NDArray[np.float32]], architecture: str, layers: int) -> None:
        convolutions = [f"convolution.conv{i + 1}" for i in range(layers)] if architecture == "pconv" else []
        self._convolutions = [_pair(arrays, name) for name in convolutions]
        self._linear = [_pair(arrays, f"linear.fc{i}") for i in (1, 2, 3, 4)]

    @property
    def classes(self) -> int:
        """The number of labels that the network can answer."""
        return len(self._linear[-1][1])

    def answer(self, grids: Array, slack: float, inflation: float) -> NDArray[np.int64]:
        """The answer to each grid, -1 where the bound on rounding does not decide it.

        Parameters
        ----------
        grids
            (grids, rows, columns).
        slack, inflation
            What is added to the bound, and the factor on it.
        """
        logits, errors = self.logits(grids)
        answers = logits.argmax(axis=1)
        every = np.arange(len(grids))
        bound = (errors[every, answers][:, None] + errors) * inflation + slack
        beaten = logits[every, answers][:, None] - logits > bound
        beaten[every, answers] = True
        return np.where(beaten.all(axis=1), answers, -1)

    def logits(self, grids: Array) -> tuple[Array, Array]:
        """The logits, and the bound on the error of each in float32."""
        x, error = grids[:, None], np.zeros_like(grids)[:, None]
        for weight, bias in self._convolutions:
            share = _gamma(weight[0].size + 1)
            error = _convolve(error + share * (np.abs(x) + error), np.abs(weight), share * np.abs(bias))
            x = _convolve(x, weight, bias)
            x, error = _pooled(x), _pooled(error)
        if self._convolutions:
            x, error = _leaky(x, error)
        x, error = x.reshape(len(grids), -1), error.reshape(len(grids), -1)
        for i, (weight, bias) in enumerate(self._linear):
            share = _gamma(weight[0].size + 1)
            error = (error + share * (np.abs(x) + error)) @ np.abs(weight).T + share * np.abs(bias)
            x = x @ weight.T + bias
            if i < len(self._linear) - 1:
                x, error = _leaky(x, error)
        return x, error


def _pair(arrays: Mapping[str, NDArray[np.float32]], name: str) -> tuple[Array, Array]:
    return arrays[f"{name}.weight"].astype(np.float64), arrays[f"{name}.bias"].astype(np.float64)


def _gamma(terms: int) -> float:
    return terms * _UNIT / (1 - terms * _UNIT)


def _leaky(x: Array, error: Array) -> tuple[Array, Array]:
    after = np.where(x > 0, x, _SLOPE * x)
    return after, error + _gamma(2) * (np.abs(after) + error)


def _convolve(x: Array, weight: Array, bias: Array) -> Array:
    """(grids, channels, rows, columns) to the same size, padded with zeros."""
    half = weight.shape[-1] // 2
    padded = np.pad(x, [(0, 0), (0, 0), (half, half), (half, half)])
    windows: Any = sliding_window_view(padded, weight.shape[2:], axis=(2, 3))
    sums = np.tensordot(windows, weight, axes=([1, 4, 5], [1, 2, 3]))  # (grids, rows, columns, channels)
    return np.moveaxis(sums, 3, 1) + bias[:, None, None]


def _pooled(x: Array) -> Array:
    """The largest of every 2 x 2 cells; an odd last row or column is left out."""
    rows, columns = x.shape[2] // 2 * 2, x.shape[3] // 2 * 2
    corners: Sequence[Array] = [x[:, :, i:rows:2, j:columns:2] for i in (0, 1) for j in (0, 1)]
    return np.asarray(np.maximum.reduce(corners))
