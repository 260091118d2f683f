"""Classes that a network confuses."""

from __future__ import annotations

import numpy as np
import pytest

from pconv.result import Evaluation
from pconv.studies.mixing import HALF, answer_distances, mixed_groups, observed_mixing
from pconv.theory import predict
from tests.studies.analyses.fake_runs import ideal


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


def test_answers_that_share_exactly_half_are_mixed_as_in_a_search_for_laws() -> None:
    """And a class without numbers is mixed with no other."""
    half = np.array([[4000, 4000, 0], [0, 4000, 4000], [0, 0, 0]])
    assert observed_mixing(Evaluation.from_lists(half.tolist())).astype(int).tolist() == [
        [1, 1, 0],
        [1, 1, 0],
        [0, 0, 1],
    ]
    assert answer_distances(half)[:2, :2].max() == HALF


def test_confused_classes_are_joined_in_chains() -> None:
    """One answer in a hundred is no confusion; more is, in either direction."""
    assert mixed_groups(((99, 1, 0, 0), (0, 98, 2, 0), (0, 0, 90, 10), (0, 0, 0, 100))) == [[1, 2, 3]]
    assert mixed_groups(((98, 0, 2, 0), (0, 90, 0, 10), (0, 0, 100, 0), (0, 0, 0, 0))) == [[0, 2], [1, 3]]
    assert mixed_groups(((5, 0), (0, 5))) == []
