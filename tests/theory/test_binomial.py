"""Binomial ranges and sizes against scipy's distribution."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from pconv.errors import InputError
from pconv.theory.binomial import accuracy_range, numbers_to_decide


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.floats(0.01, 1.0), st.integers(1, 20_000), st.sampled_from([0.8, 0.95, 0.999]))
def test_range_is_the_central_interval(accuracy: float, size: int, confidence: float) -> None:
    low, high = accuracy_range(accuracy, size, confidence)
    tail = (1 - confidence) / 2
    assert (
        binom.cdf(round(low * size) - 1, size, accuracy)
        < tail
        <= binom.cdf(round(low * size), size, accuracy)
    )
    assert binom.cdf(round(high * size), size, accuracy) >= 1 - tail


def decided(low: float, high: float, size: int, alpha: float) -> bool:
    """Some threshold is reached by the lower accuracy, and missed by the higher one, with chance <= alpha."""
    return any(
        binom.sf(t - 1, size, low) <= alpha and binom.cdf(t - 1, size, high) <= alpha for t in range(size + 2)
    )


@pytest.mark.parametrize(("low", "high"), [(0.4375, 0.625), (0.9, 1.0), (0.1, 0.2), (0.5, 0.9)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_numbers_suffice_and_one_less_does_not(low: float, high: float, confidence: float) -> None:
    size = numbers_to_decide(high, low, confidence)
    assert size is not None
    assert decided(low, high, size, 1 - confidence)
    assert not decided(low, high, size - 1, 1 - confidence)


def test_equal_accuracies_cannot_be_decided() -> None:
    assert numbers_to_decide(0.5, 0.5) is None
    assert numbers_to_decide(0.5, 0.5 + 1e-9) is None


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, 2.0])
def test_confidence_is_a_probability(confidence: float) -> None:
    with pytest.raises(InputError, match="confidence"):
        accuracy_range(0.5, 10, confidence)


def test_a_range_needs_a_test_number() -> None:
    with pytest.raises(InputError, match="test_size 0"):
        accuracy_range(0.5, 0)


@pytest.mark.parametrize("accuracy", [-0.1, 1.2, float("nan"), float("inf")])
def test_an_accuracy_is_from_0_to_1(accuracy: float) -> None:
    with pytest.raises(InputError, match=r"accuracy .*: must be from 0 to 1"):
        accuracy_range(accuracy, 10)
    for pair in ((accuracy, 0.5), (0.5, accuracy)):
        with pytest.raises(InputError, match=r"accuracy .*: must be from 0 to 1"):
            numbers_to_decide(*pair)
    assert accuracy_range(0, 10) == (0, 0)
    assert numbers_to_decide(0, 1) == 1
