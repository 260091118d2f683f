"""Intervals of stratified means."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy import stats

from pconv.board.intervals import LEVEL, Estimate, stratified_mean


def test_one_setting_has_students_interval() -> None:
    values = [0.2, 0.5, 0.4, 0.9]
    wanted = stats.ttest_1samp(values, 0).confidence_interval(LEVEL)
    found = stratified_mean([values])
    assert found == pytest.approx((np.mean(values), wanted.low, wanted.high))


def test_two_settings_have_that_of_welch() -> None:
    one, two = [0.1, 0.4, 0.3], [0.9, 0.2, 0.8, 0.85]
    wanted = stats.ttest_ind(one, [-x for x in two], equal_var=False).confidence_interval(LEVEL)
    found = stratified_mean([one, two])  # the mean of two means is half the difference to -two
    assert found == pytest.approx(((np.mean(one) + np.mean(two)) / 2, wanted.low / 2, wanted.high / 2))


def test_settings_that_say_nothing() -> None:
    assert stratified_mean([[1.0, 1.0], [0.5, 0.5]]) == Estimate(0.75, 0.75, 0.75)
    assert stratified_mean([[1.0, 2.0], [3.0]]) == Estimate(2.25, None, None)
    assert stratified_mean([[1.0, float("nan"), 1.0], [float("nan")]]) == Estimate(1.0, 1.0, 1.0)
    assert isnan(stratified_mean([[]]).value)
