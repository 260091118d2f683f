"""The prime powers of a number."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from pconv.config import MAX_NUMBER, MAX_PRIMES
from pconv.data.primes import first_primes
from pconv.errors import InputError

_TABLE_END = 2**20  # the table of primes holds all below it


class PrimePower(NamedTuple):
    """A prime power p^a."""

    prime: int
    exponent: int

    @property
    def power(self) -> int:
        return int(self.prime**self.exponent)

    @property
    def totient(self) -> int:
        """Euler's phi(p^a): how many classes modulo p^a are units.

        >>> PrimePower(2, 4).totient, PrimePower(7, 1).totient, PrimePower(7, 0).totient
        (8, 6, 1)
        """
        return self.power - self.power // self.prime if self.exponent else 1


@lru_cache(maxsize=4096)
def prime_powers(number: int) -> tuple[PrimePower, ...]:
    """The p^a that exactly divide a number from 1 to 2^63 - 1, by increasing p.

    >>> [tuple(factor) for factor in prime_powers(360)]
    [(2, 3), (3, 2), (5, 1)]
    """
    if not 1 <= number <= MAX_NUMBER:
        raise InputError("number", number, f"must be from 1 to {MAX_NUMBER}")
    primes = first_primes(MAX_PRIMES)
    found = []
    rest = number
    for prime in primes[number % primes == 0].tolist():
        exponent = 0
        while rest % prime == 0:
            rest //= prime
            exponent += 1
        found.append(PrimePower(prime, exponent))
    if rest >= _TABLE_END**2:
        from sympy import factorint  # slow to load, and only such large remainders need it

        found += [PrimePower(int(p), int(a)) for p, a in sorted(factorint(rest).items())]
    elif rest > 1:  # no prime of the table divides it, so it is a prime itself
        found.append(PrimePower(rest, 1))
    return tuple(found)
