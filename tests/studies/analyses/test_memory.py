"""Memory of neighbours and answers below chance, on simulated censuses with a known truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pconv.config import RunConfig
from pconv.result import Evaluation
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.memory import APART, IDENTIFIED, JOINED, mixed_by_chance, neighbour_memory
from tests.studies.analyses.fake_runs import censused, ideal, judged, strata

MODULI = (11, 13, 17, 19)


def remembering(push: float, preference: float = 0.0, primes: int = 32) -> list[JudgedRun]:
    configs = [RunConfig(modulus=m, primes=primes) for m in MODULI]
    return [
        censused(config, strata=strata(config, push, preference, seed)) for seed, config in enumerate(configs)
    ]


def test_memory_is_found_on_both_sides() -> None:
    answer = neighbour_memory(remembering(push=0.15))
    assert "memory of single neighbours is visible at N=32" in answer.headline
    table = {(row[0], row[1]): row for row in answer.rows}
    for neighbour in ("n-1", "n+1"):
        row = table[neighbour, JOINED]
        assert row[2] == "4"
        assert row[5] == "4", "every run is below 1"
        ratio = float(row[6].split()[0])
        assert abs(np.log(ratio) + 0.15) < 0.06
    assert (table["n-1", IDENTIFIED][6], table["n-1", IDENTIFIED][7]) == ("–", "–")
    assert ("n-1", APART) not in table


def test_without_memory_nothing_is_found_and_columns_are_kept_apart() -> None:
    answer = neighbour_memory([*remembering(push=0.0), *remembering(push=0.2, primes=5_000)])
    assert "not visible at N=32" in answer.headline
    assert ", visible at N=5,000" in answer.headline


def test_a_preference_for_one_class_is_no_memory() -> None:
    """It changes the odds class by class and cancels over the group."""
    answer = neighbour_memory(remembering(push=0.0, preference=0.3))
    assert "is not visible at N=32" in answer.headline


def test_higher_odds_are_no_memory() -> None:
    answer = neighbour_memory(remembering(push=-0.15))
    assert "is not visible, the odds are higher instead, at N=32" in answer.headline
    assert "lower in 0 of 4 runs by itself" in answer.headline


def test_complete_memory_is_found() -> None:
    """Next to a training number every answer of a mixed group is that number's class."""
    config = RunConfig(modulus=11)
    counts = strata(config)
    counts[1:3, 1:3, 1] = 0
    answer = neighbour_memory([censused(config, strata=counts)])
    assert "memory of single neighbours is visible at N=32" in answer.headline
    table = {(row[0], row[1]): row for row in answer.rows}
    assert table["n-1", JOINED][2:6] == ("1", "0.000 (0.000 to 0.002)", "< 1e-9", "1")


def test_runs_without_strata_or_mixed_groups_are_not_asked() -> None:
    solved = RunConfig(modulus=7)
    assert neighbour_memory([ideal(modulus=11)]).sentence == NOT_RUN
    assert neighbour_memory([censused(RunConfig(modulus=11))]).sentence == NOT_RUN
    assert neighbour_memory([censused(solved, strata=strata(solved))]).sentence == NOT_RUN
    all_numbers = remembering(push=0.2)[0]
    assert all_numbers.result.census
    whole = replace(all_numbers.result.census, numbers="all")
    assert (
        neighbour_memory([replace(all_numbers, result=replace(all_numbers.result, census=whole))]).rows == ()
    )


def pushed(share: float, seed: int) -> JudgedRun:
    """A reader of m=11 who answers {1, 2} at random, and against the truth in a share of numbers."""
    made = ideal(modulus=11, seed=seed).result
    counts = np.diag([20_000] * 11)
    right = np.random.default_rng(seed).binomial(20_000, 0.5 - share / 2, 2)
    counts[1, 1], counts[1, 2] = right[0], 20_000 - right[0]
    counts[2, 2], counts[2, 1] = right[1], 20_000 - right[1]
    return judged(replace(made, test=Evaluation.from_lists(counts.tolist())))


def test_answers_below_chance_are_seen() -> None:
    answer = mixed_by_chance([pushed(0.05, seed) for seed in range(4)])
    assert "4 of 4 are below chance" in answer.sentence
    assert float(answer.sentence.split("z = ")[1].split(")")[0]) < -10
    fair = mixed_by_chance([pushed(0.0, seed) for seed in range(4)])
    assert abs(float(fair.sentence.split("z = ")[1].split(")")[0])) < 3
    assert mixed_by_chance([ideal(modulus=7)]).sentence == NOT_RUN


def test_strata_with_an_empty_class_have_no_balanced_ratio() -> None:
    config = RunConfig(modulus=11)
    counts = strata(config, push=0.2)
    counts[1:3, 2] = 0  # no number of class 2, which is mixed with class 1, is next to a training number
    answer = neighbour_memory([censused(config, strata=counts)])
    assert "in all mixed groups not known, for want of numbers." in answer.sentence
    assert answer.headline == ""


def test_a_network_that_names_no_class_of_a_mixed_group() -> None:
    """On its plateau it may name class 0 alone, which is identified."""
    made = ideal(modulus=23).result
    answers = Evaluation.from_lists([[800] + [0] * 22] * 23)
    answer = mixed_by_chance([judged(replace(made, test=answers))])
    assert "1 run has 0 correct answers where chance gives 0 (–, z = +0.0)" in answer.sentence
