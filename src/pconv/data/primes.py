"""The first primes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pconv._arrays import IntArray
from pconv.config import MAX_PRIMES
from pconv.errors import InputError

_SIEVED = 2**20  # the default table: MAX_PRIMES primes lie below it


@lru_cache(maxsize=4)
def primes_below(limit: int) -> IntArray:
    """All primes < limit, ascending (Eratosthenes over the odd numbers).

    >>> primes_below(12).tolist()
    [2, 3, 5, 7, 11]
    """
    if limit <= 2:
        return np.empty(0, dtype=np.int64)
    odd = np.ones(limit // 2, dtype=bool)  # odd[i] stands for 2i + 1; its entry 0 stands for the prime 2
    for i in range(1, int(limit**0.5) // 2 + 1):
        if odd[i]:
            odd[2 * i * (i + 1) :: 2 * i + 1] = False
    primes = 2 * np.flatnonzero(odd).astype(np.int64) + 1
    primes[0] = 2
    primes.setflags(write=False)
    return primes


def first_primes(count: int) -> IntArray:
    """The first `count` primes.

    >>> first_primes(5).tolist()
    [2, 3, 5, 7, 11]
    """
    if not 0 <= count <= MAX_PRIMES:
        raise InputError("primes", count, f"must be from 0 to {MAX_PRIMES}")
    return primes_below(_SIEVED)[:count]
