"""The tests behind a verdict, against enumeration and closed forms."""

from __future__ import annotations

from itertools import permutations
from math import comb

import numpy as np
import pytest

from pconv.verify.statistics import (
    chance_of_agreement,
    chance_of_fewer,
    chance_of_more,
    chance_of_one_rate,
    holm,
    lower_bound,
    robust_slope,
    straight_line,
    upper_bound,
)


def tail(count: int, size: int, rate: float) -> float:
    return sum(comb(size, k) * rate**k * (1 - rate) ** (size - k) for k in range(count, size + 1))


@pytest.mark.parametrize(("count", "size"), [(0, 50), (3, 50), (50, 50), (7, 20)])
def test_bounds_and_tails_by_the_binomial_sum(count: int, size: int) -> None:
    assert chance_of_more(count, size, 0.3) == pytest.approx(tail(count, size, 0.3))
    assert chance_of_fewer(count, size, 0.3) == pytest.approx(1 - tail(count + 1, size, 0.3))
    upper, lower = upper_bound(count, size, 0.05), lower_bound(count, size, 0.05)
    assert upper == 1 if count == size else 1 - tail(count + 1, size, upper) == pytest.approx(0.05)
    assert lower == 0 if count == 0 else tail(count, size, lower) == pytest.approx(0.05)


@pytest.mark.parametrize(
    "table", [[[3, 1], [1, 3]], [[2, 1, 0], [0, 2, 0], [1, 0, 2]], [[1, 0, 0], [1, 2, 1], [0, 0, 3]]]
)
def test_agreement_by_all_permutations(table: list[list[int]]) -> None:
    counts = np.array(table)
    classes = [i for i, row in enumerate(table) for count in row for _ in range(count)]
    labels = [j for row in table for j, count in enumerate(row) for _ in range(count)]
    right = int(np.trace(counts))
    dealt = [sum(c == label for c, label in zip(classes, p, strict=True)) for p in permutations(labels)]
    expected = sum(d >= right for d in dealt) / len(dealt)
    assert chance_of_agreement(counts, 20_000) == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize("table", [[[0, 0], [0, 0]], [[5, 0], [7, 0]], [[0, 9], [9, 0]], [[4, 4, 4]] * 3])
def test_no_agreement_beyond_the_average_is_no_evidence(table: list[list[int]]) -> None:
    assert chance_of_agreement(np.array(table), 1000) == 1


def test_holm_by_its_definition() -> None:
    assert holm([0.01, 0.02, 0.03, 0.5]) == pytest.approx([0.04, 0.06, 0.06, 0.5])
    assert holm([0.5, 0.01]) == pytest.approx([0.5, 0.02])
    assert holm([]) == []


def test_one_rate_by_all_ways_to_deal() -> None:
    # three hits among 4 + 4, all in one half: (C(4,3) + C(4,3)) / C(8,3)
    assert chance_of_one_rate([3, 0], [4, 4]) == pytest.approx(8 / 56, abs=0.01)
    assert chance_of_one_rate([0, 0, 0], [5, 5, 5]) == 1
    assert chance_of_one_rate([9000, 9000], [10_000, 10_000]) == pytest.approx(1)
    assert chance_of_one_rate([9000, 9500], [10_000, 10_000]) < 1e-9


def test_lines() -> None:
    slope, start, share = straight_line([0, 1, 2, 3], [1, 3, 5, 8])
    assert slope == pytest.approx(2.3)
    assert start == pytest.approx(0.8)
    assert 0.98 < share < 1
    slope, low, high = robust_slope(range(20), [3 * x for x in range(19)] + [1000])
    assert low <= slope <= high
    assert slope == pytest.approx(3)
