from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, binomtest

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
    for binary in (True, False):
        missed = 0.0
        for count in range(31):
            low, high = bounded_mean(count, count, 60, 0.9, binary)
            missed += 0 if low <= 0.1 <= high else binom.pmf(count, 30, 0.2)
        assert missed <= 0.1


def distribution(rates: np.ndarray) -> np.ndarray:
    """The law of the number of successes of independent trials with these rates."""
    law = np.ones(1)
    for rate in rates:
        law = np.convolve(law, [1 - rate, rate])
    return law


def failures(rates: np.ndarray, confidence: float) -> tuple[float, float]:
    """The probabilities that the lower and the upper end do not bound the mean rate."""
    size, mean, law = len(rates), float(rates.mean()), distribution(rates)
    ends = [bounded_mean(count, count, size, confidence, binary=True) for count in range(size + 1)]
    lower, upper = ([mean < low for low, _ in ends], [high < mean for _, high in ends])
    return float(law[lower].sum()), float(law[upper].sum())


@pytest.mark.parametrize("confidence", [0.501, 0.9, 0.999])
def test_both_ends_together_fail_as_rarely_as_they_say_whatever_the_rates_are(confidence: float) -> None:
    """Random rates, also close to 0 and 1, and all of the rate in few draws."""
    generator = np.random.default_rng(0)
    for size in (1, 2, 3, 7, 25):
        for scale in (0.001, 0.01, 0.1, 1.0):
            rates = generator.random(size) * scale * (generator.random(size) < generator.random())
            for some in (rates, 1 - rates):
                assert sum(failures(some, confidence)) <= 1 - confidence + 1e-12


def test_one_end_alone_can_fail_more_often_than_half_of_that() -> None:
    """All of the rate in one of 60 draws: the first count is more probable than with equal rates."""
    rates = np.zeros(60)
    rates[0] = 0.0512
    assert round(binom.sf(0, 60, rates.mean()), 5) == 0.04993  # below 0.05: one success excludes the mean
    lower, upper = failures(rates, 0.9)
    assert 0.05 < lower < 0.1
    assert upper == 0


CONFIDENCES = (0.501, 0.999, 1 - 1e-8, 1 - 1e-12)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("binary", [True, False])
def test_the_checker_finds_the_same_bounds(binary: bool, confidence: float) -> None:
    generator = np.random.default_rng(0)
    for size in (1, 60, 5000):
        for total in {0, 1, min(5, size), size - 1, size, *generator.integers(0, size + 1, 5).tolist()}:
            low, high = bounded_mean(total, total, size, confidence, binary)
            lows, highs = bounds.of_mean(total, total, size, (1 - confidence) / 2, binary)
            assert rounded_down(low) in lows
            assert rounded_up(high) in highs


def at_most(count: int, size: int, rate: Fraction) -> Fraction:
    """The binomial probability of at most so many successes."""
    terms = (comb(size, k) * rate**k * (1 - rate) ** (size - k) for k in range(count + 1))
    return sum(terms, Fraction(0))


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_the_ends_have_the_probability_of_the_tail(confidence: float) -> None:
    """In exact arithmetic, also where the tail is so small that 1 - tail is rounded."""
    low, high = map(Fraction, bounded_mean(5, 5, 200, confidence, binary=True))
    for found in (1 - at_most(4, 200, low), at_most(5, 200, high)):
        assert float(found) == pytest.approx((1 - confidence) / 2, rel=1e-9, abs=0)


def test_the_size_of_a_sample() -> None:
    size = smallest_sample(0.002, 0.01, 0.999, binary=True)
    for draws, enough in ((size, True), (size // 2, False)):
        low, high = bounded_mean(0.002 * draws, 0.002 * draws, draws, 0.999, True)
        assert (high - low <= 0.01) == enough
