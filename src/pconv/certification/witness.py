"""The smallest positive integer that shows given columns, by the Chinese remainder theorem and a sieve."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from pconv.certification.columns import ColumnValue

_PIECE = 2**16
_MOST = 2**22


def smallest_integer(primes: Sequence[int], values: Sequence[ColumnValue], least: int) -> int | None:
    """The smallest n >= least whose columns have these values; None if it is not found soon.

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
    >>> from pconv.certification.columns import Column
    >>> two, three = Column(2, (0, 1)), Column(3, (0, 1))
    >>> smallest_integer((2, 3), (two.level(1).values[0], three.level(0).values[0]), 1)  # v2 = (2, 0), v3 = (0, 0)
    4
    """
    known = [prime**value.power for prime, value in zip(primes, values, strict=True)]
    modulus = prod(known)
    residue = 0
    for power, value in zip(known, values, strict=True):
        rest = modulus // power
        residue += value.residue * rest * pow(rest, -1, power) if power > 1 else 0
    first = least + (residue - least) % modulus
    for start in range(0, _MOST, _PIECE):
        steps = np.arange(start, start + _PIECE, dtype=np.int64)
        for prime, power, value in zip(primes, known, values, strict=True):
            if value.hit is None:
                continue
            digit, step = (first - value.residue) // power % prime, modulus // power % prime
            allowed = np.ones(prime, dtype=bool)
            allowed[list(value.hit)] = False
            steps = steps[allowed[(digit + step * steps) % prime]]
        if len(steps):
            return int(first + modulus * int(steps[0]))
    return None
