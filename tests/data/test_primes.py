"""The first primes against sympy."""

from __future__ import annotations

import pytest
import sympy

from pconv.config import MAX_PRIMES
from pconv.data.primes import first_primes, primes_below
from pconv.errors import InputError


def test_first_primes_are_sympys() -> None:
    assert first_primes(2000).tolist() == list(sympy.primerange(sympy.prime(2000) + 1))


@pytest.mark.parametrize(
    ("count", "last"), [(1, 2), (5_000, 48_611), (78_498, 999_983), (MAX_PRIMES, 1_048_573)]
)
def test_the_nth_prime(count: int, last: int) -> None:
    primes = first_primes(count)
    assert len(primes) == count
    assert primes[-1] == last


@pytest.mark.parametrize("limit", range(40))
def test_primes_below_small_limits(limit: int) -> None:
    assert primes_below(limit).tolist() == [n for n in range(2, limit) if sympy.isprime(n)]


def test_more_primes_than_there_are_is_an_error() -> None:
    with pytest.raises(InputError, match=str(MAX_PRIMES)):
        first_primes(MAX_PRIMES + 1)
