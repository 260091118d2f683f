"""Intervals of means over settings."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy import stats

from pconv.board.intervals import LEVEL, Estimate, mean_over_settings


def of_seeds(*values: float, first: int = 0) -> list[tuple[int, float]]:
    return list(enumerate(values, start=first))


def test_one_setting_has_students_interval() -> None:
    values = [0.2, 0.5, 0.4, 0.9]
    wanted = stats.ttest_1samp(values, 0).confidence_interval(LEVEL)
    found = mean_over_settings([of_seeds(*values)])
    assert found == pytest.approx((np.mean(values), wanted.low, wanted.high))


def test_settings_with_the_same_seeds_have_that_of_the_means_of_seeds() -> None:
    values = np.random.default_rng(3).normal(size=(4, 5)) + np.arange(5)  # which depend on the seed
    wanted = stats.ttest_1samp(values.mean(axis=0), 0).confidence_interval(LEVEL)
    found = mean_over_settings([of_seeds(*row) for row in values])
    assert found == pytest.approx((values.mean(), wanted.low, wanted.high))
    twice = mean_over_settings([of_seeds(*row) * 2 for row in values])
    assert twice == pytest.approx(found), "a network that is there twice is not another seed"


def test_settings_without_a_common_seed_have_the_variance_of_welch() -> None:
    one, two = [0.1, 0.4, 0.3], [0.9, 0.2, 0.8, 0.85]
    found = mean_over_settings([of_seeds(*one), of_seeds(*two, first=3)])
    error = stats.ttest_ind(one, [-x for x in two], equal_var=False)  # half the difference to -two
    wanted = abs((np.mean(one) + np.mean(two)) / error.statistic / 2) * stats.t.ppf(0.975, 2)
    assert found.high is not None
    assert found.high - found.value == pytest.approx(wanted)


def test_settings_that_say_nothing() -> None:
    nan = float("nan")
    assert mean_over_settings([of_seeds(1.0, 1.0), of_seeds(0.5, 0.5)]) == Estimate(0.75, 0.75, 0.75)
    assert mean_over_settings([of_seeds(1.0, 2.0), of_seeds(3.0)]) == Estimate(2.25, None, None)
    assert mean_over_settings([of_seeds(1.0, nan, 1.0), of_seeds(nan)]) == Estimate(1.0, 1.0, 1.0)
    assert isnan(mean_over_settings([[]]).value)
