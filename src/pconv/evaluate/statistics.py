"""Statistical tests: exact ones from scipy, Monte-Carlo where no exact test is feasible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

_ALLOCATIONS = 99_999


def upper_bound(count: float, size: int, level: float) -> float:
    """The exact (Clopper-Pearson) upper bound of a rate.

    Parameters
    ----------
    count
        The number of successes.
    size
        The number of trials.
    level
        The probability that the true rate exceeds the bound.

    Examples
    --------
    >>> round(upper_bound(0, 459, 0.01), 4)
    0.01
    """
    return 1.0 if count == size else float(special.betainccinv(count + 1, size - count, level))


def lower_bound(count: float, size: int, level: float) -> float:
    """The exact (Clopper-Pearson) lower bound of a rate.

    Parameters
    ----------
    count
        The number of successes.
    size
        The number of trials.
    level
        The probability that the true rate is below the bound.

    Examples
    --------
    >>> round(lower_bound(95, 100, 0.05), 4)
    0.8977
    """
    return 0.0 if count == 0 else float(special.betaincinv(count, size - count + 1, level))


def more_pvalue(count: int, size: int, rate: float) -> float:
    """The exact binomial test that the true rate is at most `rate`.

    Parameters
    ----------
    count
        The number of successes.
    size
        The number of trials.
    rate
        The rate of the null hypothesis.

    Examples
    --------
    >>> more_pvalue(2, 2, 0.5)
    0.25
    """
    return float(stats.binomtest(count, size, rate, alternative="greater").pvalue)


def fewer_pvalue(count: int, size: int, rate: float) -> float:
    """The exact binomial test that the true rate is at least `rate`.

    Parameters
    ----------
    count, size, rate
        As in `more_pvalue`.

    Examples
    --------
    >>> fewer_pvalue(0, 3, 0.5)
    0.125
    """
    return float(stats.binomtest(count, size, rate, alternative="less").pvalue)


Strata = NDArray[np.int64]
"""Shape (strata, 2, 2): [[correct, wrong] of one sample, [correct, wrong] of the other]."""

_NORMAL = 100.0
"""A sum of counts is taken as normal from this variance on; below it, its distribution is computed."""

_WIDTH = 200
"""Counts so far from their mean are left out; at a variance below `_NORMAL` they have no probability."""


def stratified_pvalue(strata: Strata) -> float:
    """The Cochran-Mantel-Haenszel test that two samples have equal rates in every stratum, two-sided.

    Given the margins of its table, the correct answers of one sample in a stratum are hypergeometric. Their
    sum over the strata is tested: as a normal variable, or exactly where it has a small variance. Samples
    that differ in the sizes of their strata alone do not differ.

    Parameters
    ----------
    strata
        The counts of both samples in each stratum.

    Examples
    --------
    >>> round(stratified_pvalue(np.array([[[8, 2], [2, 8]]])), 4)  # one stratum: Fisher's exact test
    0.023
    >>> stratified_pvalue(np.array([[[90, 10], [9, 1]], [[1, 9], [10, 90]]]))  # together 83% and 17%
    1.0
    """
    strata = strata[strata.sum(axis=(1, 2)) > 1]
    size, first, correct = strata.sum(axis=(1, 2)), strata[:, 0].sum(axis=1), strata[:, :, 0].sum(axis=1)
    mean = first * correct / size
    variance = float((mean * (size - first) * (size - correct) / (size * (size - 1.0))).sum())
    seen = int(strata[:, 0, 0].sum())
    if variance >= _NORMAL:
        return float(stats.chi2.sf((seen - mean.sum()) ** 2 / variance, 1))
    least, chances = 0, np.ones(1)
    for i in range(len(strata)):
        low = max(0, int(first[i] + correct[i] - size[i]), round(mean[i]) - _WIDTH)
        counts = np.arange(low, min(int(first[i]), int(correct[i]), round(mean[i]) + _WIDTH) + 1)
        chances = np.convolve(chances, stats.hypergeom.pmf(counts, size[i], correct[i], first[i]))
        skipped = max(0, round(mean[: i + 1].sum()) - _WIDTH - least - low)
        least, chances = least + low + skipped, chances[skipped : skipped + 2 * _WIDTH + 1]
    sums = least + np.arange(len(chances))
    return float(min(1.0, 2 * min(chances[sums <= seen].sum(), chances[sums >= seen].sum())))


def one_rate_pvalue(hits: Sequence[int], sizes: Sequence[int], seed: int = 0) -> float:
    """The test that several shares have one true rate, by the chi-square statistic.

    The p-value comes from the chi-square distribution where every expected count is at least 5, else from
    99,999 random allocations of the rarer outcome.

    Parameters
    ----------
    hits
        The successes of each sample.
    sizes
        The trials of each sample.
    seed
        The seed of the random allocations.

    Examples
    --------
    >>> one_rate_pvalue([20_000, 20_000], [20_000, 20_000])
    1.0
    """
    counts, totals = np.array(hits), np.array(sizes)
    counts = min(counts, totals - counts, key=lambda rare: int(rare.sum()))
    if counts.sum() == 0:
        return 1.0
    expected = totals * counts.sum() / totals.sum()
    if expected.min() >= 5:
        return float(stats.chi2_contingency([counts, totals - counts], correction=False).pvalue)
    allocated = np.random.default_rng(seed).multivariate_hypergeometric(
        totals, int(counts.sum()), _ALLOCATIONS
    )
    # In all tables with these margins the statistic grows with this sum.
    apart = ((allocated - expected) ** 2 / totals).sum(axis=1)
    seen = ((counts - expected) ** 2 / totals).sum()
    return float((1 + np.count_nonzero(apart >= seen - 1e-12)) / (1 + _ALLOCATIONS))


def holm(pvalues: Sequence[float]) -> list[float]:
    """P-values adjusted by Holm's step-down method, which controls the family-wise error rate.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(pvalues)
    reached = 0.0
    for rank, i in enumerate(sorted(range(len(pvalues)), key=pvalues.__getitem__)):
        reached = max(reached, min(1.0, (len(pvalues) - rank) * pvalues[i]))
        adjusted[i] = reached
    return adjusted


