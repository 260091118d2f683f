"""Guesses of what a training step costs, by architecture; measured times of a store replace them."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt

from pconv.config import RunConfig
from pconv.models.sizes import HIDDEN

_STEP, _WINDOW, _WEIGHT = 4e-4, 7.6e-6, 1.2e-9
"""p-Conv: CPU seconds of one core for a step of any size, for the linear layers of a window, and for the
update of a weight of the first linear layer."""
_ROW = 6.5e-8
"""p-Conv: seconds for a row of a window, by channels plus two and by the root of the columns: the more there
are, the more are touched. Measured with 3 to 25 rows, 2 to 5,000 columns and 1 to 16 channels."""
_MOST_COLUMNS = 200
"""From here on, a window touches hardly any more columns."""
_TOKEN, _CELL = 6e-6, 8e-8
"""Any other network: seconds for a row of a window, and for a cell of its grid. A transformer takes about
this time with few columns, an MLP with many."""


def pconv_inputs(config: RunConfig) -> int:
    """The features that p-Conv's first linear layer reads."""
    return config.feature_shape.size


def pconv_seconds(config: RunConfig) -> float:
    """A step of p-Conv: convolutions cost by rows, channels and columns, the first linear layer by its
    weights."""
    pairs = enumerate(pairwise((1, *config.channels)))
    maps = sum(before * after * 0.25**layer for layer, (before, after) in pairs)  # pooling leaves a quarter
    columns = sqrt(min(config.primes, _MOST_COLUMNS))
    window = _WINDOW + config.rows * (maps + 2) * columns * _ROW
    return _STEP + config.batch_size * window + config.feature_shape.size * HIDDEN[0] * _WEIGHT


def grid_inputs(config: RunConfig) -> int:
    """The cells of a grid."""
    return config.rows * config.primes


def grid_seconds(config: RunConfig) -> float:
    """A step of a network that reads the whole grid."""
    return config.batch_size * config.rows * (_TOKEN + config.primes * _CELL)
