"""How long a run will take: from the store's own times where it has some, else from the work it is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log, prod
from statistics import median
from typing import NamedTuple

from pconv.config import RunConfig

_HIDDEN = 1000  # the first linear layer's width
_ROW, _WEIGHT = 1.4e-6, 3.2e-9
"""Seconds for a row of a window with one channel, and for the update of a weight of the head, as
one core took them (9 and 25 rows, 32 to 5,000 columns). They serve until the store knows better."""
_TOKEN, _CELL = 6e-6, 8e-8
"""Of any other network: seconds for a row of a window, and for a cell of its grid. A transformer takes about
so long with few columns, an MLP with many."""


_STRANGER = 100
"""Another architecture is unlike however alike the sizes are."""


class Timing(NamedTuple):
    """A finished run and what an epoch of it took."""

    config: RunConfig
    seconds: float


def estimated_seconds(config: RunConfig, known: Sequence[Timing]) -> float:
    """Seconds for all epochs; a run that stops early takes less."""
    return config.epochs * _epoch(config, known)


def _epoch(config: RunConfig, known: Sequence[Timing]) -> float:
    guess = guessed_epoch(config)
    if not known:
        return guess
    nearest = min(_distance(config, timing.config) for timing in known)
    alike = [t for t in known if _distance(config, t.config) == nearest]
    return guess * median(t.seconds / guessed_epoch(t.config) for t in alike)


def guessed_epoch(config: RunConfig) -> float:
    """Seconds of an epoch on one core: convolutions cost by rows and channels, the head by its weights."""
    if config.architecture != "pconv":
        return config.batches * config.batch_size * config.rows * (_TOKEN + config.primes * _CELL)
    maps = sum(before * after for before, after in pairwise((1, *config.channels)))
    shrink: int = 2 ** len(config.channels)
    weights = config.channels[-1] * (config.rows // shrink) * (config.primes // shrink) * _HIDDEN
    return config.batches * (config.batch_size * config.rows * maps * _ROW + weights * _WEIGHT)


def _distance(one: RunConfig, other: RunConfig) -> float:
    """How unlike two networks are: the logarithm of the ratio of the work they make, 0 for the same shape."""
    kinds = [(c.architecture, c.representation) for c in (one, other)]
    shapes = [(c.rows, c.primes, c.kernels, c.channels, c.batch_size) for c in (one, other)]
    if (kinds[0], shapes[0]) == (kinds[1], shapes[1]):
        return 0.0
    sizes = [c.rows * c.primes * prod(c.channels) * max(c.kernels) ** 2 for c in (one, other)]
    strange = _STRANGER * (kinds[0][0] != kinds[1][0]) + (kinds[0][1] != kinds[1][1])
    return 1 + strange + abs(log(sizes[0] / sizes[1]))
