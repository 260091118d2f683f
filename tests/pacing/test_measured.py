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
    assert stuck.log_half(log(3)) < log(40_000)


@pytest.mark.parametrize("sharpness", [1, 3, 20])
@pytest.mark.parametrize("epochs", [1, 3])
def test_a_run_that_just_stayed_on_its_plateau_has_its_half_time_as_bound(
    sharpness: int, epochs: int
) -> None:
    """The mean of the last epoch is above the bound of a plateau; the loss at its end need not be."""
    curves = (Curve(log_half, log(sharpness)) for log_half in np.arange(log(300), log(30_000), 0.01))
    curve = next(each for each in curves if each.mean_excess(CONFIG.batches, epochs)[-1] > ON_PLATEAU)
    run = measure(learned(CONFIG, curve, epochs=epochs))
    assert run.on_plateau
    assert curve.log_half - 0.01 <= run.log_half(log(sharpness)) <= curve.log_half


def test_an_only_epoch_at_the_floor_has_a_half_time() -> None:
    """Its mean may be below the floor: the training numbers are not the domain."""
    result = learned(CONFIG, CURVE, epochs=1)
    low = replace(result, epochs=(replace(result.epochs[0], loss=0.0),))
    run = measure(low)
    assert (run.means.tolist(), run.curve) == ([0.0], None)
    assert -1 < run.log_half(log(2.2)) < log(180)


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
