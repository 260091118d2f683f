"""Labels of every task against a plain reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import factorint, isprime

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.arithmetic import factor_count
from pconv.data.domain import Domain
from pconv.data.examples import class_count, labels_of
from pconv.data.splitting import Splitting
from pconv.data.tasks import Task, register_task, task_named, tasks
from pconv.errors import InputError

SOME = np.arange(1, 3_000, dtype=np.int64)
OMEGA = factor_count(64)  # a number below 2^63 has at most 62 prime factors


@pytest.fixture
def _forgotten() -> Iterator[None]:
    """What a test adds is gone after it."""
    found = tasks()._found
    before = dict(found)
    yield
    found.clear()
    found.update(before)


def test_residue_is_the_default() -> None:
    config = RunConfig(modulus=7)
    assert config.task == "residue"
    assert class_count(config) == 7
    assert labels_of(config, SOME).tolist() == [n % 7 for n in SOME.tolist()]


@pytest.mark.parametrize("modulus", [2, 8, 9, 11, 12, 45, 1024])
def test_tasks_of_residues(modulus: int) -> None:
    squares = {x * x % modulus for x in range(modulus)}
    expected = {
        "divisibility": [n % modulus == 0 for n in SOME.tolist()],
        "quadratic": [n % modulus in squares for n in SOME.tolist()],
    }
    for name, labels in expected.items():
        config = RunConfig(modulus=modulus, task=name)
        assert class_count(config) == 2
        assert labels_of(config, SOME).tolist() == labels
        assert task_named(name).of_residue


@given(numbers=st.lists(st.integers(1, 10**9) | st.integers(1, 2**63 - 1), max_size=4))
@settings(derandomize=True, deadline=None, max_examples=40)
def test_prime_factors_are_counted(numbers: list[int]) -> None:
    expected = [sum(factorint(n).values()) for n in numbers]
    assert OMEGA.labels(np.array(numbers, dtype=np.int64)).tolist() == expected


def test_prime_factors_of_hard_numbers() -> None:
    below_table, past_table = 1_048_573, 1_048_583  # the primes next to 2^20
    hard = [
        below_table**2,
        past_table**2,
        past_table * 2_097_169,
        below_table * past_table,
        2**62,
        2**63 - 25,
    ]
    assert OMEGA.labels(np.array(hard)).tolist() == [2, 2, 2, 2, 62, 1]
    assert OMEGA.labels(np.array([], dtype=np.int64)).tolist() == []


def test_the_square_of_a_prime_has_two_factors_where_it_is_the_greatest_number() -> None:
    for prime in (2, 3, 7, 101, 1_048_573):
        assert OMEGA.labels(np.array([1, prime**2])).tolist() == [0, 2]


def test_tasks_of_whole_numbers() -> None:
    omega = [sum(factorint(n).values()) for n in SOME.tolist()]
    assert labels_of(RunConfig(modulus=2, task="omega"), SOME).tolist() == [k % 2 for k in omega]
    assert labels_of(RunConfig(modulus=20, task="omega"), SOME).tolist() == omega
    prime = labels_of(RunConfig(modulus=2, task="primality"), SOME)
    assert prime.tolist() == [isprime(n) for n in SOME.tolist()]
    assert not task_named("omega").of_residue
    assert not task_named("primality").of_residue


def test_the_default_domain_has_only_the_smaller_primes() -> None:
    smooth = Domain().members
    assert smooth[OMEGA.labels(smooth) == 1].max() == 48_611


def test_what_is_no_task() -> None:
    with pytest.raises(InputError, match="task cubic: must be one of: residue, divisibility"):
        class_count(RunConfig(modulus=7, task="cubic"))
    with pytest.raises(InputError, match="modulus 3: must be 2"):
        class_count(RunConfig(modulus=3, task="primality"))


@pytest.mark.usefixtures("_forgotten")
def test_a_task_of_ones_own() -> None:
    @register_task("half", "is n modulo m in the upper half?", classes=2)
    def half(residues: IntArray, modulus: int) -> Any:
        return 2 * residues >= modulus

    assert half.of_residue
    config = RunConfig(modulus=5, task="half")
    assert labels_of(config, range(10)).tolist() == [0, 0, 0, 1, 1] * 2
    with pytest.raises(InputError, match="is registered already"):
        register_task("half", "again", classes=2)(half.label)


LOW = Splitting(2, lambda p, e: e > 1, np.maximum, lambda state: state - 1)


def _no_label(numbers: IntArray, modulus: int) -> IntArray:
    raise AssertionError("no number is labelled")


def test_labels_out_of_range_are_refused() -> None:
    wrong = Task("wrong", "says 2 of 2 classes", lambda modulus: 2, lambda numbers, modulus: numbers * 0 + 2)
    with pytest.raises(InputError, match="gives the label 2, must be from 0 to 1"):
        wrong.labels(SOME, 7)
    one = Task("one", "a single label", lambda modulus: 2, lambda numbers, modulus: numbers[:1])
    with pytest.raises(InputError, match="labels for"):
        one.labels(SOME, 7)
    with pytest.raises(InputError, match="gives the label -1, must be from 0 to 1"):
        Task("low", "", lambda modulus: 2, _no_label, splitting=lambda modulus: LOW).split(7)
    named = Task("named", "", lambda modulus: 2, _no_label, names=lambda modulus: ["one"])
    with pytest.raises(InputError, match="task named: has 1 names of labels for 2 classes"):
        named.label_names(7)
    many = Task("many", "too many classes", lambda modulus: 5_000, lambda numbers, modulus: numbers)
    with pytest.raises(InputError, match="has 5000 classes"):
        many.classes(7)
