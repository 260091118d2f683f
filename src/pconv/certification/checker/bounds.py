"""Confidence bounds, found by bisection from sums of binomial probabilities: no special functions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, exp, floor, isqrt, log

import numpy as np

_DIGITS = 10**9
_SAFETY = 1e-10
_ACCURACY = 1e-12


def of_mean(
    least: float, greatest: float, size: int, tail: float, binary: bool
) -> tuple[set[Fraction], set[Fraction]]:
    """The bounds, from below and from above, on the mean of draws from 0 to 1.

    Each has nine decimals and is rounded outwards; there are two of it where the bisection is not accurate
    enough to decide.

    Parameters
    ----------
    least, greatest
        The sum of the draws is known to be between them. Whole numbers if `binary`.
    size
        The number of draws.
    tail
        The probability that a bound may fail with, below 1/4.
    binary
        Whether draws are 0 and 1 only.
    """
    if binary:
        below, above = _rate_from_below(int(least), size, tail), _rate_from_above(int(greatest), size, tail)
    else:
        mean, top = least / size, greatest / size
        below = 0.0 if mean == 0 else _least(lambda p: p >= mean or exp(-size * _divergence(mean, p)) > tail)
        above = 1.0 if top == 1 else _least(lambda p: p > top and exp(-size * _divergence(top, p)) <= tail)
    return _rounded(below, floor, -_SAFETY), _rounded(above, ceil, _SAFETY)


def _rounded(value: float, direction: Callable[[float], int], shift: float) -> set[Fraction]:
    ends = (value + shift + change for change in (-_ACCURACY, 0.0, _ACCURACY))
    return {min(Fraction(1), max(Fraction(0), Fraction(direction(end * _DIGITS), _DIGITS))) for end in ends}


def _least(holds: Callable[[float], bool]) -> float:
    """The least p from 0 to 1 for which a condition holds that holds for all greater ones, too."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if middle == high:  # no float is between them
            break
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _rate_from_below(count: int, size: int, tail: float) -> float:
    """The least rate for which so many successes, or more, have a probability above `tail`.

    It is above 1/2 for rates of count/size and more: the median of the successes is not below `count`.
    """
    if count == 0:
        return 0.0
    ways = _log_ways(count, size)
    return _least(lambda p: p * size >= count or _at_least(count, size, p, 1 - p, ways) > tail)


def _rate_from_above(count: int, size: int, tail: float) -> float:
    """The least rate for which so few successes, or fewer, have at most the probability `tail`."""
    if count == size:
        return 1.0
    ways, failures = _log_ways(count, size), size - count
    return _least(lambda p: p * size > count and _at_least(failures, size, 1 - p, p, ways) <= tail)


def _log_ways(count: int, size: int) -> float:
    """The logarithm of the binomial coefficient."""
    k = np.arange(1, min(count, size - count) + 1)
    return float(np.log((size - k + 1) / k).sum())


def _at_least(count: int, size: int, p: float, q: float, log_ways: float) -> float:
    """The binomial probability of at least `count` successes where count > size * p, with q = 1 - p.

    All terms are added up from the first, the largest; none is subtracted, so that small probabilities are
    as accurate as others. Term j is at most exp(-j(j-1) / 2 size) times the first, and those that are left
    out are below e^-50 times it.
    """
    k = np.arange(count, min(size, count + 10 * isqrt(size) + 100))
    others = np.cumprod((size - k) / (k + 1) * (p / q))
    return exp(log_ways + count * log(p) + (size - count) * log(q)) * (1 + float(others.sum()))


def _divergence(x: float, mean: float) -> float:
    """The relative entropy of Bernoulli variables with means x and `mean`, for 0 < mean < 1."""
    first = x * log(x / mean) if x > 0 else 0.0
    second = (1 - x) * log((1 - x) / (1 - mean)) if x < 1 else 0.0
    return first + second
