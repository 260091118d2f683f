"""A sweep refuses a run that does not fit into memory, and computes fewer at a time where all would not."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from pconv.config import RunConfig
from pconv.errors import PconvError
from pconv.sweeps.memory import MemoryBudget, run_memory
from pconv.training.options import RunOptions
from tests.fakes import tiny

LARGE = RunConfig(modulus=7, primes=5_000)


def total(config: RunConfig) -> int:
    estimate = run_memory(config)
    assert estimate is not None
    return estimate.total


def test_a_run_that_does_not_fit_alone_is_named_with_the_figures() -> None:
    budget = MemoryBudget(total(tiny()))
    budget.check([tiny(), tiny(1)])
    with pytest.raises(
        PconvError, match=rf"^run {LARGE.run_id} \(-m 7 -B 8 .*\) needs about 1\.\d GB .* available"
    ):
        budget.check([tiny(), LARGE])
    MemoryBudget(None).check([LARGE])


def test_runs_are_added_as_long_as_all_fit_together(caplog: pytest.LogCaptureFixture) -> None:
    budget = MemoryBudget(total(LARGE) + total(tiny()))
    with caplog.at_level(logging.WARNING):
        assert budget.fits(tiny(), [LARGE])
        assert caplog.messages == []
        assert not budget.fits(tiny(1), [LARGE, tiny()])
        assert not budget.fits(LARGE, [LARGE])
    (once,) = caplog.messages
    assert once.startswith("fewer runs at a time: 3 of them need about ")
    assert MemoryBudget(None).fits(LARGE, [LARGE] * 100)


def test_snapshots_whose_weights_are_kept_are_counted() -> None:
    wanted = RunOptions(snapshots=(1, 2, 50))  # the run has two epochs
    small, plain = run_memory(tiny(), wanted), run_memory(tiny())
    assert small is not None
    assert plain is not None
    assert small.weights == plain.weights // 3 * (3 + 2 * 2)
    assert run_memory(LARGE, wanted) == run_memory(LARGE), "above 50 MB they are not kept"
    kept = run_memory(LARGE, replace(wanted, keep_weights=True))
    assert kept is not None
    budget = MemoryBudget(kept.total - 1, RunOptions(), {LARGE.run_id: replace(wanted, keep_weights=True)})
    with pytest.raises(PconvError, match=LARGE.run_id):
        budget.check([LARGE])
    assert not budget.fits(LARGE, [])
    MemoryBudget(kept.total - 1, wanted).check([LARGE])


def test_a_run_that_cannot_be_computed_is_left_to_its_worker() -> None:
    assert run_memory(RunConfig(modulus=7, architecture="not-here")) is None
    MemoryBudget(1).check([RunConfig(modulus=7, architecture="not-here")])
