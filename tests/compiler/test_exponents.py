"""The columns that occur, against the numbers of a whole period."""

from __future__ import annotations

import pytest

from pconv.compiler.exponents import prime_columns
from pconv.theory.signature import valuation


@pytest.mark.parametrize(
    ("prime", "offsets", "most"),
    [(2, range(5), 4), (2, [-3, 0, 4, 9], 4), (3, range(4), 3), (3, [0, 3, 6], 3), (5, [0, 1, 25], 3)],
)
def test_the_columns_are_those_of_a_period(prime: int, offsets: range | list[int], most: int) -> None:
    """Modulo p^(most+1) all columns with exponents up to `most` occur; higher exponents are left out."""
    period = prime ** (most + 1)
    seen = {tuple(valuation(n + o, prime, most + 1) for o in offsets) for n in range(period)}
    expected = {column for column in seen if max(column) <= most}
    assert set(prime_columns(prime, offsets, most)) == expected
