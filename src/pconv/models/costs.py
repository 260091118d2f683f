"""Guesses of what a training step costs, by architecture; measured times of a store replace them."""

from __future__ import annotations

from itertools import pairwise

from pconv.config import RunConfig
from pconv.models.sizes import HIDDEN

_ROW, _WEIGHT = 1.4e-6, 3.2e-9
"""p-Conv: seconds for a row of a window with one channel, and for the update of a weight of the first linear
layer, as measured on one core (9 and 25 rows, 32 to 5,000 columns)."""
_TOKEN, _CELL = 6e-6, 8e-8
"""Any other network: seconds for a row of a window, and for a cell of its grid. A transformer takes about
this time with few columns, an MLP with many."""


def pconv_inputs(config: RunConfig) -> int:
    """The features that p-Conv's first linear layer reads."""
    return config.feature_shape.size


def pconv_seconds(config: RunConfig) -> float:
    """A step of p-Conv: convolutions cost by rows and channels, the first linear layer by its weights."""
    maps = sum(before * after for before, after in pairwise((1, *config.channels)))
    weights = config.feature_shape.size * HIDDEN[0]
    return config.batch_size * config.rows * maps * _ROW + weights * _WEIGHT


def grid_inputs(config: RunConfig) -> int:
    """The cells of a grid."""
    return config.rows * config.primes


def grid_seconds(config: RunConfig) -> float:
    """A step of a network that reads the whole grid."""
    return config.batch_size * config.rows * (_TOKEN + config.primes * _CELL)
