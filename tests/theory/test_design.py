"""The windows that solve a modulus are as small as they can be."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.data.factorization import prime_powers
from pconv.theory import design_window, predict
from pconv.theory.design import fewest_rows, greedy_offsets, solves

fixed = settings(derandomize=True, deadline=None, max_examples=100)


@pytest.mark.parametrize("modulus", range(2, 200))
def test_the_smallest_b_solves_and_one_less_does_not(modulus: int) -> None:
    count = design_window(modulus).successors
    assert predict(modulus, range(count + 1)).solved
    assert count == 0 or not predict(modulus, range(count)).solved


@pytest.mark.parametrize("modulus", [4, 5, 6, 7, 8, 9, 10, 12, 15, 18])
def test_no_window_of_any_shape_has_fewer_rows(modulus: int) -> None:
    """Offsets matter modulo m only, so all sets of fewer residues are all windows there are."""
    fewer = combinations(range(modulus), fewest_rows(modulus) - 1)
    assert not any(predict(modulus, offsets).solved for offsets in fewer if offsets)


@fixed
@given(st.integers(2, 400), st.sets(st.integers(-200, 400), min_size=1, max_size=60))
def test_a_window_solves_iff_it_misses_at_most_one_class_in_each_fibre(
    modulus: int, offsets: set[int]
) -> None:
    for prime, exponent in prime_powers(modulus):
        power = prime**exponent
        hit = {offset % power for offset in offsets}
        missed = [0] * (power // prime)
        for residue in set(range(power)) - hit:
            missed[residue % (power // prime)] += 1
        assert predict(power, offsets).solved == (max(missed) <= 1)


@fixed
@given(st.integers(2, 60), st.sets(st.integers(-50, 100), min_size=1, max_size=80))
def test_a_choice_from_a_pool_solves_what_the_pool_solves(modulus: int, pool: set[int]) -> None:
    chosen = design_window(modulus, pool)
    if chosen.offsets is None:
        assert not predict(modulus, pool).solved
        return
    assert set(chosen.offsets) <= pool
    assert predict(modulus, chosen.offsets).solved
    assert len(chosen.offsets) >= chosen.rows
    greedy = greedy_offsets(prime_powers(modulus), tuple(sorted(pool)))
    assert solves(prime_powers(modulus), greedy)
    assert len(chosen.offsets) <= len(greedy)


@fixed
@given(st.integers(2, 30), st.sets(st.integers(0, 30), min_size=1, max_size=9))
def test_minimal_means_minimal(modulus: int, pool: set[int]) -> None:
    chosen = design_window(modulus, pool)
    if chosen.offsets is not None and chosen.minimal:
        smaller = combinations(sorted(pool), len(chosen.offsets) - 1)
        assert not any(predict(modulus, offsets).solved for offsets in smaller if offsets)


def test_columns_reach_the_largest_prime() -> None:
    assert design_window(26).primes == 6
    assert predict(26, range(12), primes=6).solved
    assert not predict(26, range(12), primes=5).solved
    assert design_window(2**61 - 1).primes is None
    assert design_window(2**61 - 1).offsets is None
    assert design_window(2**61 - 1).rows == 2**61 - 2
