"""What all analyses have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pconv.config import RunConfig
from pconv.result import Evaluation
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN, answers
from tests.studies.analyses.fake_runs import censused, ideal, judged

ODD: dict[str, list[dict[str, Any]]] = {
    "one": [{"modulus": 11}],
    "one number": [{"modulus": 11, "test_size": 1, "seed": seed} for seed in (0, 1)],
    "one epoch": [{"modulus": 11, "kernel": k, "epochs": 1, "early_stop": False} for k in (3, 5, 7)],
    "gaps": [{"modulus": 9, "offsets": (-1, 0, 3)}],
    "too deep for 32 columns": [
        {"modulus": 5, "offsets": range(64), "primes": n, "channels": (1,) * 6} for n in (64, 128)
    ],
    "hidden primes": [{"modulus": 11, "primes": 2}],
    "other networks": [{"modulus": 4, "offsets": (0,), "architecture": n} for n in ("mlp", "transformer")],
    "other columns": [{"modulus": 6, "representation": each} for each in ("binary", "capped", "residues")],
}


@pytest.mark.parametrize("runs", ODD.values(), ids=ODD)
def test_odd_runs_have_answers(runs: list[dict[str, Any]]) -> None:
    """Tables are as wide as their headers, and no figure is a nan."""
    some = [{"limit": 20_000, "test_size": 200, "batches": 2, "epochs": 2, **fields} for fields in runs]
    for made in ([ideal(**fields) for fields in some], [censused(RunConfig(**fields)) for fields in some]):
        for each in (made, [always_zero(run) for run in made]):
            for analysis, answer in answers(each):
                assert {len(row) for row in answer.rows} <= {len(answer.header)}, analysis.question
                assert "nan" not in str(answer), analysis.question


def always_zero(run: JudgedRun) -> JudgedRun:
    """The same with a network that always names class 0."""
    test = Evaluation.from_lists([[sum(row)] + [0] * (len(row) - 1) for row in run.result.test.confusion])
    census = run.result.census and replace(run.result.census, answers=test)
    return judged(replace(run.result, test=test, validation=test, census=census))


def test_nothing_is_said_without_runs() -> None:
    assert {answer.sentence for _, answer in answers([])} == {NOT_RUN}
