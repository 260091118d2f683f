"""Accuracy near training numbers and far from them: what is called memory, and what is not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import Domain, far_from, split, unseen
from pconv.evaluate.assess import Answered, Reference
from pconv.evaluate.judge import judge, judge_answers
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.evaluate.statistics import stratified_pvalue
from pconv.evaluate.verdict import Memory
from pconv.result import Evaluation, RunResult
from tests.evaluate.fake_networks import ideal, omniscient, predicted, result_of

TWO_ROWS = [(11, 2), (13, 2), (16, 2)]


@cache
def census(rows: int) -> tuple[IntArray, NDArray[np.bool_]]:
    """The numbers that a run has not seen, and which of them are far from its training numbers."""
    config = RunConfig(modulus=2)
    drawn = split(config)
    numbers = unseen(config, drawn)
    return numbers, far_from(range(rows), numbers, drawn.training.ravel())


def counts_of(modulus: int, rows: int) -> tuple[IntArray, IntArray]:
    """How many numbers of each class are near, and how many are far."""
    numbers, far = census(rows)
    near, away = (np.bincount(numbers[chosen] % modulus, minlength=modulus) for chosen in (~far, far))
    return near, away


def memory_of(near: NDArray[np.int64], far: NDArray[np.int64], rows: int) -> Memory:
    """Of a network with these answers to the near and to the far numbers."""
    every, away = (Evaluation.from_lists(table.tolist()) for table in (near + far, far))
    answered = Answered(every, away, complete=True)
    prediction = predicted(len(near), rows)
    memory = judge_answers(answered, prediction, Reference.on(answered, prediction, Domain())).memory
    assert memory is not None
    return memory


def test_a_difference_between_near_and_far_numbers_is_memory() -> None:
    for census in (True, False):
        result = result_of(omniscient(7), 7, census=census)
        memory = judge(result).memory
        assert memory is not None
        assert (memory.memorised, memory.pvalue) == (False, 1)
        verdict = judge(spoiled_far(result))
        assert verdict.memory is not None
        assert verdict.memory.memorised
        assert verdict.memory.near_accuracy == 1
        assert verdict.memory.far_accuracy == pytest.approx(0.9, abs=0.01)
        assert "seems to remember neighbours" in verdict.sentence


def spoiled_far(result: RunResult) -> RunResult:
    """The same run, with every tenth answer far from training numbers wrong."""
    answered = Answered.by(result)
    assert answered.far is not None
    confusion = [list(row) for row in answered.far.confusion]
    whole = [list(row) for row in answered.answers.confusion]
    for c, row in enumerate(confusion):
        moved = row[c] // 10
        for matrix in (confusion, whole):
            matrix[c][c] -= moved
            matrix[c][(c + 1) % 7] += moved
    far, every = Evaluation.from_lists(confusion), Evaluation.from_lists(whole)
    if result.census:
        return replace(result, census=replace(result.census, far=far, answers=every))
    return replace(result, disjoint_test=far, test=every)


@pytest.mark.parametrize(("modulus", "rows"), TWO_ROWS)
def test_guesses_inside_the_groups_are_not_memory(modulus: int, rows: int) -> None:
    """Near and far numbers differ in how frequent the classes are that a window of two rows identifies."""
    near, far = counts_of(modulus, rows)
    shares = [counts[0] / counts.sum() for counts in (near, far)]
    assert abs(shares[0] / shares[1] - 1) > 0.01
    rng, reader, trials = np.random.default_rng(modulus), ideal(modulus, rows), 300
    found = [memory_of(reader.answer(near, rng), reader.answer(far, rng), rows) for _ in range(trials)]
    assert sum(each.memorised for each in found) <= 0.03 * trials
    accuracies = np.array([(each.near_accuracy, each.far_accuracy) for each in found]).mean(axis=0)
    assert accuracies[0] == pytest.approx(accuracies[1], abs=2e-4)


@pytest.mark.parametrize(("modulus", "rows"), TWO_ROWS)
def test_guesses_that_depend_on_the_window_are_not_memory(modulus: int, rows: int) -> None:
    """Whether n+1 has a large prime factor decides which class of the group is named."""
    numbers, far = census(rows)
    smooth = np.isin(numbers + 1, Domain().members)
    rng, classes, found = np.random.default_rng(modulus), numbers % modulus, 0
    for _ in range(20):
        named = np.zeros((2, modulus), dtype=np.int64)
        for group in predicted(modulus, rows).groups:
            named[:, group] = rng.choice(group, (2, 1))
        answers = named[smooth.astype(int), classes]
        near, away = (
            np.bincount(classes[chosen] * modulus + answers[chosen], minlength=modulus**2)
            for chosen in (~far, far)
        )
        found += memory_of(near.reshape(modulus, -1), away.reshape(modulus, -1), rows).memorised
    assert found <= 1


@pytest.mark.parametrize(("modulus", "rows"), TWO_ROWS)
def test_naming_the_class_of_a_neighbour_is_memory(modulus: int, rows: int) -> None:
    """3% of the numbers near training numbers are taken for members of the next class."""
    near, far = counts_of(modulus, rows)
    rng, reader = np.random.default_rng(modulus), ideal(modulus, rows)
    moved = rng.binomial(near, 0.03)
    answers = reader.answer(near - moved, rng)
    answers += np.roll(np.diag(moved), 1, axis=1)
    memory = memory_of(answers, reader.answer(far, rng), rows)
    assert memory.memorised
    assert memory.near_accuracy < memory.far_accuracy


def test_a_handful_of_far_numbers_shows_nothing() -> None:
    """A single wrong answer among seven is no rare event, however precise the others are."""
    near, far = np.diag(np.full(7, 1_000)), np.diag(np.ones(7, dtype=np.int64))
    far[3] = np.roll(far[3], 1)
    near[:, 0] += 10
    assert not memory_of(near, far, 9).memorised
    alone = np.diag([5, 0, 0, 0, 0, 0, 0])
    memory = memory_of(near, alone, 9)
    assert (memory.near_accuracy, memory.far_accuracy) == (1, 1), "of class 0, the only one with far numbers"


def test_residues_of_one_label_are_not_equally_hard() -> None:
    """Modulo 11 the window of two rows identifies some squares: their share is not the same near and far."""
    for task, same in (("quadratic", False), ("divisibility", True)):
        prediction = predict_run(RunConfig(modulus=11, offsets=(0, 1), task=task))
        assert not isinstance(prediction, NotApplicable)
        assert prediction.same_everywhere is same


def test_strata_of_different_sizes_do_not_differ() -> None:
    assert stratified_pvalue(np.array([[[900, 100], [90, 10]], [[10, 90], [100, 900]]])) == 1
    assert stratified_pvalue(np.zeros((3, 2, 2), dtype=np.int64)) == 1
    assert stratified_pvalue(np.array([[[900, 0], [9, 0]], [[0, 3], [0, 0]]])) == 1
    assert stratified_pvalue(np.array([[[9_000, 1_000], [8_000, 2_000]]])) < 1e-80


@pytest.mark.parametrize(("sizes", "rate"), [((2_000, 7), 0.9), ((900, 700), 0.5), ((40_000, 9_000), 0.9)])
def test_equal_rates_are_called_different_at_the_level(sizes: tuple[int, int], rate: float) -> None:
    """Over five strata, exact for few numbers and normal for many: it is kept, and not far below."""
    rng, trials = np.random.default_rng(sizes[1]), 1_000
    rates = rate * np.array([1, 0.9, 0.8, 0.7, 0.6])
    found = 0
    for _ in range(trials):
        counts = np.stack([rng.multinomial(size, [0.4, 0.3, 0.1, 0.1, 0.1]) for size in sizes], axis=1)
        correct = rng.binomial(counts, rates[:, None])
        found += stratified_pvalue(np.stack([correct, counts - correct], axis=2)) <= 0.05
    assert found / trials <= 0.07
    assert sizes[1] < 100 or found / trials >= 0.03
