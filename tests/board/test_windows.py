"""Possible columns against the columns of all integers up to a bound."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.board.windows import highest_exponents, is_column, possible_exponents
from pconv.config import RunConfig
from pconv.data.grid import prime_grid
from pconv.theory.signature import valuation

HIGHEST = 2


def all_columns(prime: int, offsets: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The columns of integers with exponents up to `HIGHEST`, which n modulo the next power determines."""
    cap = HIGHEST + 1
    columns = {
        tuple(valuation(x + offset, prime, cap) for offset in offsets) for x in range(1, prime**cap + 1)
    }
    return {column for column in columns if max(column) < cap}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([2, 3, 5, 7]),
    st.lists(st.integers(0, 30), min_size=1, max_size=4, unique=True).map(lambda o: tuple(sorted(o))),
)
def test_a_column_is_possible_iff_an_integer_has_it(prime: int, offsets: tuple[int, ...]) -> None:
    wanted = all_columns(prime, offsets)
    tried = product(range(HIGHEST + 1), repeat=len(offsets))
    assert {column for column in tried if is_column(prime, offsets, column)} == wanted


def test_the_changes_of_a_column_give_columns() -> None:
    offsets = (0, 1, 2, 3)
    wanted = all_columns(3, offsets)
    for column in wanted:
        found = possible_exponents(3, offsets, column, HIGHEST)
        for row, exponent in product(range(4), range(HIGHEST + 1)):
            changed = (*column[:row], exponent, *column[row + 1 :])
            assert found[row][exponent] == (changed in wanted)
        assert all(found[row][exponent] for row, exponent in enumerate(column)), "as it is"


@pytest.mark.parametrize("offsets", [(0, 1, 2), (-2, 0)])
def test_the_highest_exponents_are_those_of_the_domain(offsets: tuple[int, ...]) -> None:
    config = RunConfig(modulus=5, offsets=offsets, primes=5, limit=1_026, smooth=0)
    numbers = list(range(1 - min(0, offsets[0]), config.limit))
    grids = prime_grid(numbers, config.offsets, config.primes).dense()
    assert highest_exponents(config) == tuple(grids.max(axis=(0, 1)).astype(int).tolist())
