"""Arithmetic functions that split over the primes: for each the states of prime powers and how they combine.

Labels that end at a bound are capped: the last label means "this or more".
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pconv._arrays import IntArray
from pconv.config import MAX_PRIMES
from pconv.data.primes import first_primes
from pconv.data.splitting import Splitting

_HAS_SQUARE = 2


def _itself(states: IntArray) -> IntArray:
    return states


@lru_cache(maxsize=64)
def factor_count(modulus: int) -> Splitting:
    """Omega(n), the number of prime factors with multiplicity, modulo m.

    >>> factor_count(20).labels(np.array([1, 7, 12])).tolist()
    [0, 1, 3]
    """
    return Splitting(modulus, lambda p, e: e % modulus, lambda a, b: (a + b) % modulus, _itself)


@lru_cache(maxsize=64)
def distinct_count(modulus: int) -> Splitting:
    """omega(n), the number of different prime factors; m-1 means m-1 or more.

    >>> distinct_count(3).labels(np.array([1, 8, 12, 30])).tolist()
    [0, 1, 2, 2]
    """
    last = modulus - 1
    return Splitting(modulus, lambda p, e: np.ones_like(e), lambda a, b: np.minimum(a + b, last), _itself)


@lru_cache(maxsize=64)
def divisor_count(modulus: int) -> Splitting:
    """The number of divisors less 1: label d-1 for d divisors; m-1 means m divisors or more.

    >>> divisor_count(5).labels(np.array([1, 7, 9, 6, 12])).tolist()
    [0, 1, 2, 3, 4]
    """
    return Splitting(
        modulus,
        lambda p, e: np.minimum(e, modulus - 1),
        lambda a, b: np.minimum((a + 1) * (b + 1), modulus) - 1,
        _itself,
    )


@lru_cache(maxsize=64)
def least_factor(modulus: int) -> Splitting:
    """The least prime factor: label i for the i-th prime, from 0; m-1 means a later prime, or n = 1.

    >>> least_factor(3).labels(np.array([1, 12, 15, 35])).tolist()
    [2, 0, 1, 2]
    """
    last = modulus - 1
    named = first_primes(min(last, MAX_PRIMES))
    return Splitting(
        modulus,
        lambda p, e: np.minimum(np.searchsorted(named, p), last),
        np.minimum,
        _itself,
        identity=last,
        settled=int(named[-1]) + 1,
    )


@lru_cache(maxsize=64)
def smoothness(modulus: int) -> Splitting:
    """1 if no prime factor of n is larger than m, else 0.

    >>> smoothness(5).labels(np.array([1, 60, 14])).tolist()
    [1, 1, 0]
    """
    return Splitting(2, lambda p, e: p > modulus, np.maximum, lambda s: 1 - s, settled=modulus + 1)


PRIMALITY = Splitting(3, lambda p, e: np.minimum(e, 2), lambda a, b: np.minimum(a + b, 2), lambda s: s == 1)
"""1 for a prime; the state is the number of prime factors, up to 2."""
SQUAREFREE = Splitting(2, lambda p, e: e >= 2, np.maximum, lambda s: 1 - s)
"""1 if no square of a prime divides n, else 0."""
LIOUVILLE = Splitting(2, lambda p, e: e % 2, np.bitwise_xor, _itself)
"""0 for an even number of prime factors (lambda = 1), 1 for an odd number (lambda = -1)."""
MOBIUS = Splitting(
    3,
    lambda p, e: np.where(e >= 2, _HAS_SQUARE, 1),
    lambda a, b: np.where(np.maximum(a, b) == _HAS_SQUARE, _HAS_SQUARE, a ^ b),
    lambda s: np.array([2, 0, 1])[s],
)
"""Moebius' function plus 1. States: an even number of primes, an odd number, or a square that divides."""
