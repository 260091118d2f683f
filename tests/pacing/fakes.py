"""Finished runs whose losses follow a law that is known."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from pconv.config import RunConfig
from pconv.pacing.curve import Curve
from pconv.pacing.features import HALF, SHARPNESS, features, goal_of
from pconv.pacing.law import Coefficients
from pconv.pacing.measured import MeasuredRun
from pconv.result import Epoch, RunResult
from tests.fakes import fake_result

KNOWN = Coefficients(
    {
        **dict.fromkeys(HALF, 0.0),
        "constant": 2.0,
        "modulus": 0.5,
        "largest_prime": 0.5,
        "background": 0.4,
        "learning_rate": -0.8,
    },
    {**dict.fromkeys(SHARPNESS, 0.0), "constant": 1.0, "beyond_kernel": -0.3},
)


def configs(count: int) -> list[RunConfig]:
    """Different runs, chosen at random from a grid."""
    sizes = product((8, 16, 3), (7, 3, 11), (16, 64, 256), (1e-3, 3e-4), (256, 64), (7, 11, 12, 16, 22))
    every = list(sizes)
    chosen = [every[i] for i in np.random.default_rng(5).permutation(len(every))[:count]]
    return [
        RunConfig(
            modulus=m,
            offsets=tuple(range(B + 1)),
            kernel=(k,),
            primes=N,
            learning_rate=rate,
            batch_size=size,
            epochs=6,
            early_stop=False,
        )
        for B, k, N, rate, size, m in chosen
    ]


def learned(config: RunConfig, curve: Curve, epochs: int | None = None, held_out: bool = False) -> RunResult:
    """A run whose losses are those of the curve."""
    goal = goal_of(config)
    means = goal.floor + goal.learnable * curve.mean_excess(config.batches, epochs or config.epochs)
    end = float(goal.floor + goal.learnable * curve.excess(config.batches)) if held_out else None
    listed = tuple(
        Epoch(i, loss, 0.5, 1.0, end if i == 1 else None) for i, loss in enumerate(means.tolist(), start=1)
    )
    return replace(fake_result(config), epochs=listed, best_epoch=1)


def paced(count: int) -> list[RunResult]:
    """Runs by the known law."""
    return [learned(config, KNOWN.curve(features(config, goal_of(config)))) for config in configs(count)]


def measured(count: int, noise: float = 0.0) -> list[MeasuredRun]:
    """The same, measured without error; half-times vary by this standard deviation of their logarithm."""
    rng = np.random.default_rng(7)
    runs = []
    for config in configs(count):
        goal = goal_of(config)
        exact = KNOWN.curve(features(config, goal))
        curve = replace(exact, log_half=exact.log_half + noise * float(rng.standard_normal()))
        means = curve.mean_excess(config.batches, config.epochs)
        runs.append(MeasuredRun(config, goal, means, config.epochs, None, curve))
    return runs
