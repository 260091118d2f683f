"""Changes of one exponent after which a grid is still the window of a positive integer.

By the Chinese remainder theorem a grid is the window of some integer iff each of its columns is: for every
prime p there must be an x such that p has the exponents of its column in x + o, o being the offsets.
"""

from __future__ import annotations

from functools import lru_cache

from pconv.config import RunConfig
from pconv.data.primes import first_primes
from pconv.theory.signature import valuation

Column = tuple[int, ...]
"""The exponents of a prime, row by row."""


def is_column(prime: int, offsets: tuple[int, ...], exponents: Column) -> bool:
    """Whether some integer x has these exponents of the prime in x + o, for every offset o.

    Let row s have the largest exponent M. Then x = -s + k p^M, and k must not be a multiple of p. A row t
    has the exponent of p in t - s where this is below M. Where it is not, the exponent is M for all k but
    those of one residue class modulo p, so some class modulo p must be left.

    Parameters
    ----------
    prime
        The prime p.
    offsets
        The rows of the window.
    exponents
        The exponent of p in each row.

    Examples
    --------
    >>> is_column(5, (0, 1, 2), (0, 2, 0)), is_column(5, (0, 1, 2), (1, 1, 0))
    (True, False)
    >>> is_column(2, (0, 1), (0, 0))  # one of two neighbours is even
    False
    """
    largest = max(exponents)
    top = offsets[exponents.index(largest)]
    power = prime**largest
    excluded = set()
    for offset, exponent in zip(offsets, exponents, strict=True):
        distance = offset - top
        if exponent != valuation(distance, prime, largest):
            return False
        if distance % power == 0:
            excluded.add(-(distance // power) % prime)
    return len(excluded) < prime


@lru_cache(maxsize=4096)  # a column without a multiple is that of most windows
def possible_exponents(
    prime: int, offsets: tuple[int, ...], exponents: Column, highest: int
) -> tuple[tuple[bool, ...], ...]:
    """For each row, the exponents up to a highest one that it can be changed to, the other rows as they are.

    Parameters
    ----------
    prime, offsets, exponents
        As in `is_column`.
    highest
        The largest exponent that is considered.

    Examples
    --------
    >>> possible_exponents(5, (0, 1), (0, 1), 2)  # the multiple of 5 may become any exponent, the other none
    ((True, False, False), (True, True, True))
    """

    def changed(row: int, exponent: int) -> Column:
        return (*exponents[:row], exponent, *exponents[row + 1 :])

    return tuple(
        tuple(is_column(prime, offsets, changed(row, exponent)) for exponent in range(highest + 1))
        for row in range(len(offsets))
    )


def highest_exponents(config: RunConfig) -> tuple[int, ...]:
    """For each column, the largest exponent of its prime in the windows of a run's domain.

    >>> highest_exponents(RunConfig(modulus=7, primes=4, limit=100, offsets=range(2)))
    (6, 4, 2, 2)
    """
    largest = config.limit - 1 + max(0, config.offsets[-1])
    highest = []
    for prime in first_primes(config.primes).tolist():
        exponent = 0
        while prime ** (exponent + 1) <= largest:
            exponent += 1
        highest.append(exponent)
    return tuple(highest)
