"""Prime powers multiply to the number, and each is one of a prime."""

from __future__ import annotations

from math import gcd, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.data.factorization import PrimePower, prime_powers
from pconv.errors import InputError


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.integers(1, 2**63 - 1))
def test_the_powers_multiply_to_the_number(number: int) -> None:
    factors = prime_powers(number)
    assert prod(factor.power for factor in factors) == number
    assert all(prime_powers(factor.prime) == (PrimePower(factor.prime, 1),) for factor in factors)
    assert [factor.prime for factor in factors] == sorted({factor.prime for factor in factors})


@pytest.mark.parametrize("number", range(1, 500))
def test_totients_count_units(number: int) -> None:
    units = sum(gcd(c, number) == 1 for c in range(1, number + 1))
    assert prod(factor.totient for factor in prime_powers(number)) == units


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, []),
        (2**62, [(2, 62)]),
        (1_048_583**3, [(1_048_583, 3)]),
        (1_048_583 * 1_048_589, [(1_048_583, 1), (1_048_589, 1)]),
        (2_147_483_647 * 4_294_967_291, [(2_147_483_647, 1), (4_294_967_291, 1)]),
        (9_223_372_036_854_775_783, [(9_223_372_036_854_775_783, 1)]),
    ],
)
def test_large_primes(number: int, expected: list[tuple[int, int]]) -> None:
    assert [tuple(factor) for factor in prime_powers(number)] == expected


@pytest.mark.parametrize("number", [0, -4, 2**63])
def test_numbers_outside_are_named(number: int) -> None:
    with pytest.raises(InputError, match=str(number)):
        prime_powers(number)
