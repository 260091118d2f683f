"""What the pace of a run depends on: its problem, its network and its optimiser as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np

from pconv.config import PLUGIN_FIELDS, RunConfig
from pconv.data.domain import Domain
from pconv.errors import InputError
from pconv.evaluate.assessment import Settings
from pconv.evaluate.predict_run import NotApplicable, predict_run, problem_of
from pconv.pacing.background import background_shift
from pconv.pacing.curve import FloatArray


@dataclass(frozen=True)
class Goal:
    """What there is to learn in a run.

    Parameters
    ----------
    floor
        The loss floor of the signature theory on the run's domain, in nats.
    learnable
        ln m - floor: the nats between guessing and the floor.
    tolerance
        The nats above the floor that a verdict still calls *at the floor*.
    largest_prime
        The largest prime of m that has a column.
    distinct_primes
        The number of primes of m that have a column.
    """

    floor: float
    learnable: float
    tolerance: float
    largest_prime: int
    distinct_primes: int

    @property
    def share(self) -> float:
        """The excess at which the floor counts as reached."""
        return self.tolerance / self.learnable


def goal_of(config: RunConfig, on_domain: bool = True) -> Goal:
    """What there is to learn in a run; an `InputError` if no law describes how fast.

    Parameters
    ----------
    config
        The run.
    on_domain
        Count the floor on the run's domain. Otherwise it is that of all integers, which takes no time.

    Examples
    --------
    >>> goal = goal_of(RunConfig(modulus=22))
    >>> round(goal.floor, 3), goal.largest_prime, round(goal.share, 3)
    (0.123, 11, 0.029)
    """
    for name in reversed(PLUGIN_FIELDS):
        if getattr(config, name) != getattr(RunConfig, name):
            allowed = f"no pace law for this {name}, only for {getattr(RunConfig, name)}"
            raise InputError(name, getattr(config, name), allowed)
    return _goal(config.modulus, config.offsets, config.primes, Domain.of(config) if on_domain else None)


@lru_cache(maxsize=4096)  # runs of a sweep often differ in seeds only
def _goal(modulus: int, offsets: tuple[int, ...], primes: int, domain: Domain | None) -> Goal:
    config = RunConfig(modulus=modulus, offsets=offsets, primes=primes)
    prediction, problem = predict_run(config), problem_of(config)
    assert not isinstance(prediction, NotApplicable), "signature applies to exponents"
    exact = None if domain is None else prediction.exact_loss_floor(domain)
    floor = prediction.loss_floor if exact is None else exact
    learnable, tolerance = log(modulus) - floor, Settings().loss_tolerance(modulus)
    seen = [factor.prime for factor in problem.factors if problem.sees(factor.prime)]
    if not seen or learnable <= tolerance:
        allowed = "no pace: guessing is at the loss floor, there is nothing to learn"
        raise InputError("modulus", modulus, allowed)
    return Goal(floor, learnable, tolerance, max(seen), len(seen))


HALF = (
    "constant",
    "modulus",
    "largest_prime",
    "distinct_primes",
    "rows",
    "kernel",
    "background",
    "batch_size",
    "learning_rate",
    "channels",
    "layers",
)
"""The features of the logarithm of the curve's half-time."""
SHARPNESS = ("constant", "rows", "kernel", "beyond_kernel", "background")
"""The features of the logarithm of the curve's sharpness."""

SPREAD = 0.03
"""The size of a shift of the background from which on it counts: about the standard deviation between windows
of the sums in the first linear layer, before any training."""


def features(config: RunConfig, goal: Goal) -> dict[str, float]:
    """All features by name: logarithms, of sizes relative to the defaults of a run where it has some.

    >>> config = RunConfig(modulus=15)
    >>> {name: round(value, 2) for name, value in features(config, goal_of(config)).items() if value}
    {'constant': 1.0, 'modulus': 2.71, 'largest_prime': 1.61, 'distinct_primes': 0.69, 'background': 0.1}
    """
    return {
        "constant": 1.0,
        "modulus": log(config.modulus),
        "largest_prime": log(goal.largest_prime),
        "distinct_primes": log(goal.distinct_primes),
        "rows": log(config.rows / len(RunConfig.offsets)),
        "kernel": log(config.kernels[0] / RunConfig.kernel[0]),
        "beyond_kernel": max(0.0, log(goal.largest_prime / config.kernels[0])),
        "background": log(1 + background_shift(config) / SPREAD),
        "batch_size": log(config.batch_size / RunConfig.batch_size),
        "learning_rate": log(config.learning_rate / RunConfig.learning_rate),
        "channels": log(config.channels[0] / RunConfig.channels[0]),
        "layers": len(config.channels) - 1.0,
    }


def vector(values: dict[str, float], names: tuple[str, ...]) -> FloatArray:
    """The features of these names, in their order."""
    return np.array([values[name] for name in names])


def quantities(config: RunConfig, goal: Goal) -> dict[str, float]:
    """The quantities whose range in the fitted runs is recorded: outside of it the law is extrapolated."""
    fields = ("modulus", "rows", "primes", "batches", "batch_size", "learning_rate", "weight_decay", "limit")
    return {
        **{name: float(getattr(config, name)) for name in (*fields, "smooth")},
        "largest prime of m": float(goal.largest_prime),
        "kernel": float(max(config.kernels)),
        "channels": float(config.channels[0]),
        "layers": float(len(config.channels)),
    }
