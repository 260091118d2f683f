"""Runs that know more than the theory allows, among those that could show it."""

from __future__ import annotations

from dataclasses import replace

from pconv.config import RunConfig
from pconv.result import Evaluation
from pconv.studies.analyses.beyond import above_the_ceiling
from tests.report.fakes import result
from tests.studies.analyses.fake_runs import ideal, judged, knowing


def test_a_run_that_knows_more_is_seen_among_those_that_could() -> None:
    at_it = [ideal(modulus=11, seed=seed) for seed in range(5)]
    solved = [ideal(modulus=7, seed=seed) for seed in range(3)]
    answer = above_the_ceiling([*at_it, *solved])
    assert answer.sentence.startswith("8 runs: 0 without a verdict, 3 in which every class")
    assert "and 5 with a mixed group that could show it" in answer.sentence
    assert "After correction for their number 0 of 0 remain." in answer.sentence
    assert "In 0 the answers depend on the class with fewer" in answer.headline
    assert answer.rows == ()
    other = knowing(1.0, modulus=9, representation="capped")
    answer = above_the_ceiling([*at_it, *solved, knowing(1.0, modulus=11, epochs=50), other])
    assert (
        "p-Conv on exponents: with 99% confidence answers inside groups depend on the class in 1 of 6 runs"
        in answer.sentence
    )
    others = answer.sentence.split("Other networks and representations: ")[1]
    assert others.startswith("with 99% confidence answers inside groups depend on the class in 1 of 1 run (")
    assert "2 of 2 remain; 1 on capped exponents or residues" in answer.sentence
    assert [row[0] for row in answer.rows] == ["m=11, B=8, k=7, t=50", "m=9, B=8, k=7, capped"]
    assert answer.headline.startswith("More than the signature is known in 1 of 6 p-Conv runs")


def test_one_group_above_chance_counts_whatever_the_others_are() -> None:
    """The stronger group is below chance, and the verdict is refuted for the other."""
    config = RunConfig(modulus=16, offsets=(0, 1, 2), kernel=(3,), test_size=320_000)
    made = result(config)
    counts = [[20_000 * (i == j) for j in range(16)] for i in range(16)]
    for group, correct in (((1, 5, 9, 13), 4_001), ((2, 10), 10_400), ((3, 11), 10_000), ((4, 12), 10_000)):
        for i in group:
            for j in group:
                counts[i][j] = correct if i == j else (20_000 - correct) // (len(group) - 1)
    run = judged(replace(made, test=Evaluation.from_lists(counts)))
    assert run.status == "refuted"
    answer = above_the_ceiling([run])
    assert answer.headline.startswith("More than the signature is known in 1 of 1 p-Conv run")
    assert answer.rows[0][4] == "{2, 10}"


def test_answers_below_chance_are_not_called_knowledge() -> None:
    made = ideal(modulus=11).result
    counts = [[20_000 * (i == j) for j in range(11)] for i in range(11)]
    counts[1][1:3], counts[2][1:3] = [9_000, 11_000], [11_000, 9_000]
    answer = above_the_ceiling([judged(replace(made, test=Evaluation.from_lists(counts)))])
    assert "in 1 of 1 run (0 by census; 1 with fewer correct answers than by chance)" in answer.sentence
    assert answer.headline.startswith("More than the signature is known in 0 of 1 p-Conv run")
