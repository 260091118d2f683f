"""Errors near the diagonal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pconv.config import RunConfig
from pconv.result import Evaluation
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.diagonal import near_diagonal
from pconv.window import successor_window
from tests.report.fakes import result
from tests.studies.analyses.fake_runs import ideal, judged


def leaking(shift: int, seed: int = 0) -> JudgedRun:
    """m=23, B=24: one answer in twenty is off by so many classes; 0: by any, evenly."""
    made = result(RunConfig(modulus=23, offsets=successor_window(24), seed=seed))
    counts = np.diag([950] * 23)
    for c in range(23):
        if shift:
            counts[c, (c + shift) % 23] += 44
        else:
            counts[c] += 2
            counts[c, c] -= 2
    return judged(replace(made, test=Evaluation.from_lists(counts.tolist())))


def test_errors_off_by_one_are_told_from_even_ones() -> None:
    answer = near_diagonal([leaking(1), leaking(0, seed=1)])
    assert [row[2:4] for row in answer.rows[:2]] == [("100%", "9%"), ("9%", "9%")]
    assert answer.rows[0][4] == "100%", "for prime m neighbouring classes are seen in neighbouring rows"
    assert "At m=23, B=24 that share is from 9% to 100%." in answer.sentence
    far = near_diagonal([leaking(5)])
    assert "is above the even one in 0 of 1." in far.sentence
    assert near_diagonal([ideal(modulus=7)]).sentence == NOT_RUN
