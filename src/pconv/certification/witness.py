"""The smallest positive integer that shows given columns, by the Chinese remainder theorem and a sieve."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from pconv.certification.columns import ColumnValue

_FIRST_PIECE, _LARGEST_PIECE = 2**8, 2**16
_MOST = 2**22


def smallest_integer(primes: Sequence[int], values: Sequence[ColumnValue], least: int) -> int | None:
    """The smallest n >= least whose columns have these values; None if none of 2^22 candidates has.

    The columns fix n modulo the product M of the p^power, so that n = a + M*t. The first t is sought for
    which the next digit of n is allowed at every prime.

    Parameters
    ----------
    primes
        The prime of each column.
    values
        The value of each column.
    least
        Where the search begins.

    Examples
    --------
    >>> from pconv.certification.columns import PrimeColumn
    >>> two, three = PrimeColumn(2, (0, 1)), PrimeColumn(3, (0, 1))
    >>> even = two.level(0).values[0]  # v2 = (1, 0)
    >>> smallest_integer((2, 3), (even, three.level(0).values[0]), 1)  # v3 = (0, 0)
    10
    """
    known = [prime**value.power for prime, value in zip(primes, values, strict=True)]
    modulus = prod(known)
    residue = 0
    for power, value in zip(known, values, strict=True):
        rest = modulus // power
        residue += value.residue * rest * pow(rest, -1, power) if power > 1 else 0
    first = least + (residue - least) % modulus
    start, piece = 0, _FIRST_PIECE
    while start < _MOST:
        steps = np.arange(start, start + piece, dtype=np.int64)
        for prime, power, value in zip(primes, known, values, strict=True):
            if value.hit is None:
                continue
            digit, step = (first - value.residue) // power % prime, modulus // power % prime
            allowed = np.ones(prime, dtype=bool)
            allowed[list(value.hit)] = False
            steps = steps[allowed[(digit + step * steps) % prime]]
            if not len(steps):
                break
        if len(steps):
            return int(first + modulus * int(steps[0]))
        start += piece
        piece = min(2 * piece, _LARGEST_PIECE, _MOST - start)
    return None
