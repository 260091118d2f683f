"""A robust estimate of a slope that several groups of points share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import ceil, floor, sqrt
from typing import NamedTuple

import numpy as np

from pconv.studies.analyses.odds import CONFIDENCE

POWER = 0.8
"""The probability with which a detectable slope is found."""

Points = Sequence[tuple[float, float]]


class Slope(NamedTuple):
    """A slope, its confidence interval, and the least slope that is found with probability `POWER`."""

    slope: float
    low: float
    high: float
    detectable: float


def common_slope(groups: Sequence[Points], confidence: float = CONFIDENCE) -> Slope | None:
    """The Theil-Sen slope within groups: the median of the slopes between points of one group.

    Each group has a level of its own. The interval is that of Sen (1968), with Kendall's statistic added up
    over the groups; ties in x are taken into account. None where there are too few pairs for an interval of
    this confidence: even the least and the largest slope would be narrower.

    Parameters
    ----------
    groups
        The points (x, y) of each group.
    confidence
        Of the interval.

    Examples
    --------
    >>> common_slope([[(x, 2 * x) for x in range(9)], [(x, 2 * x + 7) for x in range(9)]]).slope
    2.0
    """
    from scipy.stats import norm

    slopes = sorted(
        (b[1] - a[1]) / (b[0] - a[0]) for points in groups for a, b in combinations(points, 2) if a[0] != b[0]
    )
    spread = sqrt(sum(map(_variance, groups)))
    z = float(norm.ppf((1 + confidence) / 2))
    if z * spread >= len(slopes):
        return None
    low = slopes[max(0, floor((len(slopes) - z * spread) / 2) - 1)]
    high = slopes[min(len(slopes) - 1, ceil((len(slopes) + z * spread) / 2))]
    error = (high - low) / (2 * z)
    return Slope(float(np.median(slopes)), low, high, (z + float(norm.ppf(POWER))) * error)


def _variance(points: Points) -> float:
    """The variance of Kendall's statistic without a trend, with ties in x."""
    sizes = np.unique([x for x, _ in points], return_counts=True)[1]
    return (_untied(len(points)) - sum(map(_untied, sizes))) / 18


def _untied(count: int) -> float:
    return float(count) * (count - 1) * (2 * count + 5)
