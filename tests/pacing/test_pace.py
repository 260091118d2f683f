"""Predicted paces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pconv import RunConfig, pace
from pconv.data.domain import Domain
from pconv.errors import InputError
from pconv.pacing.fastest import fastest_trainings
from pconv.pacing.schedule import expected_epochs, expected_seconds
from pconv.store.timing import estimated_seconds

CONFIG = RunConfig(modulus=13)


def test_the_prediction_is_where_its_curve_reaches_the_floor() -> None:
    found = pace(CONFIG)
    steps = found.epochs * CONFIG.batches
    loss = found.goal.floor + found.goal.learnable * float(found.curve.excess(steps))
    assert loss == pytest.approx(found.goal.floor + found.goal.tolerance)
    assert found.low < found.epochs < found.high


def test_epochs_depend_on_their_length_and_steps_do_not() -> None:
    short = pace(replace(CONFIG, batches=100))
    assert short.epochs == pytest.approx(4 * pace(CONFIG).epochs)


@pytest.mark.parametrize(
    "slower", [{"modulus": 29}, {"primes": 5_000}, {"batch_size": 64}, {"learning_rate": 3e-4}]
)
def test_what_makes_learning_slower(slower: dict[str, float]) -> None:
    assert pace(replace(CONFIG, **slower)).epochs > pace(CONFIG).epochs  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"architecture": "transformer"}, "architecture transformer"),
        ({"representation": "capped"}, "representation capped"),
        ({"task": "omega"}, "task omega"),
        ({"primes": 5}, "modulus 13"),
    ],
)
def test_runs_without_a_law(other: dict[str, object], named: str) -> None:
    with pytest.raises(InputError, match=f"^{named}: no pace"):
        pace(replace(CONFIG, **other))  # type: ignore[arg-type]


def test_runs_that_may_stop_early_are_expected_to() -> None:
    solved = RunConfig(modulus=4)
    assert expected_epochs(solved) < 10
    assert expected_seconds(solved) < estimated_seconds(solved, [])
    for full in (CONFIG, replace(solved, early_stop=False), replace(solved, task="omega")):
        assert expected_epochs(full) == 10
        assert expected_seconds(full) == estimated_seconds(full, [])


def test_a_plan_counts_no_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep may ask for a large domain; its plan must not take minutes."""

    def counted(*_: object) -> None:
        raise AssertionError("the domain was counted")

    monkeypatch.setattr(Domain, "members", property(counted))
    assert expected_epochs(RunConfig(modulus=9, limit=10**8)) < 10


def test_without_a_column_of_a_prime_of_m_there_is_no_pace() -> None:
    """Below a small limit the floor is lower than that of all integers, though the columns show nothing."""
    with pytest.raises(InputError, match="nothing to learn"):
        pace(RunConfig(modulus=5, primes=2, limit=12, smooth=0, test_size=1, batches=1, batch_size=1))


def test_the_fastest_training_is_the_fastest() -> None:
    found = fastest_trainings(13, range(12), 6)
    assert [each.seconds for each in found] == sorted(each.seconds for each in found)
    assert {each.config.kernel[0] for each in found} == set(range(3, 16, 2))
    for each in found:
        assert each.config.primes >= 6
        assert each.config.epochs - 1 < each.pace.high <= each.config.epochs
    small = fastest_trainings(3, range(2), 2)
    assert {each.config.kernel[0] for each in small} == {3}, "no more rows than a window and its padding have"
