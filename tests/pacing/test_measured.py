"""What finished runs show: complete, stopped early, ended above the floor, or still on the plateau."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log

import numpy as np
import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.pacing.curve import Curve
from pconv.pacing.measured import ON_PLATEAU, measure
from tests.fakes import fake_result
from tests.pacing.fakes import learned

CONFIG = RunConfig(modulus=11)
CURVE = Curve(log(180), log(2.2))


def test_a_complete_run_shows_its_curve() -> None:
    run = measure(learned(CONFIG, CURVE))
    assert run.curve is not None
    assert (run.curve.half, run.curve.sharpness) == pytest.approx((180, 2.2), rel=0.01)
    steps = CURVE.steps_to(run.goal.share)
    assert run.floor_reached() == pytest.approx((steps, steps), rel=0.02)


def test_one_epoch_is_enough_if_its_end_is_known() -> None:
    early = measure(learned(CONFIG, CURVE, epochs=1, held_out=True))
    assert early.curve is not None
    assert (early.curve.half, early.curve.sharpness) == pytest.approx((180, 2.2), rel=0.01)
    bare = measure(learned(CONFIG, CURVE, epochs=1))
    assert (bare.curve, bare.floor_reached()) == (None, None), "the sharpness is not known"
    assert bare.log_half(log(2.2)) == pytest.approx(log(180), rel=1e-4)


def test_a_run_that_ended_above_the_floor_is_a_lower_bound() -> None:
    slow = measure(learned(CONFIG, Curve(log(900), log(2)), epochs=3))
    assert slow.floor_reached() == (1200, inf)
    stuck = measure(learned(CONFIG, Curve(log(40_000), log(3)), epochs=3))
    assert stuck.on_plateau
    assert stuck.floor_reached() == (1200, inf)
    bound = stuck.log_half(log(3))
    assert bound < log(40_000)
    assert float(Curve(bound, log(3)).excess(1200)) == pytest.approx(ON_PLATEAU)


def test_memorised_epochs_are_not_used() -> None:
    """Training numbers that are learned by heart push the loss below the floor."""
    result = learned(CONFIG, CURVE)
    memorised = replace(result.epochs[-1], epoch=7, loss=0.0)
    with_it = replace(result, config=replace(CONFIG, epochs=7), epochs=(*result.epochs, memorised))
    assert np.array_equal(measure(with_it).means, measure(result).means)


def test_other_kinds_of_runs_have_no_pace() -> None:
    for config in (replace(CONFIG, architecture="mlp"), replace(CONFIG, representation="binary")):
        with pytest.raises(InputError, match="no pace law for this"):
            measure(fake_result(config))
    with pytest.raises(InputError, match="nothing to learn"):
        measure(fake_result(RunConfig(modulus=11, primes=4)))
