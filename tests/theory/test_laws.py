"""The closed forms against plain counting, and the paper's statements against one another."""

from __future__ import annotations

import pytest

from pconv.data.factorization import prime_powers
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


@pytest.mark.parametrize("successors", range(0, 61))
def test_observations_theorem_corollary_and_totients_name_the_same_prime_powers(successors: int) -> None:
    for prime in (2, 3, 5, 7, 11, 13, 59, 61, 67):
        for exponent in range(1, 10):
            solved = laws.observation_4(prime, exponent, successors)
            assert solved == laws.theorem(prime, exponent, successors)
            assert solved == laws.solved_by_totients(prime**exponent, successors + 1)
            if exponent == 1:
                assert solved == laws.observation_3(prime, successors)
            if prime == 2:
                assert solved == laws.corollary(exponent, successors)


@pytest.mark.parametrize("modulus", range(2, 300))
def test_observation_2_combines_the_prime_powers_as_the_totient_law_does(modulus: int) -> None:
    for successors in range(0, 40):
        components = [laws.observation_4(p, a, successors) for p, a in prime_powers(modulus)]
        solved = laws.observation_2(components)
        assert solved == laws.solved_by_totients(modulus, successors + 1)
        assert solved == (laws.ceiling_by_totients(modulus, successors + 1) == 1)
        if modulus <= successors + 2:
            assert solved  # the paper's consequence of Observation 1


def test_observation_1_lists_class_0_and_the_last_classes() -> None:
    assert laws.observation_1(5, 0) == {0}
    assert laws.observation_1(5, 9) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("successors", range(0, 20))
def test_observation_4_counts_the_groups_of_its_pattern(successors: int) -> None:
    for prime, exponent in CASES:
        if exponent:
            labels = laws.observation_4_labels(prime, exponent, successors)
            assert laws.observation_4_count(prime, exponent, successors) == len(set(labels.tolist()))


def test_observation_4_is_fast_for_high_powers() -> None:
    assert laws.observation_4_exponent(2, 62, 2) == 2


@pytest.mark.parametrize("prime", [2, 3, 5, 7])
def test_theorem_exponent_is_the_only_one(prime: int) -> None:
    for successors in range(200):
        fitting = [i for i in range(12) if prime**i < successors + 2 <= prime ** (i + 1)]
        assert fitting == [laws.theorem_exponent(prime, successors)]
