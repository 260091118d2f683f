"""The paper's statements against one another and against the totient law."""

from __future__ import annotations

import pytest

from pconv.data.factorization import prime_powers
from pconv.theory import laws, observations
from tests.theory.test_laws import CASES


@pytest.mark.parametrize("successors", range(0, 61))
def test_observations_theorem_corollary_and_totients_name_the_same_prime_powers(successors: int) -> None:
    for prime in (2, 3, 5, 7, 11, 13, 59, 61, 67):
        for exponent in range(1, 10):
            solved = observations.observation_4(prime, exponent, successors)
            assert solved == observations.theorem(prime, exponent, successors)
            assert solved == laws.solved_by_totients(prime**exponent, successors + 1)
            if exponent == 1:
                assert solved == observations.observation_3(prime, successors)
            if prime == 2:
                assert solved == observations.corollary(exponent, successors)


@pytest.mark.parametrize("modulus", range(2, 300))
def test_observation_2_combines_the_prime_powers_as_the_totient_law_does(modulus: int) -> None:
    for successors in range(0, 40):
        components = [observations.observation_4(p, a, successors) for p, a in prime_powers(modulus)]
        solved = all(components)
        assert solved == laws.solved_by_totients(modulus, successors + 1)
        assert solved == (laws.ceiling_by_totients(modulus, successors + 1) == 1)
        if modulus <= successors + 2:
            assert solved  # the paper's consequence of Observation 1


def test_observation_1_lists_class_0_and_the_last_classes() -> None:
    assert observations.observation_1(5, 0) == {0}
    assert observations.observation_1(5, 9) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("successors", range(0, 20))
def test_observation_4_counts_the_groups_of_its_pattern(successors: int) -> None:
    for prime, exponent in CASES:
        if exponent:
            labels = observations.observation_4_labels(prime, exponent, successors)
            assert observations.observation_4_count(prime, exponent, successors) == len(set(labels.tolist()))


def test_observation_4_is_fast_for_high_powers() -> None:
    assert observations.observation_4_exponent(2, 62, 2) == 2


@pytest.mark.parametrize("prime", [2, 3, 5, 7])
def test_theorem_exponent_is_the_only_one(prime: int) -> None:
    for successors in range(200):
        fitting = [i for i in range(12) if prime**i < successors + 2 <= prime ** (i + 1)]
        assert fitting == [observations.theorem_exponent(prime, successors)]
