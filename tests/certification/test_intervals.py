from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from pconv.certification.checker import bounds
from pconv.certification.intervals import bounded_mean, rounded_down, rounded_up, smallest_sample


@pytest.mark.parametrize(("count", "size"), [(0, 50), (3, 50), (50, 50), (17, 4000)])
def test_counts_have_the_interval_of_clopper_and_pearson(count: int, size: int) -> None:
    expected = binomtest(count, size).proportion_ci(0.99, method="exact")
    assert bounded_mean(count, count, size, 0.99, binary=True) == pytest.approx(tuple(expected))


def test_a_sum_that_is_not_known_widens_the_interval() -> None:
    for binary in (True, False):
        low, high = bounded_mean(3, 5, 100, 0.99, binary)
        assert low == bounded_mean(3, 3, 100, 0.99, binary)[0]
        assert high == bounded_mean(5, 5, 100, 0.99, binary)[1]


def test_intervals_of_strata_hold_as_often_as_they_say() -> None:
    """Two strata of 30 draws with rates 0 and 0.2: every outcome, weighted with its probability."""
    from scipy.stats import binom

    for binary in (True, False):
        missed = 0.0
        for count in range(31):
            low, high = bounded_mean(count, count, 60, 0.9, binary)
            missed += 0 if low <= 0.1 <= high else binom.pmf(count, 30, 0.2)
        assert missed <= 0.1


@pytest.mark.parametrize("binary", [True, False])
def test_the_checker_finds_the_same_bounds(binary: bool) -> None:
    generator = np.random.default_rng(0)
    for size in (1, 60, 5000):
        for total in {0, 1, size, *generator.integers(0, size + 1, 5).tolist()}:
            low, high = bounded_mean(total, total, size, 0.999, binary)
            lows, highs = bounds.of_mean(total, total, size, (1 - 0.999) / 2, binary)
            assert rounded_down(low) in lows
            assert rounded_up(high) in highs


def test_the_size_of_a_sample() -> None:
    size = smallest_sample(0.002, 0.01, 0.999, binary=True)
    for draws, enough in ((size, True), (size // 2, False)):
        low, high = bounded_mean(0.002 * draws, 0.002 * draws, draws, 0.999, True)
        assert (high - low <= 0.01) == enough
