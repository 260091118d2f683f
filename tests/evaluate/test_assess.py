"""The parts of a verdict: on little data, at the tolerance, and against the ceiling and floor of a census."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pconv.data.domain import Domain
from pconv.data.tasks import task_named
from pconv.evaluate.assess import Answered, Reference, assess, loss_deviation
from pconv.evaluate.assessment import Assessment, Holds, Settings
from pconv.evaluate.judge import judge, judge_answers
from pconv.evaluate.verdict import Status
from pconv.result import Evaluation
from pconv.theory.labels import for_task
from tests.evaluate.fake_networks import (
    ideal,
    noisy,
    omniscient,
    predicted,
    result_of,
    verdict_on,
)

CASES = [(7, 9), (11, 9), (13, 9), (16, 3), (22, 9), (25, 9), (29, 9)]
YES, NO, OPEN = Holds.YES, Holds.NO, Holds.OPEN


def test_too_little_data_leaves_every_part_open() -> None:
    verdict = judge(result_of(ideal(11), 11, size=300))
    assert verdict.status is Status.UNDECIDED
    assert set(verdict.assessment.parts.values()) == {OPEN}
    low, high = verdict.assessment.separated.low, verdict.assessment.separated.high
    assert low == 0 < 0.01 < high


@pytest.mark.parametrize("seed", range(5))
def test_a_refutation_needs_little_data(seed: int) -> None:
    assert judge(result_of(omniscient(11), 11, size=200, seed=seed)).status is Status.REFUTED


def test_a_group_too_small_to_be_tested_is_open() -> None:
    """Of 20 numbers of {1, 2} all are right; that is too few for a test, but nothing speaks for chance."""
    counts = np.diag([20, 9, 11, *[20] * 8])
    answered = Answered(Evaluation.from_lists(counts.tolist()))
    found = assess(answered, predicted(11), Reference(0.911, 0.123), Settings())
    assert found.nothing_beyond.holds is OPEN
    [group] = found.nothing_beyond.groups
    assert (group.correct, group.low) == (20, 0)
    assert group.high == pytest.approx(1)
    assert found.nothing_beyond.high == pytest.approx(20 / 200)


def test_an_accuracy_surely_above_the_ceiling_refutes() -> None:
    """Whatever the groups tell, and although the ceiling is missed just as if it had been from below."""
    counts = np.diag([200, 9, 11, *[200] * 8])
    prediction = predicted(11)
    answered = Answered(Evaluation.from_lists(counts.tolist()))
    verdict = judge_answers(answered, prediction, Reference(0.911, 0.123))
    assert verdict.assessment.nothing_beyond.holds is not NO
    assert verdict.assessment.attained.above
    assert verdict.status is Status.REFUTED
    short = judge_answers(answered, prediction, Reference(1.0, 0.123))
    assert short.assessment.attained.above is False


def census_assessment(confusion: list[list[int]], ceiling: float, loss: float, floor: float) -> Assessment:
    """A census of m = 3 through three rows, where every class is identified."""
    answered = Answered(Evaluation.from_lists(confusion), loss=loss, complete=True)
    return assess(answered, predicted(3, 3), Reference(ceiling, floor), Settings())


def test_a_census_decides_at_the_tolerance_to_the_number() -> None:
    """100 of 10,000 are one percent and not more; the 101st is."""
    for wrong, holds in ((0, YES), (100, YES), (101, NO)):
        found = census_assessment([[10_000 - wrong, wrong, 0], [0, 10_000, 0], [0, 0, 10_000]], 1, 0, 0)
        assert found.separated.holds is holds
        assert found.attained.holds is YES
        assert (found.separated.worst_rate, found.separated.leaked) == (wrong / 10_000, wrong)
        assert found.separated.low == found.separated.high == wrong / 10_000
    for wrong, holds in ((100, YES), (101, NO)):
        each = [[10_000 - wrong, wrong, 0], [0, 10_000 - wrong, wrong], [wrong, 0, 10_000 - wrong]]
        assert census_assessment(each, 1 - 2.5e-17, 0, 0).attained.holds is holds
    for above, holds in ((0.0, YES), (0.99, YES), (1.01, NO)):
        loss = 0.3 + above * Settings().loss_tolerance(3)
        assert census_assessment([[9, 0, 0], [0, 9, 0], [0, 0, 9]], 1, loss, 0.3).loss.holds is holds
    assert census_assessment([[9, 0, 0], [0, 9, 0], [0, 0, 9]], 0.98, 0, 0).attained.holds is NO, "above it"


def test_a_class_that_was_not_asked_is_no_trouble() -> None:
    found = census_assessment([[50, 0, 0], [0, 0, 0], [0, 3, 47]], 1, 0, 0)
    assert (found.separated.worst_class, found.separated.worst_rate) == (2, 0.06)


def test_one_class_does_not_hide_behind_the_others() -> None:
    """One answer in a hundred of one class in seven leaves its group, and then two in a hundred."""
    counts = np.diag(np.full(7, 10_000))
    for wrong, status in ((100, Status.CONFIRMED), (200, Status.UNDERFITTED)):
        counts[3, 3], counts[3, 4] = 10_000 - wrong, wrong
        result = result_of(omniscient(7), 7, census=True)
        answers = Evaluation.from_lists(counts.tolist())
        assert result.census is not None
        verdict = judge(replace(result, census=replace(result.census, answers=answers, far=None)))
        assert verdict.status is status
        assert verdict.assessment.separated.worst_class == 3
        assert verdict.far is None
        assert verdict.memory is None
        assert f"{wrong / 10_000:.2%} of the answers to class 3 leave its group" in verdict.sentence


def test_the_bounds_of_a_sample_hold_for_all_classes_at_once() -> None:
    """Of one class 459 numbers without an error are enough for 1% at the level 1%; of each of three, 568."""
    for size, holds in ((459, OPEN), (567, OPEN), (568, YES)):
        answered = Answered(Evaluation.from_lists(np.diag([size] * 3).tolist()))
        found = assess(answered, predicted(3, 3), Reference(1, 0), Settings())
        assert found.separated.holds is holds


def test_a_sample_at_the_tolerance_is_undecided() -> None:
    verdict = verdict_on(noisy(ideal(7), 0.01), 7, size=20_000)
    assert verdict.status is Status.UNDECIDED
    assert verdict.assessment.separated.holds is OPEN
    assert verdict.assessment.separated.low < 0.01 < verdict.assessment.separated.high


def test_ceiling_and_floor_of_a_census_are_those_of_its_numbers() -> None:
    """Twice as many numbers of class 1 as of class 2: whoever names 1 is right in two thirds of the group."""
    counts = np.full(11, 300)
    counts[2] = 150
    answers = np.diag(counts)
    answers[2, 1], answers[2, 2] = 150, 0
    evaluation = Evaluation.from_lists(answers.tolist())
    prediction = predicted(11)
    reference = Reference.on(Answered(evaluation, complete=True), prediction, Domain())
    assert reference.ceiling == evaluation.accuracy == 1 - 150 / 3150
    assert reference.floor == pytest.approx((300 * np.log(3 / 2) + 150 * np.log(3)) / 3150)
    sampled = Reference.on(Answered(evaluation), prediction, Domain())
    assert sampled.ceiling == prediction.exact_ceiling()
    assert sampled.floor == prediction.exact_loss_floor()


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_the_bounds_of_a_census_hold_as_often_as_stated(share: float) -> None:
    """Against the ceiling of the domain, which a reader reaches exactly there and nearly on a part of it."""
    members, correct = 5_000, 3_500
    labels = for_task(predicted(7, 3), task_named("quadratic"))
    size, missed = int(share * members), 0
    for right in np.random.default_rng(1).hypergeometric(correct, members - correct, size, 2_000).tolist():
        answered = Answered(Evaluation.from_lists([[right, size - right], [0, 0]]), complete=True)
        reference = replace(Reference.on(answered, labels, Domain(members + 1, 0)), ceiling=0.7)
        found = assess(answered, labels, reference, Settings()).attained
        missed += not found.low <= 0.7 <= found.high
    assert missed <= 60, "2% of 2,000, for two bounds"


@pytest.mark.parametrize("labels", [2, 3, 5, 40])
def test_no_reader_at_the_floor_has_losses_that_vary_more(labels: int) -> None:
    chances = np.random.default_rng(labels).dirichlet(np.full(labels, 0.5), 10_000)
    chances = chances.clip(1e-300)
    assert ((chances * np.log(chances) ** 2).sum(axis=1) <= loss_deviation(labels) ** 2).all()


def test_a_domain_smaller_than_the_modulus_has_the_figures_of_equal_classes() -> None:
    prediction = predicted(251, 249)
    answered = Answered(Evaluation.from_lists(np.eye(251, dtype=int).tolist()))
    reference = Reference.on(answered, prediction, Domain(limit=200))
    assert (reference.ceiling, reference.floor) == (float(prediction.ceiling), prediction.loss_floor)
