"""Confidence bounds, found by bisection from sums of binomial probabilities: no special functions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, exp, floor, log, log1p

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
        The sum of the draws is known to be between them.
    size
        The number of draws.
    tail
        The probability that one of the bounds does not hold.
    binary
        Whether draws are 0 and 1 only.
    """
    if binary:
        below = 0.0 if least == 0 else _least(lambda p: 1 - _at_most(least - 1, size, p) > tail)
        above = 1.0 if greatest == size else _least(lambda p: _at_most(greatest, size, p) <= tail)
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
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _at_most(count: float, size: int, p: float) -> float:
    """The binomial probability of at most `count` successes, for 0 < p < 1."""
    k = np.arange(int(count) + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log((size - k[1:] + 1) / k[1:]))])
    return float(np.exp(ways + k * log(p) + (size - k) * log1p(-p)).sum())


def _divergence(x: float, mean: float) -> float:
    """The relative entropy of Bernoulli variables with means x and `mean`, for 0 < mean < 1."""
    first = x * log(x / mean) if x > 0 else 0.0
    second = (1 - x) * log((1 - x) / (1 - mean)) if x < 1 else 0.0
    return first + second
