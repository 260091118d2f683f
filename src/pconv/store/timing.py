"""Estimates of how long a run takes, from the times of stored runs or by its architecture's estimate."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, prod
from statistics import median
from typing import NamedTuple

from pconv.config import RunConfig
from pconv.models.registry import architecture_of

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
    """Seconds of an epoch on one core, by the architecture's guess of a step."""
    return config.batches * architecture_of(config).step_seconds(config)


def _distance(one: RunConfig, other: RunConfig) -> float:
    """The distance of two runs: the logarithm of the ratio of their sizes, 0 for the same shape."""
    kinds = [(c.architecture, c.representation) for c in (one, other)]
    shapes = [(c.rows, c.primes, c.kernels, c.channels, c.batch_size) for c in (one, other)]
    if (kinds[0], shapes[0]) == (kinds[1], shapes[1]):
        return 0.0
    sizes = [c.rows * c.primes * prod(c.channels) * max(c.kernels) ** 2 for c in (one, other)]
    strange = _STRANGER * (kinds[0][0] != kinds[1][0]) + (kinds[0][1] != kinds[1][1])
    return 1 + strange + abs(log(sizes[0] / sizes[1]))
