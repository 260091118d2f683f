"""The time left of a sweep."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pconv.config import RunConfig
from pconv.pacing.schedule import Work, expected_epochs, seconds_left
from pconv.store.timing import guessed_work

LONG = RunConfig(modulus=11, epochs=200)
EARLY = RunConfig(modulus=4, epochs=200)


def test_the_time_left_falls_while_one_long_run_goes_on() -> None:
    assert seconds_left([], [Work(LONG, 0)], [LONG], 30.0) is None
    left = [
        seconds_left([], [Work(LONG, epoch)], [LONG], 3.0 * epoch, census=False) for epoch in (1, 50, 199)
    ]
    assert left == pytest.approx([3.0 * (400 - epoch) for epoch in (1, 50, 199)])


def test_epochs_before_a_resumption_took_none_of_the_time() -> None:
    assert seconds_left([], [Work(LONG, 150, 150)], [], 5.0) is None
    assert seconds_left([], [Work(LONG, 160, 150)], [], 30.0, census=False) == pytest.approx(120)
    done = [Work(LONG, 200, 190)]
    assert seconds_left(done, [], [LONG], 30.0, census=False) == pytest.approx(600)


def test_a_run_that_did_not_stop_early_is_expected_to_go_on_to_its_end() -> None:
    assert expected_epochs(EARLY) == 1
    assert seconds_left([], [Work(EARLY, 100)], [], 50.0, census=False) == pytest.approx(50)


def test_the_census_is_work_like_epochs() -> None:
    """At the speed of the epochs; a run whose census goes on trains no more."""
    census = guessed_work(LONG) - guessed_work(LONG, census=False)
    epoch = guessed_work(LONG, census=False) / LONG.epochs
    assert seconds_left([], [Work(LONG, 200)], [], 200 * epoch) == pytest.approx(census)
    quarter = Work(EARLY, 3, census=0.25)
    assert seconds_left([], [quarter], [], 3 * epoch + census / 4) == pytest.approx(0.75 * census, rel=0.02)


def test_the_end_of_a_run_that_took_longer_than_expected_does_not_change_the_time_left() -> None:
    """It is counted with the epochs that it had, and not with those that were expected."""
    waiting = [RunConfig(modulus=4, epochs=200, seed=seed) for seed in range(1, 9)]
    before = seconds_left([], [Work(EARLY, 7, census=0.999)], waiting, 80.0)
    after = seconds_left([Work(EARLY, 7, census=1.0)], [], waiting, 80.0)
    assert before == pytest.approx(after, rel=0.01)


def test_waiting_runs_are_expected_to_take_longer_if_the_finished_ones_did() -> None:
    """Forty runs that should have taken an epoch took ten; ten more epochs count as they were expected."""
    done = [Work(replace(EARLY, seed=seed), 10) for seed in range(1, 41)]
    epoch = guessed_work(EARLY, census=False) / EARLY.epochs
    times = [
        seconds_left(done, [], [waiting], 400 * epoch, census=False)
        for waiting in (EARLY, LONG, replace(EARLY, epochs=2))
    ]
    longer = (10 + 40 * 10) / (10 + 40 * 1)
    all_epochs = guessed_work(LONG, census=False)  # a run that cannot stop early takes as many as before
    assert times == pytest.approx([longer * epoch, all_epochs, 2 * epoch])


def test_a_running_run_counts_as_longer_than_expected_from_then_on() -> None:
    waiting = [replace(EARLY, seed=seed) for seed in range(1, 9)]
    epoch = guessed_work(EARLY, census=False) / EARLY.epochs
    for epochs, longer in ((1, 1), (4, (10 + 4) / (10 + 1))):
        left = seconds_left([], [Work(EARLY, epochs)], waiting, epochs * epoch, census=False)
        assert left == pytest.approx((EARLY.epochs - epochs + 8 * longer) * epoch)
