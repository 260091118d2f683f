"""The rule that reads mixed classes off a confusion matrix, and its error rates."""

from __future__ import annotations

from dataclasses import replace
from math import comb, factorial, log, log2

import numpy as np
import pytest

from pconv.config import RunConfig
from pconv.discover.observation import (
    LEVEL,
    Observation,
    SetAside,
    distance_bounds,
    observe,
    observed_leaders,
)
from pconv.discover.simulation import shuffled, simulated
from pconv.result import Evaluation, RunResult

RUN = RunConfig(modulus=6)


def two_classes(distance: float, answers: int) -> np.ndarray:
    """Two answer distributions over so many answers with this total variation distance."""
    shared = np.full(answers, (1 - distance) / answers)
    rows = np.stack([shared, shared])
    rows[0, : answers // 2] += distance / (answers // 2)
    rows[1, answers // 2 :] += distance / (answers - answers // 2)
    return rows


@pytest.mark.parametrize(("answers", "numbers"), [(2, 300), (10, 1_000), (30, 700)])
def test_the_bounds_fail_less_often_than_stated(answers: int, numbers: int) -> None:
    """Both errors, at the distance 1/2 where a decision is hardest, in 2,000 pairs."""
    random = np.random.default_rng(1)
    shares = two_classes(0.5, answers)
    counts = np.stack([random.multinomial(numbers, row, size=2_000) for row in shares], axis=1)
    level = 0.2  # large, so that a rule without a margin would be seen to fail
    bounds = [distance_bounds(each, level) for each in counts]
    called_distinguished = np.mean([low[0, 1] > 0.5 for low, _ in bounds])
    called_mixed = np.mean([high[0, 1] <= 0.5 - 1e-12 for _, high in bounds])
    assert called_distinguished <= level / 2
    assert called_mixed <= level / 2


@pytest.mark.parametrize(
    ("distance", "decision"), [(0.0, [0, 0]), (0.3, [0, 0]), (0.7, [0, 1]), (1.0, [0, 1])]
)
def test_clear_distances_are_decided_correctly(distance: float, decision: list[int]) -> None:
    random = np.random.default_rng(2)
    for _ in range(200):
        counts = np.stack([random.multinomial(3_000, row) for row in two_classes(distance, 10)])
        padded = np.zeros((2, 10))
        padded[:, :] = counts
        found = observed_leaders(padded, LEVEL)
        assert found is not None
        assert found.tolist() == decision


def test_chains_join_and_few_numbers_decide_nothing() -> None:
    chain = 10_000 * np.array([[0.6, 0.4, 0], [0.3, 0.4, 0.3], [0, 0.4, 0.6]])
    assert observed_leaders(chain) is not None
    assert observed_leaders(chain).tolist() == [0, 0, 0]  # type: ignore[union-attr]
    assert observed_leaders(chain / 500) is None


def changed(result: RunResult, confusion: list[list[int]], loss: float) -> RunResult:
    assert result.census
    answers = Evaluation.from_lists(confusion)
    return replace(result, census=replace(result.census, answers=answers, loss=loss))


def test_runs_that_have_not_learned_are_set_aside_by_their_loss() -> None:
    solved = simulated(RUN, range(6))
    assert isinstance(observe(solved), Observation)
    confusion = [list(row) for row in solved.test.confusion]
    unsure = observe(changed(solved, confusion, 0.3 * log(6)))
    assert isinstance(unsure, SetAside)
    assert unsure.reason == "not learned: loss 0.538 shows 70% of what its groups carry"


def test_untrained_and_memorised_networks_show_nothing() -> None:
    run = simulated(RUN, range(6))
    constant = [[2_000, 0, 0, 0, 0, 0] for _ in range(6)]  # untrained: one answer to everything
    guessing = np.random.default_rng(0).multinomial(2_000, [1 / 6] * 6, size=6).tolist()  # memorised
    for confusion, loss in ((constant, log(6)), (guessing, 2 * log(6))):
        seen = observe(changed(run, confusion, loss))
        assert isinstance(seen, SetAside)
        assert "all classes look mixed" in seen.reason


def test_without_a_recorded_loss_the_answers_are_the_reader() -> None:
    solved = replace(simulated(RUN, range(6)), census=None)
    old = replace(solved, epochs=tuple(replace(epoch, held_out_loss=None) for epoch in solved.epochs))
    seen = observe(old)
    assert isinstance(seen, Observation)
    assert seen.loss is None


def test_bits_count_the_partitions_of_the_same_sizes() -> None:
    seen = observe(simulated(RUN, [0, 0, 1, 1, 2, 2]))
    assert isinstance(seen, Observation)
    assert seen.bits == pytest.approx(log2(factorial(6) / (2**3 * factorial(3))))
    other = observe(simulated(RUN, [0, 1, 1, 1, 2, 3]))
    assert isinstance(other, Observation)
    assert other.bits == pytest.approx(log2(comb(6, 3)))


def test_labels_that_merge_classes_are_seen_by_their_accuracy() -> None:
    run = simulated(RunConfig(modulus=7, task="quadratic"), [0, 1])
    seen = observe(run)
    assert isinstance(seen, Observation)
    assert (seen.leaders, seen.labels, seen.accuracy) == ((), (1, 1, 1, 0, 1, 0, 0), 1.0)


def test_an_accuracy_of_a_network_that_still_learns_is_not_used() -> None:
    run = simulated(RunConfig(modulus=7, task="quadratic", epochs=2), [0, 1])
    [last] = run.epochs
    falling = (replace(last, held_out_loss=0.05), replace(last, epoch=2, held_out_loss=0.0))
    seen = observe(replace(run, epochs=falling))
    assert isinstance(seen, SetAside)
    assert seen.reason == "not learned: the loss fell by 0.050 in the last epoch"


def test_shuffling_keeps_the_sizes_of_groups() -> None:
    seen = observe(simulated(RUN, [0, 0, 0, 1, 2, 2]))
    assert isinstance(seen, Observation)
    [other] = shuffled([seen], 3)
    assert other.leaders != seen.leaders
    assert sorted(np.unique(other.leaders, return_counts=True)[1]) == [1, 2, 3]
    assert all(leader <= c and other.leaders[leader] == leader for c, leader in enumerate(other.leaders))
