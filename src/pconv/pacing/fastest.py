"""The kernel and the number of columns with which a training is predicted to reach the floor first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.pacing.law import PaceLaw, shipped_law
from pconv.pacing.pace import Pace, pace
from pconv.store.timing import guessed_epoch, set_up_seconds


@dataclass(frozen=True)
class Candidate:
    """A training that reaches the floor.

    Parameters
    ----------
    pace
        The run and its predicted pace. It has as many epochs as the upper end of the interval.
    seconds
        The predicted seconds to the floor, on one core and without the evaluations after each epoch.
    """

    pace: Pace
    seconds: float

    @property
    def config(self) -> RunConfig:
        return self.pace.config

    def to_dict(self) -> dict[str, Any]:
        found = self.pace
        return {
            "kernel": self.config.kernel[0],
            "primes": self.config.primes,
            "epochs": found.epochs,
            "low": found.low,
            "high": found.high,
            "level": found.level,
            "seconds": self.seconds,
            "outside": list(found.outside),
            "command": f"pconv train {as_flags(self.config)}",
        }


def fastest_trainings(modulus: int, offsets: Iterable[int], columns: int) -> list[Candidate]:
    """Trainings with the kernels and numbers of columns that the law was fitted to, the shortest first.

    Parameters
    ----------
    modulus
        The modulus m.
    offsets
        The rows of the window.
    columns
        The fewest columns, which decide what the floor is.

    Examples
    --------
    >>> best = fastest_trainings(25, range(20), 3)[0]
    >>> best.config.primes, best.seconds > 0
    (16, True)
    """
    law = shipped_law()
    base = RunConfig(modulus=modulus, offsets=tuple(offsets), primes=max(columns, 2))
    found = [
        _candidate(replace(base, kernel=(kernel,), primes=primes), law)
        for kernel in _kernels(law, base.rows)
        for primes in _columns(law, columns)
    ]
    return sorted(found, key=lambda each: each.seconds)


def _candidate(config: RunConfig, law: PaceLaw) -> Candidate:
    found = pace(config, law)
    training = pace(replace(config, epochs=ceil(found.high)), law)
    return Candidate(training, set_up_seconds(config) + found.epochs * guessed_epoch(config))


def _kernels(law: PaceLaw, rows: int) -> range:
    """Odd sizes within the range of the fit. Past 2 W - 1 a kernel has more rows that never see a number."""
    low, high = law.ranges["kernel"]
    return range(int(low), max(int(low), min(int(high), 2 * rows - 1)) + 1, 2)


def _columns(law: PaceLaw, fewest: int) -> list[int]:
    """Powers of two within the range of the fit, and the fewest columns if that is above all of it."""
    low, high = law.ranges["primes"]
    powers = [2**i for i in range(17) if low <= 2**i <= high and 2**i >= fewest]
    return powers or [fewest]
