"""The pace of a run that has not been trained: the predicted epochs until its loss is at the floor."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pconv.config import RunConfig
from pconv.pacing.background import background_shift
from pconv.pacing.curve import Curve
from pconv.pacing.features import Goal, features, goal_of
from pconv.pacing.law import PaceLaw, shipped_law


@dataclass(frozen=True)
class Pace:
    """How fast a run is predicted to learn.

    Parameters
    ----------
    config, goal
        The run, and what there is to learn.
    epochs, low, high
        The predicted epochs until the training loss is at the floor, and an interval. *At the floor* means
        no more nats above it than verdicts tolerate.
    curve
        The predicted curve of the excess loss.
    outside
        In which respects the run is outside the range of the fitted runs; empty if it is not.
    law
        The law that was used.
    """

    config: RunConfig
    goal: Goal
    epochs: float
    low: float
    high: float
    curve: Curve
    outside: tuple[str, ...]
    law: PaceLaw

    @property
    def level(self) -> float:
        """The share of runs that the interval is meant to contain."""
        return self.law.level

    @property
    def background_shift(self) -> float:
        """How far the first step moves the response to the all-zero window; large values mean a plateau."""
        return background_shift(self.config)

    def to_dict(self) -> dict[str, Any]:
        """The document that `pconv pace --json` prints."""
        batches = self.config.batches
        return {
            "epochs": self.epochs,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "steps": self.epochs * batches,
            "half_steps": self.curve.half,
            "sharpness": self.curve.sharpness,
            "background_shift": self.background_shift,
            "floor": self.goal.floor,
            "tolerance": self.goal.tolerance,
            "outside": list(self.outside),
            "runs": self.law.runs,
            "cells": self.law.cells,
            "held_out": [asdict(test) for test in self.law.held_out],
            "config": self.config.to_dict(),
        }


def pace(config: RunConfig, law: PaceLaw | None = None) -> Pace:
    """The predicted pace of a run, before it is trained.

    An `InputError` for other architectures, representations and tasks than those of the paper: no law
    describes them.

    Parameters
    ----------
    config
        The run's configuration.
    law
        A law that was fitted to other runs; by default the one that ships with pconv.

    Examples
    --------
    >>> slow, fast = pace(RunConfig(modulus=23)), pace(RunConfig(modulus=12))
    >>> fast.epochs < slow.epochs and slow.low < slow.epochs < slow.high
    True
    """
    law, goal = law or shipped_law(), goal_of(config)
    steps = law.interval(config, goal)
    epochs, low, high = (each / config.batches for each in steps)
    curve = law.coefficients.curve(features(config, goal))
    return Pace(config, goal, epochs, low, high, curve, tuple(law.outside(config, goal)), law)
