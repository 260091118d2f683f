"""Confidence intervals of means over networks that differ in their seeds."""

from __future__ import annotations

from collections.abc import Sequence
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


def stratified_mean(strata: Sequence[Sequence[float]]) -> Estimate:
    """The mean over settings of the mean over seeds, with Student's t interval over the seeds.

    Settings count equally. The variance is that of the seeds within each setting, with degrees of freedom by
    Welch and Satterthwaite; for settings of one variance and n seeds each they are those of all seeds. Seeds
    at which nothing could be measured (nan) are left out, and so is a setting without any other.

    >>> stratified_mean([[1.0, 2.0, 3.0]])  # doctest: +ELLIPSIS
    Estimate(value=2.0, low=-0.484..., high=4.484...)
    >>> stratified_mean([[1.0, 1.0], [0.0]])
    Estimate(value=0.5, low=None, high=None)
    """
    from scipy.stats import t

    known = [[value for value in values if not np.isnan(value)] for values in strata]
    known = [values for values in known if values]
    if not known:
        return Estimate(float("nan"), None, None)
    value = float(np.mean([np.mean(values) for values in known]))
    if min(map(len, known)) < 2:
        return Estimate(value, None, None)
    parts = np.array([np.var(values, ddof=1) / len(values) for values in known]) / len(known) ** 2
    if not parts.any():
        return Estimate(value, value, value)
    freedom = parts.sum() ** 2 / sum(part**2 / (len(v) - 1) for part, v in zip(parts, known, strict=True))
    half = float(t.ppf((1 + LEVEL) / 2, freedom) * np.sqrt(parts.sum()))
    return Estimate(value, value - half, value + half)
