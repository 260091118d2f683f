"""Estimates of how long a run will take, from the times of stored runs or from its size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log, prod
from statistics import median
from typing import NamedTuple

from pconv.config import RunConfig

_HIDDEN = 1000  # the first linear layer's width
_ROW, _WEIGHT = 1.4e-6, 3.2e-9
"""Seconds on one core for a row of a window with one channel, and for the update of a weight of the head,
measured with 9 and 25 rows and 32 to 5,000 columns. Used while the store has no times."""
_TOKEN, _CELL = 6e-6, 8e-8
"""Seconds of other architectures for a row of a window and for a cell of its grid, about those of a
transformer with few columns and of an MLP with many."""


_STRANGER = 100
"""The distance between runs of different architectures, whatever their sizes."""


class Timing(NamedTuple):
    """A finished run and the mean seconds of its epochs."""

    config: RunConfig
    seconds: float


def estimated_seconds(config: RunConfig, known: Sequence[Timing]) -> float:
    """Estimated seconds for all epochs of a run; one that stops early takes less."""
    return config.epochs * _epoch(config, known)


def _epoch(config: RunConfig, known: Sequence[Timing]) -> float:
    guess = guessed_epoch(config)
    if not known:
        return guess
    nearest = min(_distance(config, timing.config) for timing in known)
    alike = [t for t in known if _distance(config, t.config) == nearest]
    return guess * median(t.seconds / guessed_epoch(t.config) for t in alike)


def guessed_epoch(config: RunConfig) -> float:
    """Estimated seconds of an epoch on one core, by rows and channels, and by the weights of the head."""
    if config.architecture != "pconv":
        return config.batches * config.batch_size * config.rows * (_TOKEN + config.primes * _CELL)
    maps = sum(before * after for before, after in pairwise((1, *config.channels)))
    shrink: int = 2 ** len(config.channels)
    weights = config.channels[-1] * (config.rows // shrink) * (config.primes // shrink) * _HIDDEN
    return config.batches * (config.batch_size * config.rows * maps * _ROW + weights * _WEIGHT)


def _distance(one: RunConfig, other: RunConfig) -> float:
    """The distance of two runs: the logarithm of the ratio of their sizes, 0 for the same shape."""
    kinds = [(c.architecture, c.representation) for c in (one, other)]
    shapes = [(c.rows, c.primes, c.kernels, c.channels, c.batch_size) for c in (one, other)]
    if (kinds[0], shapes[0]) == (kinds[1], shapes[1]):
        return 0.0
    sizes = [c.rows * c.primes * prod(c.channels) * max(c.kernels) ** 2 for c in (one, other)]
    strange = _STRANGER * (kinds[0][0] != kinds[1][0]) + (kinds[0][1] != kinds[1][1])
    return 1 + strange + abs(log(sizes[0] / sizes[1]))
