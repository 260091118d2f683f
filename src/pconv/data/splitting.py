"""Functions of n that are computed prime by prime, such as the number of prime factors.

Every prime power of n has a *state*, states are combined in any order, and the label is read from the
combined state. So a part of the prime powers, such as those that a grid shows, has a state too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.config import MAX_PRIMES
from pconv.data.factorization import prime_powers
from pconv.data.primes import first_primes

_ALL_DIVIDED = 2**40  # without a prime factor below 2^20, a smaller number is a prime


class PrimeFactors(NamedTuple):
    """The prime powers of some numbers, those of one number together."""

    number: IntArray  # the place of the number that each prime power belongs to, ascending
    primes: IntArray
    exponents: IntArray


@dataclass(frozen=True)
class Splitting:
    """A function of n that splits over the primes.

    Parameters
    ----------
    states
        The number of states, which are 0, 1, ... .
    of_power
        The function from primes and exponents (at least 1) to the states of the prime powers. From the prime
        `settled` on, it depends on the exponent alone.
    combine
        The state of two coprime parts of n together; associative and commutative.
    label
        The function from states to labels.
    identity
        The state of 1.
    settled
        See `of_power`.

    Examples
    --------
    Is n squarefree? State 1 means that a square of a prime divides the part.

    >>> squarefree = Splitting(2, lambda p, e: e >= 2, np.maximum, lambda state: 1 - state)
    >>> squarefree.labels(np.array([1, 12, 15])).tolist()
    [1, 0, 1]
    """

    states: int
    of_power: Callable[[IntArray, IntArray], NDArray[Any]]
    combine: Callable[[IntArray, IntArray], IntArray]
    label: Callable[[IntArray], NDArray[Any]]
    identity: int = 0
    settled: int = 2

    def labels(self, numbers: IntArray) -> IntArray:
        """The label of each number from 1 to 2^63 - 1."""
        return np.asarray(self.label(self.states_of(numbers)), dtype=np.int64)

    def states_of(self, numbers: IntArray) -> IntArray:
        """The state of each number from 1 to 2^63 - 1."""
        found = prime_factors(numbers)
        states = np.full(len(numbers), self.identity, dtype=np.int64)
        powers = np.asarray(self.of_power(found.primes, found.exponents), dtype=np.int64)
        first = np.searchsorted(found.number, np.arange(len(numbers)))
        place = np.arange(len(found.number)) - first[found.number]  # among the powers of its number
        for i in range(int(place.max(initial=-1)) + 1):
            chosen = place == i
            of = found.number[chosen]
            states[of] = self.combine(states[of], powers[chosen])
        return states

    @cached_property
    def table(self) -> IntArray:
        """The combined state of every two states, (states, states)."""
        every = np.arange(self.states, dtype=np.int64)
        shape = (self.states, self.states)
        left, right = np.broadcast_to(every[:, None], shape), np.broadcast_to(every, shape)
        return np.asarray(self.combine(left, right), dtype=np.int64)


def prime_factors(numbers: IntArray) -> PrimeFactors:
    """All prime powers that exactly divide each n from 1 to 2^63 - 1.

    >>> found = prime_factors(np.array([1, 12, 7]))
    >>> found.number.tolist(), found.primes.tolist(), found.exponents.tolist()
    ([1, 1, 2], [2, 3, 7], [2, 1, 1])
    """
    from pconv.data.grid import prime_grid  # loads numba, which predictions about residues do not need

    numbers = np.asarray(numbers, dtype=np.int64)
    table = first_primes(MAX_PRIMES)
    root = isqrt(int(numbers.max(initial=1)))
    table = table[: max(1, int(np.searchsorted(table, root, side="right")))]
    grid = prime_grid(numbers, [0], len(table))
    number = np.repeat(np.arange(len(numbers)), np.diff(grid.indptr))
    primes, exponents = table[grid.indices], grid.values.astype(np.int64)
    rest = numbers.copy()
    np.floor_divide.at(rest, number, primes**exponents)
    # All primes up to the square root are divided out, so a rest is a prime ..
    left = np.flatnonzero((rest > 1) & (rest < _ALL_DIVIDED))
    hard = [  # .. unless the table of primes ended before the root
        (int(i), *power) for i in np.flatnonzero(rest >= _ALL_DIVIDED) for power in prime_powers(int(rest[i]))
    ]
    found = (number, primes, exponents), (left, rest[left], np.ones_like(left))
    factored = np.array(hard, dtype=np.int64).reshape(-1, 3).T
    columns = [np.concatenate(column) for column in zip(*found, factored, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return PrimeFactors(*(column[order] for column in columns))
