"""Statistical tests: exact ones from scipy, Monte-Carlo where no exact test is feasible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


_FEW = 5
"""Answers other than the most frequent one that a table needs for each class to be tested."""

_LARGE = 1e6
"""Non-centrality from which on a chi-square variable is taken as normal."""


class Dependence(NamedTuple):
    """How much the answers to the numbers of several classes depend on the class.

    The statistic is the sum over the classes i of `n_i |p_i - a|^2`, where p_i are the shares of the answers
    to the n_i numbers of class i, and a those of all answers. If a share q of the numbers is known and the
    others are guesses, however these are distributed, p_i is about a + q (e_i - c) with the shares c of the
    classes, and the statistic about `q^2 n (1 - |c|^2)` more than by chance.
    """

    size: int
    statistic: float
    complete: float  # n (1 - |c|^2)
    noise: NDArray[np.float64]  # mean of the statistic by chance: coefficients of 1, q, q^2
    variance: NDArray[np.float64]  # of the statistic: coefficients of 1, q, .., q^4
    wrong_for: int  # numbers that the most frequent answer is wrong for
    not_favourite: int  # of these, those with another answer: all that are known, at least
    testable: bool


def dependence(table: NDArray[np.int64]) -> Dependence:
    """The dependence of answers (columns) on classes (rows); both are the same classes.

    >>> found = dependence(np.array([[50, 0], [0, 50]]))
    >>> found.statistic, found.complete
    (50.0, 50.0)
    """
    sizes, counts, size = table.sum(axis=1), table.sum(axis=0), int(table.sum())
    c, a = sizes / max(1, size), counts / max(1, size)
    occurs = sizes > 0
    apart = ((table[occurs] / sizes[occurs, None] - a) ** 2).sum(axis=1)
    classes, rest = np.count_nonzero(occurs), np.where(occurs, 1 - c, 0.0)
    noise = [rest.sum() * (1 - a @ a), -2 * rest @ (a - a @ c), -rest @ (1 - 2 * c + c @ c)]
    spread = a @ a - 2 * (a**3).sum() + (a @ a) ** 2
    # e_i - c, over the answers to class i, has the mean m + q dm, and its square s + q ds.
    m, dm = a - a @ c, 1 - 2 * c + c @ c
    s, ds = a * (1 - 2 * c) + a @ c**2, (1 - c) * (1 - 2 * c) + c**2 - (c**3).sum()
    shift = 4 * size * np.array([c @ (s - m**2), c @ (ds - 2 * m * dm), -c @ dm**2])
    favourite = int(counts.argmax())
    wrong_for = int(size - sizes[favourite])
    return Dependence(
        size=size,
        statistic=float(apart @ sizes[occurs]),
        complete=float(size * (1 - c @ c)) if classes > 1 else 0.0,
        noise=np.array(noise),
        variance=np.array([2 * (classes - 1) * spread, 0.0, *shift]),
        wrong_for=wrong_for,
        not_favourite=int(wrong_for - counts[favourite] + table[favourite, favourite]),
        testable=bool(classes > 1 and size - counts[favourite] >= _FEW * classes),
    )


def dependence_interval(tables: Sequence[NDArray[np.int64]], level: float) -> tuple[float, float, float]:
    """The share of answers that depends on the class, over independent tables, with its interval.

    It is q if a share q of the numbers is known and the others are guesses, whatever their distribution;
    answers that confuse the classes in a fixed way count as known. In general at least this share of the
    answers depends on the class.

    The statistics of the tables (see `Dependence`) add up. Their sum is taken as a multiple of a non-central
    chi-square variable of the same mean and variance. Tables in which nearly all answers are alike are not
    tested. There the upper bound is that of the share of other answers among the numbers that the most
    frequent answer is wrong for, since those of them that are known have another one.

    Parameters
    ----------
    tables
        Counts by class (rows) and answer (columns), of the same classes.
    level
        The probability that the share lies outside the interval.

    Examples
    --------
    >>> table = np.array([[5300, 4700], [4700, 5300]])
    >>> [round(share, 3) for share in dependence_interval([table], 0.01)]
    [0.06, 0.042, 0.078]
    >>> skewed = np.array([[9994, 6], [9934, 66]])  # 0.6% is known, and 99.4% of the guesses are alike
    >>> [round(share, 3) for share in dependence_interval([skewed], 0.01)]
    [0.006, 0.004, 0.008]
    """
    every = [dependence(table) for table in tables]
    tested = [each for each in every if each.testable]
    rest = [each for each in every if each.complete and not each.testable]
    untested = 0.0
    if rest:
        most = upper_bound(sum(t.not_favourite for t in rest), sum(t.wrong_for for t in rest), level / 2)
        untested = most * sum(t.size for t in rest) / sum(t.size for t in every)
    if not tested:
        return 0.0, 0.0, untested
    known = _KnownShare(tested)
    share = _falling_root(known.excess)
    low = _falling_root(lambda q: known.below(q) - (1 - level / 2))
    high = _falling_root(lambda q: known.below(q) - level / 2)
    return share, min(share, low), min(1.0, max(share, high) + untested)


class _KnownShare:
    """The sum of the statistics of several tables, if the same share of each is known."""

    def __init__(self, tables: Sequence[Dependence]) -> None:
        self._statistic = sum(table.statistic for table in tables)
        self._complete = sum(table.complete for table in tables)
        self._noise = np.sum([table.noise for table in tables], axis=0).tolist()
        self._variance = np.sum([table.variance for table in tables], axis=0).tolist()

    def _noise_at(self, share: float) -> float:
        constant, linear, square = self._noise
        return float(max(1e-6, constant + share * (linear + share * square)))

    def excess(self, share: float) -> float:
        """The statistic minus its mean."""
        return self._statistic - self._noise_at(share) - share**2 * self._complete

    def below(self, share: float) -> float:
        """The probability of a smaller statistic."""
        noise, shift = self._noise_at(share), share**2 * self._complete
        variance = max(self._variance[0], sum(v * share**i for i, v in enumerate(self._variance)))
        scale = variance / (2 * noise + 4 * shift)
        if shift > _LARGE * scale:
            return float(special.ndtr(self.excess(share) / variance**0.5))
        if shift == 0:
            return float(stats.chi2.cdf(self._statistic / scale, noise / scale))
        return float(stats.ncx2.cdf(self._statistic / scale, noise / scale, shift / scale))


def _falling_root(function: Callable[[float], float]) -> float:
    """Where a function that falls from 0 to 1 is 0; the end next to it if it is nowhere."""
    if function(0.0) <= 0:
        return 0.0
    return 1.0 if function(1.0) >= 0 else float(optimize.brentq(function, 0.0, 1.0))
