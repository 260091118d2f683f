"""Verdicts on tasks other than the residue."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pconv.arithmetic.domain import Domain
from pconv.arithmetic.primes import IntArray
from pconv.arithmetic.tasks import task_named
from pconv.config import RunConfig, successors
from pconv.errors import InputError
from pconv.learn.census import confusion_matrix
from pconv.result import Evaluation, RunResult
from pconv.theory import predict
from pconv.verify.comparison import compare
from pconv.verify.verdict import Status, judge, no_theory
from tests.verify.simulated import omniscient, result_of

SIZE = 20_000


def answered(task: str, modulus: int, rows: int, answers: IntArray, numbers: IntArray) -> RunResult:
    """A run of the task with these answers to these test numbers."""
    config = RunConfig(modulus=modulus, offsets=successors(rows - 1), task=task)
    asked = task_named(task)
    labels = asked.labels(numbers, modulus)
    table = confusion_matrix(labels, answers, asked.classes(modulus))
    test = Evaluation.from_lists(table.tolist())
    return replace(result_of(omniscient, 2), config=config, validation=test, test=test, gap=None)


@pytest.fixture
def numbers() -> IntArray:
    members = Domain().members
    return members[np.random.default_rng(3).integers(0, len(members), SIZE)]


def best_reader(task: str, modulus: int, rows: int, numbers: IntArray) -> IntArray:
    """Sees the group of residues and names its most frequent label."""
    groups = predict(modulus, range(rows)).labels[numbers % modulus]
    labels = task_named(task).labels(numbers, modulus)
    most = {g: np.bincount(labels[groups == g]).argmax() for g in set(groups.tolist())}
    return np.array([most[g] for g in groups.tolist()])


@pytest.mark.parametrize("task", ["quadratic", "divisibility"])
@pytest.mark.parametrize(("modulus", "rows"), [(11, 9), (13, 3), (16, 3), (23, 9)])
def test_the_best_reader_is_confirmed(task: str, modulus: int, rows: int, numbers: IntArray) -> None:
    verdict = judge(answered(task, modulus, rows, best_reader(task, modulus, rows, numbers), numbers))
    assert verdict.status is Status.CONFIRMED
    assert verdict.test.groups == (), "inside a merged group an answer may depend on the residues' group"


@pytest.mark.parametrize(("modulus", "rows"), [(11, 9), (13, 3), (23, 9)])
def test_knowing_the_residue_refutes(modulus: int, rows: int, numbers: IntArray) -> None:
    truth = task_named("quadratic").labels(numbers, modulus)
    verdict = judge(answered("quadratic", modulus, rows, truth, numbers))
    assert verdict.status is Status.REFUTED
    assert "is above the ceiling" in verdict.sentence


def test_always_the_larger_class_is_undertrained(numbers: IntArray) -> None:
    verdict = judge(answered("quadratic", 11, 9, np.ones(SIZE, dtype=np.int64), numbers))
    assert verdict.status is Status.UNDERTRAINED


def test_every_theory_is_merged(numbers: IntArray) -> None:
    answers = best_reader("quadratic", 11, 9, numbers)
    words = compare(answered("quadratic", 11, 9, answers, numbers)).words
    assert words == {"signature": "confirmed", "paper": "confirmed", "grid": "undertrained"}


def test_no_theory_speaks_of_prime_factors(numbers: IntArray) -> None:
    result = answered("omega", 2, 9, np.zeros(SIZE, dtype=np.int64), numbers)
    assert no_theory(result.config) == "No theory applies: the task omega is not a function of n modulo m."
    both = compare(result)
    assert both.verdicts == ()
    assert both.sentence == no_theory(result.config)
    with pytest.raises(InputError, match="No theory applies"):
        judge(result)
    assert no_theory(RunConfig(modulus=2)) is None
