"""The signature of a class by its plain definition."""

from __future__ import annotations

from pconv.theory import Problem


def exponent(number: int, prime: int, cap: int) -> int:
    """The plain definition."""
    return max(i for i in range(cap + 1) if number % prime**i == 0)


def signature(modulus: int, count: int, c: int) -> tuple[int, ...]:
    factors = Problem(modulus, (0,)).factors
    return tuple(exponent(c + o, p, a) for p, a in factors for o in range(count + 1))
