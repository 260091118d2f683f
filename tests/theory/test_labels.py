"""Predictions for labels against brute force over all readers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.data.domain import Domain
from pconv.data.tasks import Task, task_named
from pconv.errors import InputError
from pconv.theory import LabelPrediction, Prediction, for_task, predict

fixed = settings(derandomize=True, deadline=None, max_examples=150)
windows = st.sets(st.integers(-10, 20), min_size=1, max_size=6)


@st.composite
def labelled(draw: st.DrawFn) -> tuple[LabelPrediction, list[int], int]:
    """A window, a modulus, and any label for each residue."""
    modulus = draw(st.integers(2, 60))
    classes = draw(st.integers(1, 6))
    labels = draw(st.lists(st.integers(-1, classes - 1), min_size=modulus, max_size=modulus))
    if max(labels) < 0:
        labels[0] = 0
    residues = predict(modulus, draw(windows))
    return LabelPrediction(residues, np.array(labels), classes), labels, classes


@fixed
@given(labelled())
def test_the_best_reader_is_found_among_all(case: tuple[LabelPrediction, list[int], int]) -> None:
    prediction, labels, classes = case
    known = sum(label >= 0 for label in labels)
    best = sum(
        max(sum(labels[c] == answer for c in group) for answer in range(classes))
        for group in prediction.residues.groups
    )
    assert prediction.ceiling == Fraction(best, known)
    assert prediction.solved == all(
        len({labels[c] for c in group} - {-1}) <= 1 for group in prediction.residues.groups
    )


def test_no_reader_of_the_groups_does_better() -> None:
    """Every function from groups to labels, for m = 8 through two rows."""
    residues = predict(8, range(2))
    labels = [0, 1, 2, 0, 1, 1, 2, 0]
    readers = product(range(3), repeat=len(residues.groups))
    right = [sum(reader[residues.labels[c]] == labels[c] for c in range(8)) for reader in readers]
    assert LabelPrediction(residues, np.array(labels), 3).ceiling == Fraction(max(right), 8)


@fixed
@given(labelled())
def test_pattern_and_groups_of_labels(case: tuple[LabelPrediction, list[int], int]) -> None:
    prediction, labels, classes = case
    together = np.eye(classes, dtype=bool)
    for group in prediction.residues.groups:
        for one, other in product(group, repeat=2):
            if labels[one] >= 0 and labels[other] >= 0:
                together[labels[one], labels[other]] = True
    assert prediction.pattern.tolist() == together.tolist()
    closure = np.linalg.matrix_power(together.astype(int), classes) > 0
    assert (prediction.labels[:, None] == prediction.labels[None, :]).tolist() == closure.tolist()
    assert prediction.distinguishable == len(prediction.groups)
    assert prediction.mixed == tuple(group for group in prediction.groups if len(group) > 1)


@pytest.mark.parametrize("name", ["divisibility", "quadratic"])
@pytest.mark.parametrize(("modulus", "rows"), [(11, 9), (11, 2), (16, 3), (22, 5), (45, 3)])
def test_the_ceiling_on_a_domain_is_counted(name: str, modulus: int, rows: int) -> None:
    task = task_named(name)
    prediction = for_task(predict(modulus, range(rows)), task)
    domain = Domain(limit=5_000, smooth=100)
    numbers = domain.members
    groups = predict(modulus, range(rows)).labels[numbers % modulus]
    labels = task.labels(numbers, modulus)
    best = sum(np.bincount(labels[groups == group]).max(initial=0) for group in set(groups.tolist()))
    assert prediction.exact_ceiling(domain) == pytest.approx(best / len(numbers), abs=1e-12)
    assert prediction.exact_ceiling(Domain(limit=modulus)) is None
    assert prediction.exact_loss_floor(domain) == prediction.loss_floor_on(domain.class_counts(modulus))
    assert prediction.exact_loss_floor(Domain(limit=modulus)) is None


@fixed
@given(labelled(), st.lists(st.integers(0, 50), min_size=60, max_size=60))
def test_the_loss_floor_is_the_entropy_of_the_label_given_the_group(
    case: tuple[LabelPrediction, list[int], int], drawn: list[int]
) -> None:
    """By definition, on so many numbers of each residue; residues without a label are left out."""
    prediction, labels, _ = case
    counts = np.array(drawn[: len(labels)])
    numbers = [
        (g, labels[c], int(counts[c])) for g, group in enumerate(prediction.residues.groups) for c in group
    ]
    numbers = [(g, label, n) for g, label, n in numbers if label >= 0 and n]
    if not numbers:
        assert prediction.loss_floor_on(counts) is None
        return
    entropy = 0.0
    for g, label in {(g, label) for g, label, _ in numbers}:
        pair = sum(n for h, other, n in numbers if (h, other) == (g, label))
        entropy -= pair * math.log(pair / sum(n for h, _, n in numbers if h == g))
    floor = prediction.loss_floor_on(counts)
    assert floor == pytest.approx(entropy / sum(n for _, _, n in numbers), abs=1e-12)
    assert prediction.loss_floor_on(7 * counts) == pytest.approx(floor, abs=1e-12)
    everywhere = prediction.loss_floor_on(np.ones(len(labels), dtype=np.int64))
    assert prediction.loss_floor == everywhere
    assert (prediction.loss_floor < 1e-12) == prediction.solved


def test_less_is_asked_than_the_residue() -> None:
    residues = predict(11, range(9))
    assert not residues.solved
    assert for_task(residues, task_named("divisibility")).solved
    quadratic = for_task(residues, task_named("quadratic"))
    assert not quadratic.solved, "1 is a square modulo 11, 2 is not, and they look alike"
    assert quadratic.ceiling == Fraction(10, 11)
    assert quadratic.loss_floor == pytest.approx(2 / 11 * math.log(2))
    assert quadratic.groups == ((0, 1),)
    assert for_task(predict(7, range(9)), task_named("quadratic")).solved
    squares = for_task(predict(13, range(9)), task_named("quadratic"))
    assert squares.ceiling == Fraction(12, 13), "of 1, 2, 3, 4 all but 2 are squares modulo 13"


@pytest.mark.parametrize("modulus", range(2, 60))
def test_one_row_tells_divisibility(modulus: int) -> None:
    assert for_task(predict(modulus, [0]), task_named("divisibility")).solved


def test_the_task_of_residues_is_the_prediction_itself() -> None:
    prediction = predict(16, range(3))
    assert for_task(prediction, task_named("residue")) is prediction
    same = LabelPrediction(prediction, np.arange(16), 16)
    assert same.groups == prediction.groups
    assert same.pattern.tolist() == prediction.pattern.tolist()
    assert same.ceiling == prediction.ceiling
    assert same.exact_ceiling() == prediction.exact_ceiling()
    assert same.to_dict(100) == prediction.to_dict(100) | {"loss_floor": same.loss_floor}
    assert same.loss_floor == pytest.approx(prediction.loss_floor, abs=1e-12)
    assert same.exact_loss_floor() == pytest.approx(prediction.exact_loss_floor(), abs=1e-12)
    assert isinstance(prediction, Prediction)
    assert prediction.by_chance
    assert not same.by_chance


def test_what_cannot_be_predicted() -> None:
    with pytest.raises(InputError, match="is no function of n modulo m"):
        for_task(predict(2, [0]), task_named("omega"))
    with pytest.raises(InputError, match="must be at most"):
        for_task(predict(10**9, [0]), task_named("divisibility"))
    with pytest.raises(InputError, match="needs those of 5 residues"):
        LabelPrediction(predict(5, [0]), np.array([0, 1]), 2)


def test_a_label_without_a_residue_stands_alone() -> None:
    nothing = Task("even", "0 always, of two", lambda modulus: 2, lambda c, m: c * 0, of_residue=True)
    prediction = for_task(predict(11, [0]), nothing)
    assert prediction.solved
    assert prediction.groups == ((0,), (1,))
