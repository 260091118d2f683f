"""Values and partitions on arrays against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pconv.discover.evaluation import ClassFrames, Evaluator, WindowCase
from pconv.discover.formula import Formula
from pconv.discover.operations import operations, radical_of, register_function, remove_function, totient_of
from pconv.discover.parser import parse
from pconv.discover.partitions import partition_of
from pconv.errors import InputError
from tests.discover import plain
from tests.discover.strategies import formulas

CASES = (WindowCase(12, (-1, 0, 3)), WindowCase(2, (0,)), WindowCase(9, (0, 1)), WindowCase(30, (0, 2)))
EVALUATOR = Evaluator(ClassFrames(CASES))


@settings(max_examples=150, deadline=None)
@given(formulas)
def test_partitions_are_those_of_plain_python(formula: Formula) -> None:
    assume("^" not in str(formula) or formula.size <= 4)  # towers of powers take plain Python too long
    try:
        found = partition_of(formula, EVALUATOR)
    except InputError:  # a value past the bound
        return
    expected = [leader for case in CASES for leader in plain.groups(formula, *case)]
    assert found.tolist() == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-(10**4), 10**4), min_size=2, max_size=2))
def test_every_operation_is_that_of_plain_python(pair: list[int]) -> None:
    for name, operation in operations().items():
        arguments = pair[: operation.arity]
        if name == "^":
            arguments = [pair[0], pair[1] % 7 - 1]
        expected = plain.FUNCTIONS[name](*arguments)
        if abs(expected) < 2**31:
            assert int(operation(*map(np.array, arguments))) == expected


def test_large_numbers_are_factored_not_looked_up() -> None:
    large = 2**4 * 3 * 1_000_003
    assert (radical_of(large), totient_of(large)) == (6 * 1_000_003, 16 * 1_000_002)
    values = Evaluator(ClassFrames([WindowCase(2, (0,))])).values(parse(f"rad({large})")).values
    assert values.tolist() == [radical_of(large)] * 2


def test_values_that_are_too_large_are_refused_not_rounded() -> None:
    with pytest.raises(InputError, match="has a value of 2147483648 or more"):
        EVALUATOR.values(parse("(n+2)^40"))
    with pytest.raises(InputError, match="has a value of 2147483648 or more"):
        EVALUATOR.values(parse("70000*70000 % m"))


def test_a_function_can_be_added() -> None:
    @register_function("odd", 1)
    def odd(x: np.ndarray) -> np.ndarray:
        return x % 2

    try:
        assert (
            partition_of(parse("odd(n)"), EVALUATOR).tolist()
            == partition_of(parse("n % 2"), EVALUATOR).tolist()
        )
    finally:
        remove_function("odd")
    for name, arity in (("gcd", 2), ("x", 1), ("two words", 1), ("fine", 3)):
        with pytest.raises(InputError):
            register_function(name, arity)
