"""Fits a law of pace to finished runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf, isfinite, log

import numpy as np

from pconv._text import pluralize
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.pacing.curve import LOG_SHARPNESS, FloatArray
from pconv.pacing.features import HALF, SHARPNESS, features, goal_of, quantities, vector
from pconv.pacing.law import Coefficients, PaceLaw, digest, epochs_until
from pconv.pacing.measured import MeasuredRun, measure
from pconv.pacing.regression import censored_regression, unscaled_covariance
from pconv.result import RunResult

LEVEL = 0.9
"""The share of runs that an interval is meant to contain."""
FOLDS = 10
"""Parts into which configurations are divided for the errors of cross-validation."""
_STOP_SHARES: list[float] = np.geomspace(1e-4, 0.1, 61).tolist()  # the shares that `stop` is chosen from
FEWEST = 3 * len(HALF)
"""The runs that a fit needs."""
FEWEST_CELLS = 4
"""The configurations that they need."""


def measured_runs(results: Iterable[RunResult]) -> list[MeasuredRun]:
    """What the runs show that the law is about."""
    return [measure(result) for result in runs_with_pace(results)]


def runs_with_pace(results: Iterable[RunResult]) -> list[RunResult]:
    """The runs that the law is about. Of two runs whose epochs are the same as far as both go, the longer."""
    longest: dict[str, RunResult] = {}
    for result in results:
        shared = replace(result.config, epochs=1, early_stop=True, test_size=1).run_id
        if shared not in longest or len(longest[shared].epochs) < len(result.epochs):
            longest[shared] = result
    return [result for result in longest.values() if _has_goal(result.config)]


def _has_goal(config: RunConfig) -> bool:
    try:
        goal_of(config)
    except InputError:  # another kind of run, to which the law does not apply
        return False
    return True


def fit_law(runs: Sequence[MeasuredRun]) -> PaceLaw:
    """The law of these runs; its intervals are from the errors of cross-validation."""
    check_enough(runs, FEWEST, FEWEST_CELLS)
    design = np.array([vector(_features(run), HALF) for run in runs])
    covariance = unscaled_covariance(design)
    leverage = np.einsum("ij,jk,ik->i", design, covariance, design).max()
    known = [quantities(run.config, run.goal) for run in runs]
    coefficients = fitted_coefficients(runs)
    law = PaceLaw(
        coefficients,
        tuple(map(tuple, covariance.tolist())),
        float(leverage),
        (0.0, 0.0),
        LEVEL,
        _stop(coefficients, runs),
        {name: (min(q[name] for q in known), max(q[name] for q in known)) for name in known[0]},
        len(runs),
        len({run.cell for run in runs}),
        digest(run.config.run_id for run in runs),
    )
    return _with_intervals(law, runs)


def check_enough(runs: Sequence[MeasuredRun], fewest: int, cells: int) -> None:
    """Raises InputError if there are not enough runs, or not enough configurations.

    Parameters
    ----------
    runs
        Measured runs.
    fewest, cells
        The runs, and the configurations, that are needed.
    """
    found = len({run.cell for run in runs})
    if len(runs) < fewest or found < cells:
        given = f"{pluralize(len(runs), 'run')} of {pluralize(found, 'configuration')}"
        raise InputError(
            "fit", given, f"at least {fewest} runs of p-Conv of {cells} configurations are needed"
        )


def fitted_coefficients(runs: Sequence[MeasuredRun]) -> Coefficients:
    """Least squares for the sharpness, then for the half-time, of which some runs only show a bound."""
    values = [_features(run) for run in runs]
    known = [
        (vector(x, SHARPNESS), run.curve.log_sharpness)
        for x, run in zip(values, runs, strict=True)
        if run.curve
    ]
    if not known:
        raise InputError("fit", f"{len(runs)} runs", "none has a curve: at least two epochs are needed")
    design, measured = (np.array(column) for column in zip(*known, strict=True))
    sharpness = censored_regression(design, measured, np.zeros(len(measured), dtype=bool))
    half = censored_regression(
        np.array([vector(x, HALF) for x in values]),
        np.array(
            [
                run.log_half(float(np.clip(vector(x, SHARPNESS) @ sharpness, *LOG_SHARPNESS)))
                for x, run in zip(values, runs, strict=True)
            ]
        ),
        np.array([run.on_plateau for run in runs]),
    )
    return Coefficients(
        dict(zip(HALF, half.tolist(), strict=True)), dict(zip(SHARPNESS, sharpness.tolist(), strict=True))
    )


@dataclass(frozen=True)
class Error:
    """The error of a prediction: the logarithm of measured / predicted steps, inf where no bound is known."""

    values: dict[str, float]  # the features of the run
    log_ratio: float


def divided(
    runs: Sequence[MeasuredRun], parts: int, seed: int
) -> Iterator[tuple[list[MeasuredRun], list[MeasuredRun]]]:
    """Divides the configurations at random: for each part the runs of all others, and its own.

    Parameters
    ----------
    runs
        Measured runs.
    parts
        The number of parts; with fewer configurations, there is one for each.
    seed
        Determines the parts.
    """
    cells = sorted({run.cell for run in runs}, key=repr)
    order = np.random.default_rng(seed).permutation(len(cells)).tolist()
    part_of = {cell: place % parts for cell, place in zip(cells, order, strict=True)}
    for part in range(min(parts, len(cells))):
        yield (
            [run for run in runs if part_of[run.cell] != part],
            [run for run in runs if part_of[run.cell] == part],
        )


def cross_validated(runs: Sequence[MeasuredRun]) -> list[Error]:
    """The errors of each tenth of the configurations, predicted by a fit to the others."""
    errors = []
    for kept, held_out in divided(runs, FOLDS, seed=0):
        coefficients = fitted_coefficients(kept)
        errors += [error for run in held_out if (error := _error(coefficients, run))]
    return errors


def _error(coefficients: Coefficients, run: MeasuredRun) -> Error | None:
    """None where the run does not show when the floor is reached, or only a bound that agrees."""
    values = _features(run)
    predicted = coefficients.curve(values).log_steps_to(run.goal.share)
    if run.curve is not None:
        return Error(values, run.curve.log_steps_to(run.goal.share) - predicted)
    return Error(values, inf) if run.on_plateau and log(run.steps) > predicted else None


def _with_intervals(law: PaceLaw, runs: Sequence[MeasuredRun]) -> PaceLaw:
    """The law with the quantiles of the errors of cross-validation."""
    errors = cross_validated(runs)
    scaled = np.sort([error.log_ratio / law.width(error.values) for error in errors])
    return replace(law, quantiles=_quantiles(scaled))


def _quantiles(ordered: FloatArray) -> tuple[float, float]:
    """The two order statistics between which a further value lies with at least this probability."""
    n, tail = len(ordered), (1 - LEVEL) / 2
    low, high = floor(tail * (n + 1)), ceil((1 - tail) * (n + 1))
    if low < 1:
        raise InputError("fit", f"{n} runs", f"intervals at {LEVEL:.0%} need more runs that reach the floor")
    if not isfinite(ordered[high - 1]):
        raise InputError(
            "fit", f"{n} runs", f"too many never left their plateau for an interval at {LEVEL:.0%}"
        )
    return float(ordered[low - 1]), float(ordered[high - 1])


def _stop(coefficients: Coefficients, runs: Sequence[MeasuredRun]) -> float:
    """The excess that predicts best, as ratios of epochs, when runs with early stopping stop."""
    known = [
        (coefficients.curve(_features(run)), run.config, run.epochs)
        for run in runs
        if run.config.early_stop and not run.goal.floor
    ]

    def error(share: float) -> float:
        return sum(abs(log(epochs_until(curve, config, share) / epochs)) for curve, config, epochs in known)

    return min(_STOP_SHARES, key=error)


def _features(run: MeasuredRun) -> dict[str, float]:
    return features(run.config, run.goal)
