"""Odds ratios over many two-by-two tables, and the number of correct answers by chance."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.99
_LARGEST = 700.0

Tables = NDArray[np.int64]
"""Shape (tables, 2, 2): [[correct, wrong] of the exposed, [correct, wrong] of the others]."""


class OddsRatio(NamedTuple):
    """The common odds ratio of several tables, its interval, and the test that it is 1."""

    ratio: float
    low: float
    high: float
    pvalue: float
    tables: int  # the informative ones


def mantel_haenszel(tables: Tables, confidence: float = CONFIDENCE) -> OddsRatio | None:
    """The Mantel-Haenszel estimate; None where no table is informative.

    The interval is that of the logarithm with the variance of Robins, Breslow and Greenland (1986), which
    holds for few large tables as for many small ones. A ratio of 0 or infinity has no such variance: the
    other end of its interval is that of the tables with 1/2 added to each count. The p-value is that of
    `stratified_pvalue`.

    >>> found = mantel_haenszel(np.array([[[30, 10], [20, 20]], [[15, 5], [10, 10]]]))
    >>> found.ratio
    3.0
    """
    from pconv.evaluate.statistics import stratified_pvalue

    margins = np.concatenate([tables.sum(axis=1), tables.sum(axis=2)], axis=1)
    tables = tables[(margins > 0).all(axis=1)]
    if not len(tables):
        return None
    pvalue = stratified_pvalue(tables)
    if not (tables[:, 0, 1] * tables[:, 1, 0]).any():
        return OddsRatio(inf, _common_ratio(tables + 0.5, confidence)[1], inf, pvalue, len(tables))
    if not (tables[:, 0, 0] * tables[:, 1, 1]).any():
        return OddsRatio(0.0, 0.0, _common_ratio(tables + 0.5, confidence)[2], pvalue, len(tables))
    return OddsRatio(*_common_ratio(tables, confidence), pvalue, len(tables))


def _common_ratio(tables: NDArray[Any], confidence: float) -> tuple[float, float, float]:
    """The estimate with its interval, where it is finite and not 0."""
    from scipy.stats import norm

    total = tables.sum(axis=(1, 2))
    agree, apart = tables[:, 0, 0] * tables[:, 1, 1] / total, tables[:, 0, 1] * tables[:, 1, 0] / total
    same = (tables[:, 0, 0] + tables[:, 1, 1]) / total
    r, s = agree.sum(), apart.sum()
    variance = (
        (same * agree).sum() / (2 * r**2)
        + (same * apart + (1 - same) * agree).sum() / (2 * r * s)
        + ((1 - same) * apart).sum() / (2 * s**2)
    )
    ratio, margin = float(r / s), float(norm.ppf((1 + confidence) / 2) * sqrt(variance))
    return ratio, ratio * exp(-margin), ratio * exp(margin)


class Difference(NamedTuple):
    """A mean difference, its interval, and the test that it is 0."""

    mean: float
    low: float
    high: float
    pvalue: float


def balanced_odds_ratio(groups: Sequence[Tables], confidence: float = CONFIDENCE) -> OddsRatio | None:
    """A common odds ratio of the exposed, from accuracies averaged over the classes of each group.

    Answers inside a mixed group may depend on what else the window shows, so that one class is named more
    often among the exposed and another less often. Over all classes of the group that adds up to nothing:
    the mean accuracy of the exposed differs from that of the others only if answers depend on the class
    itself. A shift d of the log-odds moves a class that is correct with probability p by d p (1 - p), to
    first order; d is estimated by weighted least squares over the groups. None where no group is
    informative.

    Parameters
    ----------
    groups
        The tables of all classes of each group.
    confidence
        Of the interval.
    """
    from scipy.stats import norm

    gained = weight = count = 0.0
    for tables in groups:
        sizes = tables.sum(axis=2)
        if not sizes.all():
            continue
        rates = tables[:, :, 0] / sizes
        spread = float((rates[:, 1] * (1 - rates[:, 1])).mean())  # change of the mean for a shift of 1
        smoothed = (tables[:, :, 0] + 0.5) / (sizes + 1)
        variance = float((smoothed * (1 - smoothed) / sizes).sum()) / len(tables) ** 2
        gained += spread * float((rates[:, 0] - rates[:, 1]).mean()) / variance
        weight += spread**2 / variance
        count += 1
    if not weight:
        return None
    shift, error = gained / weight, 1 / sqrt(weight)
    margin = float(norm.ppf((1 + confidence) / 2)) * error
    pvalue = float(2 * norm.sf(abs(shift) / error))
    return OddsRatio(_exp(shift), _exp(shift - margin), _exp(shift + margin), pvalue, int(count))


def _exp(value: float) -> float:
    """e^value; infinite where that is too large for a float."""
    return exp(value) if value < _LARGEST else inf


class Matches(NamedTuple):
    """Correct answers inside a group, and their mean and variance under random permutations."""

    correct: int
    expected: float
    variance: float


def matches(table: NDArray[np.int64]) -> Matches:
    """The trace of a table of classes and answers against random tables with the same margins.

    >>> matches(np.array([[1, 1], [1, 1]]))
    Matches(correct=2, expected=2.0, variance=1.3333333333333333)
    """
    total = int(table.sum())
    if total < 2:
        return Matches(int(np.trace(table)), float(np.trace(table)), 0.0)
    classes, answers = table.sum(axis=1) / total, table.sum(axis=0) / total
    mean = float(classes @ answers)
    centred = np.eye(len(table)) - answers[:, None] - classes[None, :] + mean
    variance = total**2 / (total - 1) * float(classes @ centred**2 @ answers)
    return Matches(int(np.trace(table)), total * mean, variance)
