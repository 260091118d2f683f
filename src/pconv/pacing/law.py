"""The law of pace: its coefficients, what they are based on, and the file that keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from math import ceil, exp, inf, isfinite, log, sqrt
from pathlib import Path
from typing import Any, Self

import numpy as np

from pconv._atomic import atomic_write
from pconv._json import read_json
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.pacing.curve import LOG_SHARPNESS, Curve
from pconv.pacing.features import HALF, SHARPNESS, Goal, features, quantities, vector

_FAR = 500.0  # logarithms of steps beyond which nothing is told apart, and numbers overflow
SHIPPED = Path(__file__).with_name("law.json")
"""The law that ships with pconv, fitted to the published runs."""


@dataclass(frozen=True)
class HeldOut:
    """A test of the law on runs that it was not fitted to.

    Parameters
    ----------
    name
        Which runs were held out.
    runs
        How many of them show when the floor is reached, or that it is not.
    covered
        How many intervals agree with that.
    ended_above
        How many of the runs ended above the floor: they only show that it takes longer.
    ratio
        The median of measured / predicted steps, of those that reached the floor; None if none did.
    """

    name: str
    runs: int
    covered: int
    ended_above: int
    ratio: float | None


@dataclass(frozen=True)
class Coefficients:
    """The coefficients of the features of both parameters of the curve.

    Parameters
    ----------
    half, sharpness
        The coefficients by feature, of the logarithms of half-time and sharpness.
    """

    half: Mapping[str, float]
    sharpness: Mapping[str, float]

    def curve(self, values: dict[str, float]) -> Curve:
        """The curve of a run with these features."""
        half, sharpness = (_weighted(each, values) for each in (self.half, self.sharpness))
        return Curve(float(np.clip(half, -_FAR, _FAR)), float(np.clip(sharpness, *LOG_SHARPNESS)))


def epochs_until(curve: Curve, config: RunConfig, share: float) -> int:
    """The whole epochs of a run until the excess is this share, at most all of them.

    Parameters
    ----------
    curve
        The curve of the run.
    config
        The run.
    share
        The excess.
    """
    steps = min(curve.log_steps_to(share), log(config.batches * config.epochs))
    return min(config.epochs, max(1, ceil(exp(steps) / config.batches)))


def _weighted(coefficients: Mapping[str, float], values: dict[str, float]) -> float:
    return sum(coefficient * values[name] for name, coefficient in coefficients.items())


@dataclass(frozen=True)
class PaceLaw:
    """A fitted law.

    Parameters
    ----------
    coefficients
        The curve of a run from its features.
    covariance
        (X'X)^-1 of the features of the half-time, for the uncertainty of the coefficients.
    leverage
        The largest leverage of a fitted run: beyond it the combination of features is unlike all of them.
    quantiles
        The logarithms of measured / predicted steps between which the share `level` of the runs lies.
    level
        The share of runs that an interval is meant to contain.
    stop
        The excess at the end of an epoch from which on a run with early stopping is expected to stop.
    ranges
        The least and the largest value of each quantity in the fitted runs.
    runs, cells
        The number of fitted runs, and of configurations that differ in more than seed, data or optimiser.
    fitted_to
        A digest of the ids of the fitted runs: two laws with the same one are of the same runs.
    held_out
        Tests on runs that were left out of a fit.
    """

    coefficients: Coefficients
    covariance: tuple[tuple[float, ...], ...]
    leverage: float
    quantiles: tuple[float, float]
    level: float
    stop: float
    ranges: Mapping[str, tuple[float, float]]
    runs: int
    cells: int
    fitted_to: str
    held_out: tuple[HeldOut, ...] = ()

    def interval(self, config: RunConfig, goal: Goal) -> tuple[float, float, float]:
        """The steps to the floor: the prediction, and the two ends of its interval."""
        values = features(config, goal)
        steps = self.coefficients.curve(values).log_steps_to(goal.share)
        width = self.width(values)
        low, high = (exp(min(steps + q * width, _FAR)) for q in self.quantiles)
        return exp(min(steps, _FAR)), low, high

    def width(self, values: dict[str, float]) -> float:
        """How many times wider an interval is because the coefficients are uncertain."""
        return sqrt(1 + self._leverage(values))

    def outside(self, config: RunConfig, goal: Goal) -> list[str]:
        """In which respects a run is outside the range of the fit, in words."""
        found = []
        for name, value in quantities(config, goal).items():
            low, high = self.ranges.get(name, (-inf, inf))
            if not low <= value <= high:
                fitted = f"{low:g}" if low == high else f"{low:g} to {high:g}"
                found.append(f"{name.replace('_', ' ')} {value:g} (fitted: {fitted})")
        if not found and self._leverage(features(config, goal)) > self.leverage:
            found.append("no fitted run is near this combination")
        return found

    def _leverage(self, values: dict[str, float]) -> float:
        x = vector(values, HALF)
        return max(0.0, float(x @ np.array(self.covariance) @ x))

    def to_dict(self) -> dict[str, Any]:
        """The document that `save` writes."""
        return asdict(self)

    def save(self, path: Path) -> None:
        """Write the law as JSON, completely or not at all."""
        with atomic_write(path, "output") as draft:
            Path(draft).write_text(json.dumps(self.to_dict(), indent=1) + "\n", "utf-8")

    @classmethod
    def read(cls, path: Path) -> Self:
        """The law of a file that `save` wrote; an `InputError` for any other file."""
        data = read_json(path, "law")
        try:
            return cls._from_dict(data)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise InputError("law", path, "is not a file that `pconv pace --fit` wrote") from None

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any]) -> Self:
        coefficients = Coefficients(
            {name: _finite(data["coefficients"]["half"][name]) for name in HALF},
            {name: _finite(data["coefficients"]["sharpness"][name]) for name in SHARPNESS},
        )
        covariance = [[_finite(value) for value in row] for row in data["covariance"]]
        if np.shape(covariance) != (len(HALF), len(HALF)):
            raise ValueError("covariance")
        low, high = map(_finite, data["quantiles"])
        return cls(
            coefficients,
            tuple(map(tuple, covariance)),
            _finite(data["leverage"]),
            (low, high),
            _finite(data["level"]),
            _finite(data["stop"]),
            {name: (_finite(ends[0]), _finite(ends[1])) for name, ends in data["ranges"].items()},
            int(data["runs"]),
            int(data["cells"]),
            str(data["fitted_to"]),
            tuple(map(_held_out, data["held_out"])),
        )


def _held_out(test: Mapping[str, Any]) -> HeldOut:
    runs, covered, above = (int(test[name]) for name in ("runs", "covered", "ended_above"))
    if not 0 <= covered <= runs or not runs:
        raise ValueError("held_out")
    ratio = None if test["ratio"] is None else _finite(test["ratio"])
    return HeldOut(str(test["name"]), runs, covered, above, ratio)


def _finite(value: Any) -> float:
    if not isfinite(number := float(value)):
        raise ValueError("not finite")
    return number


def digest(run_ids: Iterable[str]) -> str:
    """A digest of run ids in any order.

    >>> digest(["a", "b"]) == digest(["b", "a"]) != digest(["a"])
    True
    """
    return sha256("\n".join(sorted(run_ids)).encode()).hexdigest()[:16]


@cache
def shipped_law() -> PaceLaw:
    """The law that ships with pconv."""
    return PaceLaw.read(SHIPPED)
