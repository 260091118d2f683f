"""The closed forms against plain counting."""

from __future__ import annotations

import pytest

from pconv.theory import laws

CASES = [
    (prime, exponent)
    for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)
    for exponent in range(12)
    if prime**exponent <= 3_000
]


def capped_exponents(prime: int, exponent: int) -> list[int]:
    """min(v_p(c), a) for c = 0 .. p^a - 1, by definition."""
    return [sum(c % prime**i == 0 for i in range(1, exponent + 1)) for c in range(prime**exponent)]


@pytest.mark.parametrize(("prime", "exponent"), CASES)
def test_totient_law_counts_what_windows_show(prime: int, exponent: int) -> None:
    shown = capped_exponents(prime, exponent)
    power = len(shown)
    for rows in range(1, 61):
        turns = -(-(power + rows) // power)
        around = tuple(shown) * turns
        signatures = {around[c : c + rows] for c in range(power)}
        assert laws.totient_law(prime, exponent, rows) == len(signatures)


def test_totient_law_was_tried_on_thousands_of_cases() -> None:
    assert len(CASES) * 60 >= 3_000
