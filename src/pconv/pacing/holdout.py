"""Tests of a law of pace on runs that it was not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from pconv.errors import InputError
from pconv.pacing.fit import FEWEST, check_enough, divided, fit_law, measured_runs
from pconv.pacing.law import HeldOut, PaceLaw
from pconv.pacing.measured import MeasuredRun
from pconv.result import RunResult

PARTS = 5
"""Parts of the configurations, each of which is predicted from the others."""
NEEDED = FEWEST * 3 // 2
"""The runs that a law with tests needs: four fifths of them are enough for a fit."""
OTHERS: Mapping[str, Callable[[MeasuredRun], bool]] = {
    "N of 5,000 or more": lambda run: run.config.primes >= 5_000,
    "kernels other than 7 and 15": lambda run: max(run.config.kernels) not in (7, 15),
    "m above 20": lambda run: run.config.modulus > 20,
    "windows of 25 rows or more": lambda run: run.config.rows >= 25,
    "two convolutions": lambda run: len(run.config.channels) > 1,
}
"""Runs of a kind, which are predicted from all others."""


@dataclass(frozen=True)
class HeldOutRun:
    """A run that a law was not fitted to: the predicted steps to the floor, and the measured ones.

    Parameters
    ----------
    run
        The run.
    predicted, low, high
        The prediction and its interval, in steps.
    least, most
        Bounds of the measured steps: equal if the floor was reached, else `most` is infinite.
    """

    run: MeasuredRun
    predicted: float
    low: float
    high: float
    least: float
    most: float

    @property
    def covered(self) -> bool:
        """Whether the interval agrees with what was measured."""
        return self.low <= self.most and self.least <= self.high

    @property
    def reached(self) -> bool:
        """Whether the run reached the floor."""
        return self.least == self.most


def compare_with(law: PaceLaw, runs: Sequence[MeasuredRun]) -> list[HeldOutRun]:
    """Predictions for the runs that show when the floor is reached, or that it takes longer than they had."""
    return [
        HeldOutRun(run, *law.interval(run.config, run.goal), *found)
        for run in runs
        if (found := run.floor_reached())
    ]


def cross_comparisons(runs: Sequence[MeasuredRun]) -> list[HeldOutRun]:
    """Every run, predicted by a law that was fitted to four fifths of the configurations, not its own."""
    check_enough(runs, NEEDED, PARTS)
    found = []
    for kept, held_out in divided(runs, PARTS, seed=1):
        if len(kept) < FEWEST:
            allowed = (
                f"without a part of their configurations {len(kept)} are left, of {FEWEST} that a law needs"
            )
            raise InputError("fit", f"{len(runs)} runs", allowed)
        found += compare_with(fit_law(kept), held_out)
    return found


def tested_law(results: Iterable[RunResult]) -> PaceLaw:
    """The law of all runs that it is about, with the standard tests on runs that are held out."""
    runs = measured_runs(results)
    tests = held_out_tests(runs)
    return replace(fit_law(runs), held_out=tests)


def held_out_tests(runs: Sequence[MeasuredRun]) -> tuple[HeldOut, ...]:
    """The standard tests: configurations chosen at random, then all those of a kind."""
    tests = [summary("configurations chosen at random", cross_comparisons(runs))]
    for name, is_held_out in OTHERS.items():
        try:
            law = fit_law([run for run in runs if not is_held_out(run)])
        except InputError:  # the others are too few for a law
            continue
        found = compare_with(law, [run for run in runs if is_held_out(run)])
        tests += [summary(name, found)] if found else []
    return tuple(tests)


def summary(name: str, found: Sequence[HeldOutRun]) -> HeldOut:
    """How many intervals agree with what was measured."""
    ratios = [each.least / each.predicted for each in found if each.reached]
    return HeldOut(
        name,
        len(found),
        sum(each.covered for each in found),
        len(found) - len(ratios),
        median(ratios) if ratios else None,
    )
