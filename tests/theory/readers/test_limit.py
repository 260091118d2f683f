"""The limit law against closed forms, exact enumeration and counting."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import pi, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.config import MAX_PRIMES, RunConfig
from pconv.data import arithmetic
from pconv.data.primes import first_primes
from pconv.data.tasks import task_named
from pconv.theory.readers import LimitLaw, Readers, TaskProblem, explain_label
from pconv.theory.readers.evidence import label_laws, likeliest
from pconv.theory.readers.limit import Density


def density_of(**fields: object) -> Density:
    config = RunConfig.from_dict({"modulus": 2, "limit": 200, "architecture": "mlp", **fields})
    found = Readers(TaskProblem.of(config)).reading("limit").density
    assert found is not None
    assert found.low <= found.accuracy <= found.high
    return found


@given(columns=st.integers(0, 40))
@settings(derandomize=True, deadline=None, max_examples=10)
def test_the_density_of_squarefree_numbers(columns: int) -> None:
    law = LimitLaw(arithmetic.SQUAREFREE, columns)
    visible = prod(1 - 1 / int(p) ** 2 for p in first_primes(columns))
    assert law.visible[0] == pytest.approx(visible, abs=1e-12)
    exact = 6 / pi**2 / visible
    assert abs(law.hidden[0] - exact) <= law.error < 1e-6
    moebius = LimitLaw(arithmetic.MOBIUS, columns)
    assert moebius.hidden == pytest.approx([exact / 2, exact / 2, 1 - exact], abs=moebius.error)


@pytest.mark.parametrize(("task", "modulus"), [("squarefree", 2), ("mobius", 3)])
def test_with_all_primes_of_the_table_visible_few_squares_are_hidden(task: str, modulus: int) -> None:
    splitting = task_named(task).split(modulus)
    assert splitting is not None
    law = LimitLaw(splitting, MAX_PRIMES)
    assert 0 < law.error < 1e-6
    assert law.hidden == pytest.approx([1, 0] if task == "squarefree" else [0.5, 0.5, 0], abs=law.error)


@pytest.mark.parametrize("representation", ["capped", "residues"])
def test_answers_of_the_limit_reader_are_best_for_every_number(representation: str) -> None:
    """Numbers with the same evidence share the mean of their laws, which must not change an answer."""
    config = RunConfig(modulus=2, task="squarefree", primes=32, limit=20_000, representation=representation)
    readers = Readers(TaskProblem.of(config))
    answers = likeliest(readers.limit_laws)[readers.evidence("limit")]
    assert np.array_equal(answers, likeliest(label_laws(readers.problem, readers.problem.visible_parts(0))))


def test_a_label_that_never_occurs_has_probability_0() -> None:
    """A task may have more classes than labels; `limit` leaves the others out."""
    squarefree = task_named("squarefree")
    three = replace(squarefree, count=lambda modulus: 3, names=None)
    problem = TaskProblem.of(RunConfig(modulus=2, limit=500, primes=4))
    readers = Readers(TaskProblem(three, 2, problem.offsets, 4, problem.representation, problem.domain))
    assert readers.limit_laws.shape == (2, 3)
    assert not readers.limit_laws[:, 2].any()
    assert explain_label(readers, 30).sentences[-1] == "In truth it is 1."


def test_densities_in_closed_form() -> None:
    """Of the parity of prime factors nothing is known; almost no integer is a prime or has few factors."""
    assert density_of(task="liouville").accuracy == pytest.approx(0.5)
    assert density_of(task="omega", modulus=6).accuracy == pytest.approx(1 / 6)
    for task, modulus in (("primality", 2), ("smoothness", 7), ("omega-distinct", 5), ("divisors", 9)):
        found = density_of(task=task, modulus=modulus)
        assert found.accuracy == pytest.approx(1)
        assert found.kind == "exact"
        assert found.low == found.high == found.accuracy
    assert density_of(task="residue", modulus=16, offsets=(0, 1, 2)).accuracy == 5 / 8


def test_the_least_factor_when_only_two_and_three_are_visible() -> None:
    """5 is hidden, and divides a fifth of the numbers that neither 2 nor 3 divides."""
    found = density_of(task="least-factor", modulus=4, primes=2)
    assert found.accuracy == pytest.approx(1 / 2 + 1 / 6 + 1 / 3 * 4 / 5)
    law = LimitLaw(arithmetic.least_factor(4), 2)
    assert law.hidden == pytest.approx([0, 0, 1 / 5, 4 / 5])


def test_capped_rows_are_sampled_within_the_interval() -> None:
    """With three capped columns the eight rows can be enumerated."""
    primes, exact = (2, 3, 5), 0.0
    hidden = 6 / pi**2 / prod(1 - 1 / p**2 for p in primes)
    for divides in product((False, True), repeat=3):
        share = prod(1 / p if d else 1 - 1 / p for p, d in zip(primes, divides, strict=True))
        free = hidden * prod(1 - 1 / p for p, d in zip(primes, divides, strict=True) if d)
        exact += share * max(free, 1 - free)
    found = density_of(task="squarefree", primes=3, representation="capped")
    assert found.kind == "interval"
    assert found.low < exact < found.high < found.low + 0.03
    assert found.accuracy == pytest.approx(exact, abs=0.005)


@pytest.mark.parametrize(("task", "modulus"), [("squarefree", 2), ("mobius", 3), ("least-factor", 6)])
def test_counting_agrees_with_the_limit_law(task: str, modulus: int) -> None:
    """The law of the label given the visible state, counted below 200,000."""
    splitting = task_named(task).splitting
    assert splitting is not None
    law = LimitLaw(splitting(modulus), 3)
    config = RunConfig(modulus=modulus, task=task, primes=3, limit=200_000, smooth=0)
    readers = Readers(TaskProblem.of(config))
    evidence, label, counts = readers.pairs("local")
    numbers, given = np.bincount(evidence, counts), law.labels_given(modulus)
    for state, seen, count in zip(evidence, label, counts, strict=True):
        assert count / numbers[state] == pytest.approx(given[state, seen], abs=0.02)


def test_a_function_of_unknown_structure_is_sampled() -> None:
    """Digits tell nothing about the last but one: a fair reader guesses one of ten, up to the interval."""
    task = task_named("residue")
    ten = type(task)("tens", "the last digit but one", lambda m: 10, lambda n, m: n // 10 % 10)
    problem = TaskProblem.of(RunConfig(modulus=2, limit=500))
    readers = Readers(TaskProblem(ten, 2, problem.offsets, 4, problem.representation, problem.domain))
    density = readers.reading("limit").density
    assert density is not None
    assert density.kind == "interval"
    assert density.low < 0.1 < density.high < density.low + 0.05
    assert readers.reading("limit").accuracy <= readers.reading("local").accuracy
