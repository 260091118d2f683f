"""Readers of known behaviour get the right word."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from pconv.arithmetic.domain import Domain
from pconv.arithmetic.primes import IntArray
from pconv.errors import InputError
from pconv.result import Evaluation, RunResult
from pconv.theory import predict
from pconv.verify.assessment import Settings, assess
from pconv.verify.comparison import compare, judge_replicates
from pconv.verify.verdict import Status, judge
from tests.verify.simulated import Reader, guesser, ideal, mixture, omniscient, result_of

CASES = [(7, 9), (11, 9), (13, 9), (16, 3), (22, 9), (25, 9), (29, 9)]


@pytest.mark.parametrize("favourite", [False, True])
@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_an_ideal_reader_is_confirmed(modulus: int, rows: int, favourite: bool) -> None:
    verdict = judge(result_of(ideal(modulus, rows, favourite=favourite), modulus, rows))
    assert verdict.status is Status.CONFIRMED
    assert verdict.test.leaked == 0
    assert verdict.gap is not None
    assert not verdict.gap.beyond


@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_a_guesser_is_undertrained(modulus: int, rows: int) -> None:
    verdict = judge(result_of(guesser(modulus), modulus, rows))
    assert verdict.status is Status.UNDERTRAINED
    assert verdict.test.leaks


@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_a_half_trained_reader_is_undertrained(modulus: int, rows: int) -> None:
    reader = mixture(ideal(modulus, rows), guesser(modulus), 0.3)
    assert judge(result_of(reader, modulus, rows)).status is Status.UNDERTRAINED


@pytest.mark.parametrize(("modulus", "rows"), CASES[1:])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_knowing_more_than_the_window_refutes(modulus: int, rows: int, share: float) -> None:
    verdict = judge(result_of(mixture(ideal(modulus, rows), omniscient, share), modulus, rows))
    assert verdict.status is Status.REFUTED
    assert "better theory" in verdict.sentence


def test_knowing_all_of_a_solved_task_is_no_refutation() -> None:
    assert judge(result_of(omniscient, 7)).status is Status.CONFIRMED


def test_knowing_more_inside_one_group_refutes_though_the_accuracy_is_low() -> None:
    """A third of the answers is spoiled: the ceiling is not reached, but inside {1, 2} labels are right."""
    reader = mixture(omniscient, guesser(11), 0.3)
    verdict = judge(result_of(reader, 11))
    assert verdict.test.above_ceiling == 1
    assert verdict.status is Status.REFUTED
    assert [group.classes for group in verdict.test.groups_beyond] == [(1, 2)]


def test_less_than_chance_inside_a_group_is_no_refutation() -> None:
    """A network that memorises neighbours may be worse than chance without knowing more."""

    def contrary(classes: IntArray, rng: np.random.Generator) -> IntArray:
        swapped = np.where(np.isin(classes, (1, 2)) & (rng.random(len(classes)) < 0.6), 3 - classes, classes)
        return np.asarray(swapped)

    verdict = judge(result_of(contrary, 11))
    assert verdict.test.groups[0].right < 0.45 * verdict.test.groups[0].size
    assert not verdict.test.beyond


def test_rival_theories_at_m_16_with_two_successors() -> None:
    """Whoever follows the finer groups refutes the coarser theory; whoever follows the coarser ones has not
    learned what the finer theory allows, and refutes nothing."""
    fine = result_of(ideal(16, 3), 16, 3)
    words = {v.theory: v.status for v in compare(fine).verdicts}
    assert words["signature"] is Status.CONFIRMED
    assert words["paper"] is Status.REFUTED
    assert words["grid"] is Status.UNDERTRAINED
    assert compare(fine).survivors == ("signature",)
    coarse = result_of(ideal(16, 3, theory="paper"), 16, 3)
    words = {v.theory: v.status for v in compare(coarse).verdicts}
    assert words["signature"] is Status.UNDERTRAINED
    assert words["paper"] is Status.CONFIRMED
    assert "grid" in compare(coarse).sentence


@pytest.mark.parametrize(("modulus", "rows"), [(11, 9), (16, 3), (25, 9)])
def test_false_refutations_stay_at_their_level(modulus: int, rows: int) -> None:
    """A thousand ideal readers."""
    settings = Settings(level=0.05)
    reader = ideal(modulus, rows)
    first = result_of(reader, modulus, rows)
    prediction = predict(modulus, range(rows))
    ceiling = prediction.exact_ceiling(Domain.of(first.config))
    assert ceiling is not None
    refuted = 0
    for seed in range(1000):
        answers = result_of(reader, modulus, rows, size=1000, seed=seed).test
        refuted += assess(answers, prediction, ceiling, settings).beyond
    assert 0 < refuted <= settings.level * 1000


def test_too_little_data_is_undecided_and_says_how_much_would_do() -> None:
    verdict = judge(result_of(ideal(11), 11, size=300))
    assert verdict.status is Status.UNDECIDED
    assert verdict.needed is not None
    assert f"{verdict.needed:,}" in verdict.sentence
    assert judge(result_of(ideal(11), 11, size=verdict.needed)).status is Status.CONFIRMED


def test_a_refutation_needs_little_data() -> None:
    assert judge(result_of(omniscient, 11, size=200)).status is Status.REFUTED


def test_a_leak_at_the_tolerance_is_undecided() -> None:
    reader = mixture(ideal(7), guesser(7), 0.01 * 7 / 6)
    verdict = judge(result_of(reader, 7))
    assert verdict.status is Status.UNDECIDED
    assert verdict.needed is None or verdict.needed > 20_000


def test_the_tolerance_and_the_level_are_said() -> None:
    result = result_of(mixture(ideal(7), guesser(7), 0.03), 7)
    assert judge(result).status is Status.UNDERTRAINED
    generous = judge(result, settings=Settings(tolerance=0.05))
    assert generous.status is Status.CONFIRMED
    assert "tolerance 5%" in generous.sentence
    assert generous.to_dict()["tolerance"] == 0.05


def test_a_difference_between_near_and_gap_numbers_is_memorising() -> None:
    result = result_of(omniscient, 7)
    assert judge(result).memory is not None
    verdict = judge(spoiled_gap(result))
    assert verdict.memory is not None
    assert verdict.memory.memorised
    assert "remembers neighbours" in verdict.sentence


def spoiled_gap(result: RunResult) -> RunResult:
    """The same run, with every tenth answer on the gap set wrong."""
    assert result.gap is not None
    confusion = [list(row) for row in result.gap.confusion]
    whole = [list(row) for row in result.test.confusion]
    for c, row in enumerate(confusion):
        moved = row[c] // 10
        for matrix in (confusion, whole):
            matrix[c][c] -= moved
            matrix[c][(c + 1) % 7] += moved
    return replace(result, gap=Evaluation.from_lists(confusion), test=Evaluation.from_lists(whole))


def test_a_verdict_as_json() -> None:
    document = json.loads(json.dumps(judge(result_of(ideal(11), 11)).to_dict()))
    assert document["status"] == "confirmed"
    assert document["theory"] == "signature"
    assert document["test"]["leaked"] == 0


def test_a_theory_that_does_not_apply_is_refused() -> None:
    with pytest.raises(InputError, match="nonsense"):
        judge(result_of(ideal(11), 11), theory="nonsense")


def test_replicates() -> None:
    def seeds(reader: Reader) -> list[RunResult]:
        return [result_of(reader, 11, seed=seed) for seed in range(3)]

    good, bad = seeds(ideal(11)), seeds(mixture(ideal(11), guesser(11), 0.3))
    assert judge_replicates(good).status is Status.CONFIRMED
    assert judge_replicates([*good[:2], bad[2]]).status is Status.UNDERTRAINED
    assert judge_replicates([*good[:2], seeds(omniscient)[2]]).status is Status.REFUTED
    assert "2 confirmed" in judge_replicates([*good[:2], bad[2]]).sentence
    with pytest.raises(InputError, match="one configuration"):
        judge_replicates([good[0], result_of(ideal(13), 13)])
