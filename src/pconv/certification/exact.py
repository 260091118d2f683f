"""The answers of networks with whole weights: where no float32 operation rounds.

Lemma 3 of docs/certify.md: whole numbers of absolute value up to 2^24 are float32 numbers. If inputs, weights
and biases are whole and the absolute values of the terms of a sum add up to less than 2^24, then every
product and every partial sum is such a number, so the sum is exact in any order. A negative multiple of 100
times the slope of LeakyReLU is rounded to the right whole number. A grid for which this holds at every
layer is *exact*: the bound on the rounding error of its logits is 0. Networks of `pconv compile` are made so.

The condition itself is decided without error. Terms that are not negative have a float32 sum below 2^24
exactly if their sum is below 2^24: up to there nothing is rounded, and no rounding leads back below.
"""

from __future__ import annotations

from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor

from pconv.certification.layers import Layer, Layers
from pconv.models.sizes import SLOPE

_LIMIT = 2.0**24
_INVERSE_SLOPE = 100.0


class ExactLogits(NamedTuple):
    """Logits in float32, and for each grid whether they have no rounding error."""

    logits: Tensor
    exact: Tensor


class ExactNetwork:
    """The evaluation of a network in float32, with a proof for each grid that nothing was rounded.

    Parameters
    ----------
    layers
        The layers, whose weights are whole numbers.
    """

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._absolute = Layers(*([layer.absolute() for layer in part] for part in layers))

    @staticmethod
    def applies(layers: Layers) -> bool:
        """Whether all weights and biases are whole numbers."""
        return all(layer.whole for part in layers for layer in part)

    def evaluate(self, grids: Tensor) -> ExactLogits:
        """The logits of some grids, (grids, rows, columns)."""
        exact = _whole(grids)
        x = grids
        if self._layers.convolutions:
            x = x.unsqueeze(1)
            for layer, absolute in zip(self._layers.convolutions, self._absolute.convolutions, strict=True):
                exact &= _small(absolute, x)
                x = layer.apply(x)
                exact &= _whole(x)
                x = F.max_pool2d(x, 2)
            exact &= _exact_slope(x)
            x = F.leaky_relu(x, SLOPE)
        x = x.flatten(1)
        last = self._layers.linear[-1]
        for layer, absolute in zip(self._layers.linear, self._absolute.linear, strict=True):
            exact &= _small(absolute, x)
            x = layer.apply(x)
            exact &= _whole(x)
            if layer is not last:
                exact &= _exact_slope(x)
                x = F.leaky_relu(x, SLOPE)
        return ExactLogits(x, exact)


def _whole(x: Tensor) -> Tensor:
    """Whether all values are whole numbers; sums of whole numbers that are not were not computed as sums."""
    return _every(x == x.round())


def _small(absolute: Layer, x: Tensor) -> Tensor:
    """Whether the terms of each sum add up to less than the limit, in absolute value."""
    return _every(absolute.apply(x.abs()) < _LIMIT)


def _exact_slope(x: Tensor) -> Tensor:
    """Whether each negative value is a multiple of 100, which LeakyReLU divides without error."""
    return _every((x >= 0) | (x.fmod(_INVERSE_SLOPE) == 0))


def _every(cells: Tensor) -> Tensor:
    """For each grid, whether all its cells are true."""
    return cells.flatten(1).all(dim=1)
