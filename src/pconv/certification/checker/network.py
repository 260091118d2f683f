"""The network and the bound on its rounding, layer by layer as docs/certify.md defines them, in float64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Array = NDArray[np.float64]
ARCHITECTURES = ("pconv", "mlp")
_SLOPE = 0.01
_UNIT = 2.0**-24
_LARGEST_SUM = 2.0**24


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
        self._convolutions = [_Layer.of(arrays, name) for name in convolutions]
        self._linear = [_Layer.of(arrays, f"linear.fc{i}") for i in (1, 2, 3, 4)]
        self._all = [*self._convolutions, *self._linear]
        self.whole = all(_whole(layer.weight) and _whole(layer.bias) for layer in self._all)

    @property
    def in_range(self) -> bool:
        """Whether the theorem on rounding applies: no overflow, no underflow that matters, few terms."""
        largest, gain, share = 2.0**10, 1.0, 0.0
        for layer in self._all:
            row = float(layer.size.reshape(len(layer.bias), -1).sum(axis=1).max())
            largest = row * largest + float(np.abs(layer.bias).max())
            gain *= max(1.0, row)
            share += layer.share
        return largest <= 2.0**100 and gain <= 2.0**60 and 0 < share <= 0.04

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
        exact = self._exact(grids) if self.whole else np.zeros(len(grids), dtype=bool)
        total[exact] = 0
        rivals = gaps <= total * inflation + slack
        for j in range(self.classes):
            for precise in (False, True):
                rows = np.flatnonzero(rivals[:, j] & (top != j) & ~exact)
                if len(rows):
                    some = [one.rows(rows) for one in passes]
                    bound = self._difference(some, top[rows], j, inflation, precise)
                    rivals[rows, j] = gaps[rows, j] <= bound * inflation + slack
        least = rivals.argmax(axis=1)
        same = [len(set(values[rival].tolist())) == 1 for values, rival in zip(worth, rivals, strict=True)]
        return np.where(same, least, -1)

    def _forward(self, grids: Array) -> tuple[Array, list[Pass]]:
        x, error = grids[:, None], np.zeros_like(grids)[:, None]
        for layer in self._convolutions:
            share = layer.share
            error = _convolve(error + share * (np.abs(x) + error), layer.size, share * np.abs(layer.bias))
            x, error = _pooled(_convolve(x, layer.weight, layer.bias)), _pooled(error)
        if self._convolutions:
            x = _leaky(x)
            error = error + _gamma(2) * (np.abs(x) + error)
        x, error = x.reshape(len(grids), -1), error.reshape(len(grids), -1)
        passes = [Pass(x, error, error, error)]
        for layer in self._linear:
            own = layer.share * ((np.abs(x) + error) @ layer.size.T + np.abs(layer.bias))
            error = error @ layer.size.T + own
            y = x @ layer.weight.T + layer.bias
            x = _leaky(y)
            after = _gamma(2) * (np.abs(x) + error)
            passes.append(Pass(y, error, own, after))
            error = error + after
        return passes[-1].sums, passes

    def _exact(self, grids: Array) -> NDArray[np.bool_]:
        """Which grids a network with whole weights evaluates without any rounding (Lemma 3)."""
        x = grids[:, None]
        exact = _of_each(x == np.floor(x))
        for layer in self._convolutions:
            exact &= _of_each(_convolve(np.abs(x), layer.size, np.abs(layer.bias)) < _LARGEST_SUM)
            x = _pooled(_convolve(x, layer.weight, layer.bias))
        if self._convolutions:
            exact &= _of_each(_exact_slope(x))
            x = _leaky(x)
        x = x.reshape(len(grids), -1)
        for layer in self._linear:
            exact &= _of_each(np.abs(x) @ layer.size.T + np.abs(layer.bias) < _LARGEST_SUM)
            x = x @ layer.weight.T + layer.bias
            if layer is not self._linear[-1]:
                exact &= _of_each(_exact_slope(x))
                x = _leaky(x)
        return exact

    def _difference(
        self, passes: list[Pass], top: NDArray[np.int64], j: int, inflation: float, precise: bool
    ) -> Array:
        """A bound on the float32 error of logit `top` less logit j. If not precise, a larger one that is
        found sooner: the errors of the features count with absolute values."""
        derivative = np.eye(self.classes)[top] - np.eye(self.classes)[j]
        unknown = np.zeros_like(derivative)
        bound = (np.abs(derivative) * passes[-1].own).sum(axis=1)
        for i in range(len(self._linear) - 1, 0, -1):
            layer, before = self._linear[i], passes[i]
            derivative, unknown = derivative @ layer.weight, unknown @ layer.size
            bound += ((np.abs(derivative) + unknown) * before.after).sum(axis=1)
            low = np.where(before.sums > before.error * inflation, 1.0, _SLOPE)
            high = np.where(before.sums < -before.error * inflation, _SLOPE, 1.0)
            unknown = unknown * high + np.abs(derivative) * (high - low) / 2
            derivative = derivative * (high + low) / 2
            own = before.own if i > 1 or precise else before.error
            bound += ((np.abs(derivative) + unknown) * own).sum(axis=1)
        if precise:
            first = self._linear[0]
            factor = np.abs(derivative @ first.weight) + unknown @ first.size
            bound += (factor * passes[0].error).sum(axis=1)
        return np.asarray(bound)


class _Layer(NamedTuple):
    """Weights and biases, the absolute values of the weights, and the relative error of a sum."""

    weight: Array
    bias: Array
    size: Array
    share: float

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[np.float32]], name: str) -> _Layer:
        weight, bias = (arrays[f"{name}.{part}"].astype(np.float64) for part in ("weight", "bias"))
        return cls(weight, bias, np.abs(weight), _gamma(weight[0].size + 1))


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


def _gamma(terms: int) -> float:
    return terms * _UNIT / (1 - terms * _UNIT)


def _leaky(x: Array) -> Array:
    return np.where(x > 0, x, _SLOPE * x)


def _whole(x: Array) -> bool:
    return bool((x == np.floor(x)).all())


def _exact_slope(x: Array) -> NDArray[np.bool_]:
    """Where LeakyReLU does not round: of negative numbers, at multiples of 100."""
    return np.asarray((x >= 0) | (x == 100 * np.floor(x / 100)))


def _of_each(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each grid, whether all its cells are true."""
    return np.asarray(cells.reshape(len(cells), -1).all(axis=1))


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
