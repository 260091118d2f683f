"""Observed partitions, and patterns of one training at two epochs."""

from __future__ import annotations

from dataclasses import replace

from pconv.config import RunConfig
from pconv.result import Evaluation
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.patterns import partitions, pattern_over_epochs
from tests.report.fakes import result
from tests.studies.analyses.fake_runs import ideal, judged, next_class, with_snapshots


def test_partitions_that_differ_are_listed() -> None:
    guesses = Evaluation.from_lists([[100] * 7] * 7)
    unlearned = judged(replace(result(RunConfig(modulus=7)), test=guesses))
    answer = partitions([ideal(modulus=11), ideal(modulus=7), unlearned])
    assert "in 2 of 3 runs; the others are listed." in answer.sentence
    assert answer.headline.startswith("The classes that look mixed are exactly those with gcd(c+o, m)")
    assert [row[0] for row in answer.rows] == ["m=7, B=8, k=7"]
    assert answer.rows[0][1:3] == ("{0, 1, 2, 3, 4, 5, 6}", "none")


def test_a_pattern_is_compared_within_one_training() -> None:
    made, config = result(RunConfig(modulus=11, epochs=50)), RunConfig(modulus=11)
    early, late = (result(replace(config, seed=seed)).test for seed in (1, 2))
    answer = pattern_over_epochs([with_snapshots(made, e10=early, e50=late)])
    assert answer.sentence.startswith("1 run with snapshots of both epochs, the same test numbers at both.")
    assert "the same at both epochs in 1, and the predicted ones at epoch 50 in 1." in answer.sentence
    assert answer.rows[0][1] == "the same"
    learned_later = next_class(11, 0.45, 20_000)
    answer = pattern_over_epochs([with_snapshots(made, e10=learned_later, e50=late)])
    assert "the same at both epochs in 0" in answer.sentence
    assert answer.rows[0][1].endswith("→ {1, 2}")


def test_runs_without_snapshots_are_not_compared() -> None:
    made = result(RunConfig(modulus=11, epochs=50))
    answer = pattern_over_epochs([with_snapshots(made)])
    assert answer.sentence.startswith("Not known. 1 run of 50 epochs has no snapshots")
    assert pattern_over_epochs([ideal(modulus=11)]).sentence == NOT_RUN