class Association(NamedTuple):
    """The chi-square statistic of independence of one table."""

    statistic: float
    freedom: int
    scale: float  # the statistic of a table of this size with complete association
    size: int  # numbers in the table
    untested: float  # of them those that may be known although untested, because answers are too rare


_RARE = 5.0
"""Expected counts below it make the chi-square distribution a poor approximation."""


def association(table: NDArray[np.int64]) -> Association:
    """Pearson's chi-square of rows (classes) against columns (answers), of the same classes.

    Rare answers are merged, so that every expected count is at least 5; those that stay rare are left out and
    counted as untested.

    >>> association(np.array([[50, 0], [0, 50]]))
    Association(statistic=100.0, freedom=1, scale=100.0, size=100, untested=0.0)
    """
    table = _bundled(table)
    table = table[table.sum(axis=1) > 0]
    size, classes, answers = int(table.sum()), table.sum(axis=1), table.sum(axis=0)
    if len(table) < 2 or np.count_nonzero(answers) < 2:  # one class, or one answer to all: no association
        return Association(0.0, 0, 0.0, size, 0.0)
    needed = _RARE * size / classes.min()
    frequent = answers >= needed
    rest = table[:, ~frequent].sum(axis=1, keepdims=True)
    # If a share q of all is known, so is q of the numbers of other classes than the most frequent answer's.
    untested = min(float(size), float(rest.sum() * size / (size - classes.max())))
    if rest.sum() >= needed:
        table = np.hstack([table[:, frequent], rest])
        if np.count_nonzero(answers[~frequent]) == 1:  # a single column is tested as it is
            untested = 0.0
    else:
        table = table[:, frequent]
    if table.shape[1] < 2 or not table.sum(axis=1).all():
        return Association(0.0, 0, 0.0, size, untested if frequent.sum() == 1 else float(size))
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    rows, columns = table.shape
    scale = float(table.sum() * (min(rows, columns) - 1))
    return Association(statistic, (rows - 1) * (columns - 1), scale, size, untested)


def _bundled(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """The table with classes and answers merged into equal bundles, 10 numbers a cell on average.

    A network that knows a share q of the classes knows a share q of the bundles.
    """
    most = max(2, math.isqrt(int(table.sum() / (2 * _RARE))))
    if len(table) <= most:
        return table
    bundles = max(2, len(table) // -(-len(table) // most))
    bundle = np.arange(len(table)) % bundles
    bundled = np.zeros((bundles, bundles), dtype=np.int64)
    np.add.at(bundled, np.ix_(bundle, bundle), table)
    return bundled


def association_interval(tables: Sequence[Association], level: float) -> tuple[float, float, float]:
    """Cramér's V over independent tables, corrected for its bias, with its interval.

    The statistics add up, and their sum is non-central chi-square; `level` is the probability that V lies
    outside the interval. Untested answers count as possibly known in the upper bound. Without a table that
    can be tested V and its lower bound are 0.

    >>> v, low, high = association_interval([association(np.array([[5300, 4700], [4700, 5300]]))], 0.01)
    >>> [round(x, 3) for x in (v, low, high)]
    [0.06, 0.042, 0.078]
    """
    statistic = sum(table.statistic for table in tables)
    freedom = sum(table.freedom for table in tables)
    scale = sum(table.scale for table in tables)
    untested = sum(table.untested for table in tables) / max(1, sum(table.size for table in tables))
    if freedom == 0:
        return 0.0, 0.0, untested
    v, low, high = (
        min(1.0, math.sqrt(noncentrality / scale))
        for noncentrality in (
            max(0.0, statistic - freedom),
            _noncentrality(statistic, freedom, 1 - level / 2),
            _noncentrality(statistic, freedom, level / 2),
        )
    )
    return v, low, min(1.0, high + untested)


def _noncentrality(statistic: float, freedom: int, share: float) -> float:
    """The non-centrality for which this share of the distribution lies below the statistic."""
    if stats.chi2.cdf(statistic, freedom) <= share:
        return 0.0
    above = max(1.0, statistic)
    while stats.ncx2.cdf(statistic, freedom, above) > share:
        above *= 2
    return float(optimize.brentq(lambda nc: stats.ncx2.cdf(statistic, freedom, nc) - share, 0.0, above))
