"""Circuits with few channels, on every column of exponents that occurs below 2^63."""

from __future__ import annotations

import pytest

from pconv.compiler.exponents import largest_exponent, prime_columns
from pconv.compiler.narrow import PrimeSums, narrow_circuit
from pconv.compiler.steps import prime_code, prime_codes
from pconv.theory.problem import Problem

WINDOW = range(9)


@pytest.mark.parametrize("modulus", [7, 9, 11, 16, 18, 25])
def test_the_codes_together_number_the_groups_of_every_column(modulus: int) -> None:
    problem = Problem(modulus, WINDOW, 32)
    circuit = narrow_circuit(problem, 32, kernel=7, channels=4)
    assert circuit is not None
    assert len(circuit.channels) <= 4
    for whole in prime_codes(problem):
        parts = [code for code in circuit.codes if code.prime == whole.prime]
        numbers: dict[int, tuple[int, ...]] = {}
        for column in prime_columns(whole.prime, WINDOW, largest_exponent(whole.prime)):
            exponents = dict(zip(WINDOW, column, strict=True))
            group = whole.read(exponents)
            assert numbers.setdefault(group, read := tuple(p.read(exponents) for p in parts)) == read
        assert len(set(numbers.values())) == whole.count
        for residue, group in enumerate(whole.labels):
            assert tuple(part.labels[residue] for part in parts) == numbers[group]


def test_what_is_not_found_is_none() -> None:
    assert narrow_circuit(Problem(14, WINDOW, 32), 32, kernel=7, channels=4) is None  # open
    assert narrow_circuit(Problem(19, WINDOW, 32), 32, kernel=7, channels=4) is None  # column out of reach


def test_weights_separate_groups_iff_no_sum_is_shared() -> None:
    """5 = 5 * 1 = 1 * 5: the first row with exponent 1 and the second with exponent 5 have the same sum."""
    sums = PrimeSums(prime_code(3, 1, [0, 1]), [0, 1])
    assert not sums.separate([5, 1])
    assert sums.separate([40, 1])  # exponents of 3 are at most 39
