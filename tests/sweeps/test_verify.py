"""A run computed again: identical here, within bounds where only rounding differs, different otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pconv.config import RunConfig
from pconv.evaluate.verdict import Verdict
from pconv.result import Evaluation, RunResult
from pconv.store.judging import verdicts_on
from pconv.store.rows import result_of, row_of
from pconv.sweeps import verify as verify_module
from pconv.sweeps.run import train
from pconv.sweeps.verify import Outcome, Verification, verify

CONFIG = RunConfig.from_dict(
    {"modulus": 4, "primes": 8, "batches": 30, "epochs": 2, "limit": 20_000, "test_size": 500, "kernel": 3}
)


@pytest.fixture(scope="module")
def recorded() -> RunResult:
    return train(CONFIG, snapshots=[1])


def test_the_same_run_is_bit_identical(recorded: RunResult) -> None:
    found = verify(recorded)
    assert (found.outcome, found.differing) == (Outcome.IDENTICAL, ())
    assert found.repeated == replace(recorded, epochs=found.repeated.epochs)  # but for the seconds
    assert all(check.holds for check in found.checks)
    assert found.other_environment == {}


def test_a_published_row_is_verified_by_what_it_has(recorded: RunResult) -> None:
    """Rows have no losses of steps, and those of version 0.1 neither a census nor held-out losses."""
    assert verify(result_of(row_of(recorded))).outcome is Outcome.IDENTICAL
    epochs = tuple(replace(epoch, held_out_loss=None) for epoch in recorded.epochs)
    old = replace(recorded, census=None, snapshots=(), epochs=epochs)
    assert verify(old).outcome is Outcome.IDENTICAL


def test_another_engine_rounds_differently_and_stays_within_bounds(recorded: RunResult) -> None:
    other = train(CONFIG, engine="dense", snapshots=[1])
    found = Verification(recorded, other)
    assert found.outcome is Outcome.WITHIN_BOUNDS
    assert "epochs" in found.differing


@pytest.mark.parametrize("share", [0.005, 0.02])
def test_one_figure_past_its_bound_is_a_difference(recorded: RunResult, share: float) -> None:
    """Answers that are moved to a wrong class, in the record."""
    confusion = [list(row) for row in recorded.test.confusion]
    c = max(range(4), key=lambda c: confusion[c][c])
    moved = round(share * recorded.test.size)
    assert confusion[c][c] > moved
    confusion[c][c] -= moved
    confusion[c][(c + 1) % 4] += moved
    changed = replace(recorded, test=Evaluation.from_lists(confusion))
    outcome = Verification(changed, recorded).outcome
    assert outcome is (Outcome.WITHIN_BOUNDS if share < 0.01 else Outcome.DIFFERENT)


def test_a_theory_that_raises_on_the_repetition_has_no_verdict_on_it(
    recorded: RunResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(result: RunResult) -> dict[str, Verdict]:
        return {
            name: found for name, found in verdicts_on(result).items() if name == "grid" or result == recorded
        }

    monkeypatch.setattr(verify_module, "verdicts_on", judge)
    checks = {check.name: check for check in Verification(recorded, replace(recorded, losses=())).checks}
    assert checks["verdict on grid"].holds
    assert checks["verdict on signature"].repeated == "none"
    assert not checks["verdict on signature"].holds


def test_another_seed_is_another_run(recorded: RunResult) -> None:
    other = train(replace(CONFIG, seed=1), snapshots=[1])
    document = Verification(recorded, other).to_dict()
    assert document["outcome"] == "different"
    assert not all(check["holds"] for check in document["checks"])


def test_what_may_explain_other_rounding_is_listed(recorded: RunResult) -> None:
    older = replace(recorded.environment, revision=0, versions={"torch": "2.0"})
    found = Verification(replace(recorded, environment=older), recorded)
    assert found.other_environment["revision"] == (0, recorded.environment.revision)
    assert found.other_environment["torch"] == ("2.0", recorded.environment.versions["torch"])
