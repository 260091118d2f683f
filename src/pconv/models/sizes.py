"""The sizes of p-Conv's layers, known without loading torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pconv.config import RunConfig

HIDDEN = (1000, 100, 10)
"""The widths of the linear layers between the flattened features and the classes, as in the paper."""
SLOPE = 0.01
"""LeakyReLU's slope below zero: PyTorch's default."""


class FeatureShape(NamedTuple):
    """The shape of a feature map."""

    channels: int
    height: int
    width: int

    @property
    def size(self) -> int:
        """How many numbers a map of this shape holds."""
        return self.channels * self.height * self.width


def pooled_shape(rows: int, columns: int, channels: Sequence[int]) -> FeatureShape:
    """The shape of the map after the last pooling: each layer halves rows and columns.

    Parameters
    ----------
    rows, columns
        The size of the grid.
    channels
        The channels of each convolution.

    >>> pooled_shape(9, 32, (4, 8))
    FeatureShape(channels=8, height=2, width=8)
    """
    return FeatureShape(channels[-1], rows >> len(channels), columns >> len(channels))


def feature_shape(config: RunConfig) -> FeatureShape:
    """The shape of the features that the linear layers of a run's p-Conv read."""
    return pooled_shape(config.rows, config.primes, config.channels)
