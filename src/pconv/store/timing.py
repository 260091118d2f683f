"""How long a run will take: from the store's own times where it has some, else from its architecture's
guess."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, prod
from statistics import median
from typing import NamedTuple

from pconv.config import RunConfig
from pconv.models.registry import architecture_of

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
    """Seconds of an epoch on one core, by the architecture's guess of a step."""
    return config.batches * architecture_of(config).step_seconds(config)


def _distance(one: RunConfig, other: RunConfig) -> float:
    """How unlike two networks are: the logarithm of the ratio of the work they make, 0 for the same shape."""
    kinds = [(c.architecture, c.representation) for c in (one, other)]
    shapes = [(c.rows, c.primes, c.kernels, c.channels, c.batch_size) for c in (one, other)]
    if (kinds[0], shapes[0]) == (kinds[1], shapes[1]):
        return 0.0
    sizes = [c.rows * c.primes * prod(c.channels) * max(c.kernels) ** 2 for c in (one, other)]
    strange = _STRANGER * (kinds[0][0] != kinds[1][0]) + (kinds[0][1] != kinds[1][1])
    return 1 + strange + abs(log(sizes[0] / sizes[1]))
