"""The network and the bound on its rounding, layer by layer as docs/certify.md defines them, in float64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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

    def answer(
        self, grids: Array, worth: NDArray[np.int64], slack: float, inflation: float
    ) -> NDArray[np.int64]:
        """The least of the answers that rounding allows for each grid; -1 where they are not worth the same.

        Parameters
        ----------
        grids
            (grids, rows, columns).
        worth
            What each answer would be worth, (grids, labels).
        slack, inflation
            What is added to the bound, and the factor on it.
        """
        logits, passes = self._forward(grids)
        top = logits.argmax(axis=1)
        gaps = logits[np.arange(len(grids)), top][:, None] - logits
        total = passes[-1].error[np.arange(len(grids)), top][:, None] + passes[-1].error
        rivals = gaps <= total * inflation + slack
        for j in range(self.classes):
            rows = np.flatnonzero(rivals[:, j] & (top != j))
            if len(rows):
                bound = self._difference([one.rows(rows) for one in passes], top[rows], j, inflation)
                rivals[rows, j] = gaps[rows, j] <= bound * inflation + slack
        least = rivals.argmax(axis=1)
        same = [len(set(values[rival].tolist())) == 1 for values, rival in zip(worth, rivals, strict=True)]
        return np.where(same, least, -1)

    def _forward(self, grids: Array) -> tuple[Array, list[Pass]]:
        x, error = grids[:, None], np.zeros_like(grids)[:, None]
        for weight, bias in self._convolutions:
            share = _gamma(weight[0].size + 1)
            error = _convolve(error + share * (np.abs(x) + error), np.abs(weight), share * np.abs(bias))
            x, error = _pooled(_convolve(x, weight, bias)), _pooled(error)
        if self._convolutions:
            x = _leaky(x)
            error = error + _gamma(2) * (np.abs(x) + error)
        x, error = x.reshape(len(grids), -1), error.reshape(len(grids), -1)
        passes = [Pass(x, error, error, error)]
        for weight, bias in self._linear:
            share = _gamma(weight[0].size + 1)
            own = share * ((np.abs(x) + error) @ np.abs(weight).T + np.abs(bias))
            error = error @ np.abs(weight).T + own
            y = x @ weight.T + bias
            x = _leaky(y)
            after = _gamma(2) * (np.abs(x) + error)
            passes.append(Pass(y, error, own, after))
            error = error + after
        return passes[-1].sums, passes

    def _difference(self, passes: list[Pass], top: NDArray[np.int64], j: int, inflation: float) -> Array:
        """A bound on the float32 error of logit `top` less logit j."""
        derivative = np.eye(self.classes)[top] - np.eye(self.classes)[j]
        unknown = np.zeros_like(derivative)
        bound = (np.abs(derivative) * passes[-1].own).sum(axis=1)
        for i in range(len(self._linear) - 1, -1, -1):
            weight = self._linear[i][0]
            derivative, unknown = derivative @ weight, unknown @ np.abs(weight)
            before = passes[i]
            bound += ((np.abs(derivative) + unknown) * before.after).sum(axis=1)
            if i == 0:
                break
            low = np.where(before.sums > before.error * inflation, 1.0, _SLOPE)
            high = np.where(before.sums < -before.error * inflation, _SLOPE, 1.0)
            unknown = unknown * high + np.abs(derivative) * (high - low) / 2
            derivative = derivative * (high + low) / 2
            bound += ((np.abs(derivative) + unknown) * before.own).sum(axis=1)
        return np.asarray(bound)


class Pass(NamedTuple):
    """Of a linear layer: its sums, the bound on their errors, the part that its own arithmetic adds, and what
    the activation after it adds. Of the features before the first layer, all but the first are their
    error."""

    sums: Array
    error: Array
    own: Array
    after: Array

    def rows(self, chosen: NDArray[np.int64]) -> Pass:
        return Pass(*(part[chosen] for part in self))


def _pair(arrays: Mapping[str, NDArray[np.float32]], name: str) -> tuple[Array, Array]:
    return arrays[f"{name}.weight"].astype(np.float64), arrays[f"{name}.bias"].astype(np.float64)


def _gamma(terms: int) -> float:
    return terms * _UNIT / (1 - terms * _UNIT)


def _leaky(x: Array) -> Array:
    return np.where(x > 0, x, _SLOPE * x)


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
