"""How long a run will take: from the store's own times where it has some, else from the work it is."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, prod
from statistics import median
from typing import NamedTuple

from pconv.config import RunConfig

_HIDDEN = 1000  # the first linear layer's width
_STEP, _CELL, _WEIGHT, _ACTIVATION = 0.8e-3, 3.3e-10, 1.5e-9, 1.5e-10
"""Seconds a step, a multiplication of the convolution, a weight's update, and a multiplication of the first
linear layer, measured on one core. They only serve until the store knows better."""


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
    """The work of an epoch in the seconds that the plain engine takes for it on one core."""
    cells = config.rows * config.primes
    convolution = 0.0
    for incoming, outgoing, k in zip((1, *config.channels), config.channels, config.kernels, strict=False):
        convolution += cells * incoming * outgoing * k * k
        cells //= 4  # pooling
    shrink: int = 2 ** len(config.channels)
    weights = config.channels[-1] * (config.rows // shrink) * (config.primes // shrink) * _HIDDEN
    step = _STEP + weights * _WEIGHT + config.batch_size * (convolution * _CELL + weights * _ACTIVATION)
    return config.batches * step


def _distance(one: RunConfig, other: RunConfig) -> float:
    """How unlike two networks are: the logarithm of the ratio of the work they make, 0 for the same shape."""
    shapes = [(c.rows, c.primes, c.kernels, c.channels, c.batch_size) for c in (one, other)]
    if shapes[0] == shapes[1]:
        return 0.0
    sizes = [c.rows * c.primes * prod(c.channels) * max(c.kernels) ** 2 for c in (one, other)]
    return 1 + abs(log(sizes[0] / sizes[1]))
