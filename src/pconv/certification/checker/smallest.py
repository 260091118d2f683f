"""The smallest positive integer that shows a grid, found once more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pconv.certification.checker.laws import Rules

_MOST, _PIECE = 2**22, 2**15  # candidates that are tried, and at a time


def smallest_integer(rules: Rules, primes: Sequence[int], grid: NDArray[np.float64]) -> int | None:
    """The smallest positive n with this grid and a positive window; None if none of 2^22 candidates has it.

    A row n+o with the highest exponent e of a column makes n ≡ -o modulo p^e. With M the product of these
    powers the candidates are n = first + M t, of which those are no solution that have a row which is a
    multiple of p^(e+1): for each such row one class of t modulo p.

    Parameters
    ----------
    rules
        What the columns show.
    primes
        The columns.
    grid
        (rows, columns).

    Examples
    --------
    >>> smallest_integer(Rules((0, 1), None, False), (2, 3), np.array([[1.0, 0.0], [0.0, 0.0]]))
    10
    """
    first, modulus, powers = 0, 1, []
    for p, column in zip(primes, grid.T, strict=True):
        power, residue = _condition(rules, p, column)
        first += (residue - first) * pow(modulus, -1, power) % power * modulus
        modulus *= power
        powers.append(power)
    first += -((first - max(1, 1 - rules.offsets[0])) // modulus) * modulus
    excluded = {}
    for p, power, column in zip(primes, powers, grid.T, strict=True):
        if not rules.residues and column.max() != rules.cap:
            rows = [first + o for o in rules.offsets if (first + o) % power == 0]
            inverse = pow(modulus // power, -1, p)
            excluded[p] = [-(row // power) * inverse % p for row in rows]
    for start in range(0, _MOST, _PIECE):
        left = np.arange(start, start + _PIECE)
        for p, classes in excluded.items():
            free = np.ones(p, dtype=bool)
            free[classes] = False
            left = left[free[left % p]]
            if not len(left):
                break
        if len(left):
            return first + modulus * int(left[0])
    return None


def _condition(rules: Rules, p: int, column: NDArray[np.float64]) -> tuple[int, int]:
    """A power of p, and the class of n modulo it that a column determines."""
    if rules.residues:
        return p, (round(float(column[0]) * p) - rules.offsets[0]) % p
    row = int(column.argmax())
    power = p ** int(column[row])
    return power, -rules.offsets[row] % power
