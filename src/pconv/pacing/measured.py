"""The curve of a finished run, from the mean losses of its epochs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import inf, log

import numpy as np
from scipy.optimize import brentq, least_squares

from pconv.config import RunConfig
from pconv.pacing.curve import LOG_SHARPNESS, Curve, FloatArray
from pconv.pacing.features import Goal, goal_of
from pconv.result import RunResult

LEARNED = 0.02
"""Epochs after the first with a mean excess below this share are not used: from there on the deviation of the
training numbers from the domain, and what the network memorises of them, outweigh the excess."""
NOISE = 0.003
"""Added to every excess before its logarithm is taken, so that an excess below it carries no weight."""
ON_PLATEAU = 0.95
"""A run whose mean excess never fell below this share has not left its plateau."""
_STARTS = tuple(product((0.1, 0.5, 2.0), (0.7, 1.5)))  # half-times in epochs, logarithms of the sharpness


@dataclass(frozen=True)
class MeasuredRun:
    """What a finished run shows about its pace.

    Parameters
    ----------
    config, goal
        The run, and what there was to learn.
    means
        The mean excess of the epochs that are used.
    epochs
        The number of epochs that the run had, used or not.
    end
        The excess on held-out numbers after the first epoch, before anything can be memorised; None: not
        recorded.
    curve
        The curve; None where one figure is all there is (then only the half-time is known, once a sharpness
        is given), or where the run has not left its plateau.
    """

    config: RunConfig
    goal: Goal
    means: FloatArray
    epochs: int
    end: float | None
    curve: Curve | None

    @property
    def steps(self) -> int:
        """The steps that the used epochs have."""
        return len(self.means) * self.config.batches

    @property
    def on_plateau(self) -> bool:
        """Whether the run ended before the loss fell: its half-time is only known to be longer."""
        return bool(self.means.min() > ON_PLATEAU)

    @property
    def cell(self) -> tuple[object, ...]:
        """What runs share that differ only in seed, data or optimiser; such runs are held out together."""
        config = self.config
        return config.modulus, config.offsets, config.primes, config.kernel, config.channels

    def log_half(self, log_sharpness: float) -> float:
        """The logarithm of the half-time, or of its lower bound, given the sharpness if it is not known."""
        if self.curve is not None:
            return self.curve.log_half
        mean = ON_PLATEAU if self.on_plateau else max(NOISE, float(self.means[-1]))

        def difference(log_half: float) -> float:
            shown = Curve(log_half, log_sharpness).mean_excess(self.config.batches, len(self.means))
            return float(shown[-1]) - mean

        return float(brentq(difference, log(self.steps) - 12, log(self.steps) + 12))

    def floor_reached(self) -> tuple[float, float] | None:
        """Bounds of the steps until the floor; None where they cannot be measured.

        A run that ended above the floor has no upper bound.
        """
        if self.on_plateau:
            return float(self.steps), inf
        if self.curve is None:
            return None
        steps = self.curve.steps_to(self.goal.share)
        return (steps, steps) if steps <= self.steps else (float(self.steps), inf)


def measure(result: RunResult) -> MeasuredRun:
    """What a finished run shows about its pace; an `InputError` if no law describes such runs."""
    config = result.config
    goal = goal_of(config)
    every = (np.array([epoch.loss for epoch in result.epochs]) - goal.floor) / goal.learnable
    low = np.flatnonzero(every <= LEARNED)
    means = np.clip(every[: low[0] + 1 if len(low) else len(every)], 0, None)
    held_out = result.epochs[0].held_out_loss
    end = None if held_out is None else max(0.0, (held_out - goal.floor) / goal.learnable)
    run = MeasuredRun(config, goal, means, len(every), end, None)
    if run.on_plateau or (len(means) < 2 and end is None):
        return run
    return replace(run, curve=fitted_curve(means, config.batches, end))


def fitted_curve(means: FloatArray, batches: int, end: float | None = None) -> Curve:
    """The curve whose epochs have these mean excesses, by least squares of their logarithms.

    Parameters
    ----------
    means
        The mean excess of each epoch.
    batches
        The steps of an epoch.
    end
        The excess at the end of the first epoch, if it was measured.

    Examples
    --------
    >>> curve = Curve(5.0, 0.8)
    >>> found = fitted_curve(curve.mean_excess(400, 3), 400)
    >>> round(found.log_half, 3), round(found.log_sharpness, 3)
    (5.0, 0.8)
    """
    measured = np.log(np.append(means, [] if end is None else [end]) + NOISE)

    def residuals(parameters: FloatArray) -> FloatArray:
        curve = Curve(*parameters)
        shown = np.append(
            curve.mean_excess(batches, len(means)), [] if end is None else [curve.excess(batches)]
        )
        return np.asarray(np.log(shown + NOISE) - measured)

    middle = log(batches)
    bounds = [(middle - 8, LOG_SHARPNESS[0]), (middle + 8, LOG_SHARPNESS[1])]
    fits = [
        least_squares(residuals, [middle + log(epochs), sharp], bounds=bounds) for epochs, sharp in _STARTS
    ]
    return Curve(*min(fits, key=lambda fit: float(fit.cost)).x.tolist())
