"""Confidence intervals for the mean of independent draws from strata of equal weight and size.

Where a draw is 0 or 1, the interval is that of Clopper and Pearson. The count is a sum of independent
Bernoulli variables of different rates, and the two ends together fail at most as often as with equal rates
(docs/certify.md has the proof; one end alone may fail more often). Where a draw is any value in [0, 1], it is
the interval of Hoeffding's (1963) inequality, P(mean >= x) <= exp(-n KL(x, mu)).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor, inf, log

_DIGITS = 10**9
_SAFETY = 1e-10  # the inverse functions are accurate to far less
_MOST = 2**40


def bounded_mean(low: float, high: float, size: int, confidence: float, binary: bool) -> tuple[float, float]:
    """The interval of a mean of `size` values from 0 to 1, whose sum is known to be in [low, high].

    Parameters
    ----------
    low, high
        The sum, or bounds on it.
    size
        The number of draws.
    confidence
        The probability that the interval contains the mean.
    binary
        Whether the values are 0 and 1 only.

    Examples
    --------
    >>> [round(float(end), 6) for end in bounded_mean(0, 0, 1000, 0.999, binary=True)]
    [0.0, 0.007572]
    >>> [round(float(end), 6) for end in bounded_mean(3.5, 3.5, 1000, 0.999, binary=False)]
    [0.000154, 0.016428]
    """
    tail = (1 - confidence) / 2
    if binary:
        from pconv.evaluate.statistics import lower_bound, upper_bound  # scipy.stats is slow to import

        return lower_bound(low, size, tail), upper_bound(high, size, tail)
    return _last(low / size, 0.0, size, tail), _last(high / size, 1.0, size, tail)


def _last(mean: float, end: float, size: int, tail: float) -> float:
    """The value between mean and end that the inequality does not exclude, farthest from the mean."""
    if mean == end or size * divergence(mean, end) <= -log(tail):
        return end
    inside, outside = mean, end
    for _ in range(100):
        middle = (inside + outside) / 2
        if size * divergence(mean, middle) > -log(tail):
            outside = middle
        else:
            inside = middle
    return outside


def divergence(x: float, mean: float) -> float:
    """The relative entropy of Bernoulli variables with these means.

    >>> divergence(0.5, 0.5), divergence(0.1, 0.0)
    (0.0, inf)
    """
    total = 0.0
    for share, other in ((x, mean), (1 - x, 1 - mean)):
        if share > 0:
            total += share * log(share / other) if other > 0 else inf
    return total


def smallest_sample(rate: float, width: float, confidence: float, binary: bool) -> int:
    """How many draws give an interval of this width where the mean is `rate`.

    Parameters
    ----------
    rate
        The mean.
    width
        The width of the interval.
    confidence
        Its confidence.
    binary
        As in `bounded_mean`.

    Examples
    --------
    >>> smallest_sample(0.001, 0.001, 0.999, binary=True)
    45912
    """

    def enough(size: int) -> bool:
        total = rate * size
        low, high = bounded_mean(total, total, size, confidence, binary)
        return high - low <= width

    return _first(enough)


def _first(enough: Callable[[int], bool]) -> int:
    size = 1
    while not enough(size) and size < _MOST:
        size *= 2
    too_few = size // 2
    while size - too_few > 1:
        middle = (size + too_few) // 2
        if enough(middle):
            size = middle
        else:
            too_few = middle
    return size


def rounded_down(value: float) -> Fraction:
    """A bound from below with nine decimals.

    >>> rounded_down(0.25), rounded_down(0.0)
    (Fraction(249999999, 1000000000), Fraction(0, 1))
    """
    return max(Fraction(0), Fraction(floor((value - _SAFETY) * _DIGITS), _DIGITS))


def rounded_up(value: float) -> Fraction:
    """A bound from above with nine decimals."""
    return min(Fraction(1), Fraction(ceil((value + _SAFETY) * _DIGITS), _DIGITS))
