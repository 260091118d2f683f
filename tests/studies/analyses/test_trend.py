"""A common slope against scipy's for one group, and on groups with a trend, without, and with wild points."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import theilslopes

from pconv.studies.analyses.trend import Points, common_slope


def noisy(slope: float, seed: int, wild: float = 0.1) -> list[Points]:
    """Groups with levels of their own; a share of points is far above."""
    chance = np.random.default_rng(seed)
    groups: list[Points] = []
    for level in chance.uniform(0, 5, 8):
        x = chance.integers(2, 31, 15).astype(float)
        y = level + slope * x + chance.normal(0, 0.05, 15) + (chance.random(15) < wild) * 1.5
        groups.append(list(zip(x.tolist(), y.tolist(), strict=True)))
    return groups


@pytest.mark.parametrize("points", noisy(0.01, 3))
def test_one_group_is_scipys(points: Points) -> None:
    x, y = zip(*points, strict=True)
    slope, _, low, high = theilslopes(y, x, alpha=0.99)
    found = common_slope([points])
    assert found
    assert found.slope == pytest.approx(slope)
    slopes = sorted((b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2) if a[0] != b[0])
    outwards = place(slopes, low) - place(slopes, found.low), place(slopes, found.high) - place(slopes, high)
    assert set(outwards) <= {0, 1}, "the ends are scipy's, or the next slopes outwards"


def place(slopes: list[float], value: float) -> int:
    found = int(np.abs(np.array(slopes) - value).argmin())
    assert slopes[found] == pytest.approx(value)
    return found


def test_intervals_hold_the_truth_and_levels_do_not_matter() -> None:
    found = [each for seed in range(150) if (each := common_slope(noisy(0.01, seed)))]
    assert len(found) == 150
    assert sum(each.low <= 0.01 <= each.high for each in found) >= 144
    assert np.mean([each.slope for each in found]) == pytest.approx(0.01, abs=5e-4)


def test_a_detectable_slope_is_found_four_times_in_five() -> None:
    slopes = [each.detectable for seed in range(60) if (each := common_slope(noisy(0.0, seed)))]
    typical = float(np.median(slopes))
    seen = [each for seed in range(100, 220) if (each := common_slope(noisy(typical, seed)))]
    assert 0.65 <= sum(each.low > 0 for each in seen) / len(seen) <= 0.95


def test_too_few_points() -> None:
    assert common_slope([[(1, 1), (1, 2), (1, 3)]]) is None
    assert common_slope([[(1, 1), (2, 2)], [(1, 1)]]) is None
    assert common_slope([]) is None


@pytest.mark.parametrize("count", [3, 4, 5, 6, 7])
def test_an_interval_of_few_points_holds_the_truth_or_there_is_none(count: int) -> None:
    """Every order of the values is equally likely without a trend; at most one in a hundred may exclude 0."""
    orders = list(permutations(range(count)))
    found = [common_slope([list(enumerate(order))]) for order in orders]
    assert all(each is None for each in found) == (count < 6)
    assert sum(each is not None and not each.low <= 0 <= each.high for each in found) <= len(orders) / 100
