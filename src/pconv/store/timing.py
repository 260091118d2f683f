"""Estimates of how long a run takes, from the times of stored runs or by its architecture's estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log, prod
from statistics import median
from typing import NamedTuple

from pconv.config import RunConfig
from pconv.data.domain import SELECTION_SIZE
from pconv.models.registry import architecture_of
from pconv.models.sizes import HIDDEN

START = 3.0
"""Seconds until a process has loaded torch, the compiled loops and its tables. Compiling them, once for a
version of pconv, takes a quarter of a minute more."""
_SET_UP = 0.15
"""Seconds until a run of a small network begins its first epoch."""
_DRAW = 2.4e-8
"""Seconds to draw a weight and to put it where the engine keeps it."""
_FORWARD = 0.45
"""The share of a training step, without the update of the weights, that evaluating as many numbers takes."""
_STRANGER = 100
"""The distance between runs of different architectures, whatever their sizes."""


class Timing(NamedTuple):
    """A finished run and the mean seconds of its epochs."""

    config: RunConfig
    seconds: float


def estimated_seconds(config: RunConfig, known: Sequence[Timing], census: bool = True) -> float:
    """Estimated seconds of a run in a process that has started; one that stops early takes less.

    Parameters
    ----------
    config
        The run.
    known
        The times of stored runs. Those of the most similar size correct the guess for this machine.
    census
        Whether a census is taken at the end.
    """
    return set_up_seconds(config) + _slower(config, known) * guessed_work(config, census)


def set_up_seconds(config: RunConfig) -> float:
    """Seconds to encode the training numbers, and to draw the weights of the first linear layer."""
    return _SET_UP + architecture_of(config).inputs(config) * HIDDEN[0] * _DRAW


def guessed_work(config: RunConfig, census: bool = True) -> float:
    """Seconds of all epochs and of the census on one core, by the architecture's guess of a step."""
    evaluated = config.epochs * (SELECTION_SIZE + config.test_size) + (config.limit if census else 0)
    return config.epochs * guessed_epoch(config) + evaluated * _answer(config)


def guessed_epoch(config: RunConfig) -> float:
    """Seconds of the steps of an epoch on one core."""
    return config.batches * architecture_of(config).step_seconds(config)


def _answer(config: RunConfig) -> float:
    """Seconds to evaluate a number: a share of what one more window in a batch costs."""
    step = architecture_of(config).step_seconds
    return _FORWARD * (step(replace(config, batch_size=2)) - step(replace(config, batch_size=1)))


def _slower(config: RunConfig, known: Sequence[Timing]) -> float:
    """How many times longer than guessed the most similar runs took."""
    if not known:
        return 1.0
    nearest = min(_distance(config, timing.config) for timing in known)
    alike = [t for t in known if _distance(config, t.config) == nearest]
    return median(t.seconds / guessed_epoch(t.config) for t in alike)


def _distance(one: RunConfig, other: RunConfig) -> float:
    """The distance of two runs: the logarithm of the ratio of their sizes, 0 for the same shape."""
    kinds = [(c.architecture, c.representation) for c in (one, other)]
    shapes = [(c.rows, c.primes, c.kernels, c.channels, c.batch_size) for c in (one, other)]
    if (kinds[0], shapes[0]) == (kinds[1], shapes[1]):
        return 0.0
    sizes = [c.rows * c.primes * prod(c.channels) * max(c.kernels) ** 2 for c in (one, other)]
    strange = _STRANGER * (kinds[0][0] != kinds[1][0]) + (kinds[0][1] != kinds[1][1])
    return 1 + strange + abs(log(sizes[0] / sizes[1]))
