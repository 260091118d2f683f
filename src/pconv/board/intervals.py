"""Confidence intervals of means over networks that differ in their seeds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

LEVEL = 0.95
"""The confidence of all intervals of the board."""


class Estimate(NamedTuple):
    """A mean over settings, nan if there is nothing to measure, with its interval; no interval if a setting
    has a single seed."""

    value: float
    low: float | None
    high: float | None


def mean_over_settings(settings: Sequence[Iterable[tuple[int, float]]]) -> Estimate:
    """The mean over settings of the mean over seeds, with Student's t interval over the seeds.

    Settings count equally. Their networks of one seed are asked about the same numbers, so that their values
    depend on each other: what varies is the deviation of a seed, summed over the settings. Where all settings
    have the same seeds, the interval is that of the means of the seeds. Otherwise a deviation is weighted by
    the number of seeds that its setting has, and the degrees of freedom are those of the setting with the
    fewest. Values that could not be measured (nan) are left out, and so is a setting without any other.

    Parameters
    ----------
    settings
        For each setting the seeds and their values; those of one seed are averaged.

    Examples
    --------
    >>> mean_over_settings([[(0, 1.0), (1, 2.0), (2, 3.0)]])  # doctest: +ELLIPSIS
    Estimate(value=2.0, low=-0.484..., high=4.484...)
    >>> mean_over_settings([[(0, 1.0), (1, 2.0)], [(0, 2.0), (1, 1.0)]])  # each seed has the mean 1.5
    Estimate(value=1.5, low=1.5, high=1.5)
    >>> mean_over_settings([[(0, 1.0), (1, 1.0)], [(0, 0.0)]])
    Estimate(value=0.5, low=None, high=None)
    """
    from scipy.stats import t

    known = [by_seed for by_seed in map(_by_seed, settings) if by_seed]
    if not known:
        return Estimate(float("nan"), None, None)
    means = [float(np.mean(list(by_seed.values()))) for by_seed in known]
    value, fewest = float(np.mean(means)), min(map(len, known))
    if fewest < 2:
        return Estimate(value, None, None)
    deviations: dict[int, float] = defaultdict(float)
    for by_seed, mean in zip(known, means, strict=True):
        count = len(by_seed)
        for seed, found in by_seed.items():
            deviations[seed] += (found - mean) / (len(known) * np.sqrt(count * (count - 1)))
    half = float(t.ppf((1 + LEVEL) / 2, fewest - 1) * np.linalg.norm(list(deviations.values())))
    return Estimate(value, value - half, value + half)


def _by_seed(pairs: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The mean of each seed's values that could be measured."""
    found = defaultdict[int, list[float]](list)
    for seed, value in pairs:
        if not np.isnan(value):
            found[seed].append(value)
    return {seed: float(np.mean(values)) for seed, values in found.items()}
