"""The time left of a sweep."""

from __future__ import annotations

import pytest

from pconv.config import RunConfig
from pconv.pacing.schedule import expected_epochs, seconds_left

LONG = RunConfig(modulus=11, epochs=200)
EARLY = RunConfig(modulus=4, epochs=200)


def test_the_time_left_falls_while_one_long_run_goes_on() -> None:
    assert seconds_left([], [(LONG, 0, 0)], [LONG], 30.0) is None
    left = [seconds_left([], [(LONG, epoch, 0)], [LONG], 3.0 * epoch) for epoch in (1, 50, 199)]
    assert left == pytest.approx([3.0 * (400 - epoch) for epoch in (1, 50, 199)])


def test_epochs_before_a_resumption_took_none_of_the_time() -> None:
    assert seconds_left([], [(LONG, 150, 150)], [], 5.0) is None
    assert seconds_left([], [(LONG, 160, 150)], [], 30.0) == pytest.approx(120)


def test_a_run_that_did_not_stop_early_is_expected_to_go_on_to_its_end() -> None:
    assert expected_epochs(EARLY) == 1
    assert seconds_left([], [(EARLY, 100, 0)], [], 50.0) == pytest.approx(50)
