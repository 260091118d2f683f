"""A fit to runs by a known law."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest

from pconv.errors import InputError
from pconv.pacing.features import features
from pconv.pacing.fit import FEWEST, divided, fit_law, fitted_coefficients, measured_runs
from pconv.pacing.holdout import NEEDED, cross_comparisons, held_out_tests, summary
from pconv.pacing.measured import MeasuredRun
from tests.fakes import fake_result
from tests.pacing.fakes import KNOWN, measured, paced


@pytest.fixture(scope="module")
def noisy() -> list[MeasuredRun]:
    return measured(135, noise=0.3)


def test_the_law_is_found_again() -> None:
    found = fitted_coefficients(measured(60))
    for name in ("modulus", "largest_prime", "background", "learning_rate", "kernel", "batch_size"):
        assert found.half[name] == pytest.approx(KNOWN.half[name], abs=0.05), name
    assert found.sharpness["beyond_kernel"] == pytest.approx(-0.3, abs=0.05)


def test_intervals_contain_as_many_held_out_runs_as_they_say(noisy: list[MeasuredRun]) -> None:
    """Of 135 runs 90% +- 8% (three standard errors) are in intervals that were made without them."""
    test = summary("all", cross_comparisons(noisy))
    assert test.runs == len(noisy)
    assert 0.82 <= test.covered / test.runs <= 0.98
    low, high = fit_law(noisy).quantiles
    assert high - low == pytest.approx(2 * 1.645 * 0.3, rel=0.25)


def test_a_law_that_is_wrong_for_the_held_out_runs_shows_it(noisy: list[MeasuredRun]) -> None:
    """Runs of other kernels that take ten times as long as the law of the others says."""
    other = [
        replace(run, curve=replace(run.curve, log_half=run.curve.log_half + log(10)))
        if run.curve and run.config.kernel != (7,)
        else run
        for run in noisy
    ]
    tests = {test.name: test for test in held_out_tests(other)}
    kernels = tests["kernels other than 7 and 15"]
    assert kernels.covered < 0.5 * kernels.runs
    assert kernels.ratio is not None
    assert kernels.ratio > 5


def test_runs_on_the_plateau_make_the_law_slower() -> None:
    """A run that has not left its plateau is a bound; left out, it would make the law too fast."""
    runs = measured(60)
    stuck = [replace(run, curve=None, means=np.ones(40)) for run in runs[:20]]
    assert all(run.on_plateau for run in stuck)
    values = features(runs[0].config, runs[0].goal)
    slow, dropped = (fitted_coefficients(part).curve(values) for part in (stuck + runs[20:], runs[20:]))
    assert slow.half > 2 * dropped.half


def test_runs_of_one_configuration_are_in_the_same_part() -> None:
    runs = measured(12)
    seeds = [replace(run, config=replace(run.config, seed=1)) for run in runs]
    parts = list(divided([*runs, *seeds], 5, seed=0))
    assert len(parts) == 5
    for kept, held_out in parts:
        assert kept
        assert held_out
        assert not {run.cell for run in kept} & {run.cell for run in held_out}
        assert len(kept) + len(held_out) == 24
    assert sum(len(held_out) for _, held_out in parts) == 24
    assert len(list(divided(runs[:3], 5, seed=0))) == 3


def test_a_size_that_never_varies_has_no_power() -> None:
    """All runs have batches of 64: nothing is known about other sizes."""
    runs = [run for run in measured(180) if run.config.batch_size == 64]
    law = fit_law(runs)
    assert law.coefficients.half["batch_size"] == 0
    near, far = (replace(runs[0].config, batch_size=size) for size in (64, 4_096))
    assert law.interval(far, runs[0].goal) == pytest.approx(law.interval(near, runs[0].goal))
    assert "batch size 4096 (fitted: 64)" in law.outside(far, runs[0].goal)


def test_only_the_longer_of_two_runs_with_the_same_epochs_counts() -> None:
    [result] = paced(1)
    short = replace(result, config=replace(result.config, epochs=2), epochs=result.epochs[:2])
    binary = fake_result(replace(result.config, representation="binary"))
    [run] = measured_runs([short, result, binary])
    assert run.epochs == len(result.epochs)


def test_too_few_runs_are_refused() -> None:
    with pytest.raises(InputError, match=f"5 runs of 5 configurations: at least {FEWEST} runs"):
        fit_law(measured(5))
    [one] = measured(1)
    seeds = [replace(one, config=replace(one.config, seed=seed)) for seed in range(NEEDED)]
    with pytest.raises(InputError, match=f"{NEEDED} runs of 1 configuration: .* of 4 configurations are"):
        fit_law(seeds)
    with pytest.raises(InputError, match=f"{NEEDED} runs of 1 configuration: .* of 5 configurations are"):
        cross_comparisons(seeds)
    with pytest.raises(InputError, match=f"{NEEDED} runs: without a part of their configurations 4 are left"):
        cross_comparisons(seeds[4:] + measured(5)[1:])
    stuck = [replace(run, curve=None, means=np.ones(40)) for run in measured(40)[:15]]
    with pytest.raises(InputError, match="too many never left their plateau"):
        fit_law(stuck + measured(60)[20:])
