"""Observed partitions, patterns of one training at two epochs, and errors near the diagonal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pconv.config import RunConfig, successors
from pconv.result import Evaluation
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.diagonal import near_diagonal
from pconv.studies.analyses.patterns import partitions, pattern_over_epochs
from pconv.studies.mixing import observed_mixing
from pconv.theory import predict
from tests.report.fakes import result
from tests.studies.analyses.fake_runs import ideal, judged, next_class, with_snapshots


@pytest.mark.parametrize(("modulus", "rows"), [(11, 9), (16, 3), (25, 9), (27, 5), (30, 9), (12, 1)])
def test_an_ideal_reader_mixes_what_the_law_predicts(modulus: int, rows: int) -> None:
    run = ideal(modulus=modulus, offsets=range(rows), kernel=(3,) if rows < 7 else (7,)) if rows > 1 else None
    made = run.result.test if run else _guesses(modulus, rows)
    assert (observed_mixing(made) == predict(modulus, range(rows)).pattern).all()


def _guesses(modulus: int, rows: int) -> Evaluation:
    pattern = predict(modulus, range(rows)).pattern
    return Evaluation.from_lists((pattern * 50).tolist())


def test_readers_who_always_name_one_class_of_a_group_mix_it() -> None:
    """Their answers overlap wholly, though one class is always correct."""
    counts = np.diag([100, 100, 100])
    counts[2] = 0, 100, 0
    assert observed_mixing(Evaluation.from_lists(counts.tolist())).sum() == 5


def test_partitions_that_differ_are_listed() -> None:
    guesses = Evaluation.from_lists([[100] * 7] * 7)
    unlearned = judged(replace(result(RunConfig(modulus=7)), test=guesses))
    said = partitions([ideal(modulus=11), ideal(modulus=7), unlearned])
    assert "in 2 of 3 runs; the others are listed." in said.sentence
    assert said.headline.startswith("The classes that look mixed are exactly those with gcd(c+o, m)")
    assert [row[0] for row in said.rows] == ["m=7, B=8, k=7"]
    assert said.rows[0][1:3] == ("{0, 1, 2, 3, 4, 5, 6}", "none")


def test_a_pattern_is_compared_within_one_training() -> None:
    made, config = result(RunConfig(modulus=11, epochs=50)), RunConfig(modulus=11)
    early, late = (result(replace(config, seed=seed)).test for seed in (1, 2))
    said = pattern_over_epochs([with_snapshots(made, e10=early, e50=late)])
    assert said.sentence.startswith("1 run with snapshots of both epochs, the same test numbers at both.")
    assert "the same at both epochs in 1, and the predicted ones at epoch 50 in 1." in said.sentence
    assert said.rows[0][1] == "the same"
    learned_later = next_class(11, 0.45, 20_000)
    said = pattern_over_epochs([with_snapshots(made, e10=learned_later, e50=late)])
    assert "the same at both epochs in 0" in said.sentence
    assert said.rows[0][1].endswith("→ {1, 2}")


def test_runs_without_snapshots_are_not_compared() -> None:
    made = result(RunConfig(modulus=11, epochs=50))
    said = pattern_over_epochs([with_snapshots(made)])
    assert said.sentence.startswith("Not known. 1 run of 50 epochs has no snapshots")
    assert pattern_over_epochs([ideal(modulus=11)]).sentence == NOT_RUN


def leaking(shift: int, seed: int = 0) -> JudgedRun:
    """m=23, B=24: one answer in twenty is off by so many classes; 0: by any, evenly."""
    made = result(RunConfig(modulus=23, offsets=successors(24), seed=seed))
    counts = np.diag([950] * 23)
    for c in range(23):
        if shift:
            counts[c, (c + shift) % 23] += 44
        else:
            counts[c] += 2
            counts[c, c] -= 2
    return judged(replace(made, test=Evaluation.from_lists(counts.tolist())))


def test_errors_off_by_one_are_told_from_even_ones() -> None:
    said = near_diagonal([leaking(1), leaking(0, seed=1)])
    assert [row[2:4] for row in said.rows[:2]] == [("100%", "9%"), ("9%", "9%")]
    assert said.rows[0][4] == "100%", "for prime m neighbouring classes are seen in neighbouring rows"
    assert "At m=23, B=24 that share is from 9% to 100%." in said.sentence
    far = near_diagonal([leaking(5)])
    assert "is above the even one in 0 of 1." in far.sentence
    assert near_diagonal([ideal(modulus=7)]).sentence == NOT_RUN
