"""The tests behind a verdict, against enumeration and closed forms."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pconv._arrays import IntArray
from pconv.evaluate.assessment import Settings
from pconv.evaluate.statistics import (
    dependence_interval,
    fewer_pvalue,
    holm,
    lower_bound,
    more_pvalue,
    one_rate_pvalue,
    upper_bound,
)
from pconv.theory import predict
from tests.evaluate.fake_networks import census_counts, ideal, noisy


def tail(count: int, size: int, rate: float) -> float:
    return sum(comb(size, k) * rate**k * (1 - rate) ** (size - k) for k in range(count, size + 1))


@pytest.mark.parametrize(("count", "size"), [(0, 50), (3, 50), (50, 50), (7, 20)])
def test_bounds_and_tails_by_the_binomial_sum(count: int, size: int) -> None:
    assert more_pvalue(count, size, 0.3) == pytest.approx(tail(count, size, 0.3))
    assert fewer_pvalue(count, size, 0.3) == pytest.approx(1 - tail(count + 1, size, 0.3))
    upper, lower = upper_bound(count, size, 0.05), lower_bound(count, size, 0.05)
    assert upper == 1 if count == size else 1 - tail(count + 1, size, upper) == pytest.approx(0.05)
    assert lower == 0 if count == 0 else tail(count, size, lower) == pytest.approx(0.05)


def test_holm_by_its_definition() -> None:
    assert holm([0.01, 0.02, 0.03, 0.5]) == pytest.approx([0.04, 0.06, 0.06, 0.5])
    assert holm([0.5, 0.01]) == pytest.approx([0.5, 0.02])
    assert holm([]) == []


def test_one_rate_by_all_ways_to_deal() -> None:
    # three hits among 4 + 4, all in one half: (C(4,3) + C(4,3)) / C(8,3)
    assert one_rate_pvalue([3, 0], [4, 4]) == pytest.approx(8 / 56, abs=0.01)
    assert one_rate_pvalue([0, 0, 0], [5, 5, 5]) == 1
    assert one_rate_pvalue([9000, 9000], [10_000, 10_000]) == pytest.approx(1)
    assert one_rate_pvalue([9000, 9500], [10_000, 10_000]) < 1e-9


def knowing(
    share: float, classes: int, size: int, favourite: float | None = None, step: int = 0
) -> NDArray[np.float64]:
    """Expected counts where this share is known and the others are guesses.

    Parameters
    ----------
    share
        Of the numbers that are known.
    classes, size
        The number of classes, and of numbers.
    favourite
        The share of class 0 among the guesses; by default all are equally frequent.
    step
        From a class to the one that is named where it is known; 0: it is named itself.
    """
    first = 1 / classes if favourite is None else favourite
    guesses = np.array([first, *[(1 - first) / (classes - 1)] * (classes - 1)])
    named = np.roll(np.eye(classes), step, axis=1)
    return np.asarray(size / classes * (share * named + (1 - share) * guesses))


def drawn(table: NDArray[np.float64], rng: np.random.Generator) -> IntArray:
    return rng.multinomial(round(table.sum()), (table / table.sum()).ravel()).reshape(table.shape)


@pytest.mark.parametrize("favourite", [None, 0.9, 0.99])
@pytest.mark.parametrize("step", [0, 1])
@pytest.mark.parametrize("classes", [2, 3, 20])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.5, 1.0])
def test_the_effect_is_the_share_that_is_known(
    share: float, classes: int, step: int, favourite: float | None
) -> None:
    """Whatever the guesses are, and also where classes are confused in a fixed way."""
    table = np.rint(knowing(share, classes, 4_000_000, favourite, step)).astype(np.int64)
    effect, low, high = dependence_interval([table], 0.01)
    assert effect == pytest.approx(share, abs=1e-3)
    assert low <= effect <= high <= 1
    assert high - low < 0.005


@pytest.mark.parametrize(
    ("classes", "size", "share", "favourite", "step"),
    [
        (2, 8_000, 0.0, None, 0),
        (2, 8_000, 0.02, None, 0),
        (2, 8_000, 0.1, None, 1),
        (2, 2_000, 0.0, 0.99, 0),
        (2, 120_000, 0.006, 0.99, 0),
        (2, 120_000, 0.01, 0.99, 1),
        (5, 5_000, 0.0, 0.9, 0),
        (5, 5_000, 0.1, 0.9, 0),
        (5, 5_000, 0.1, 0.9, 1),
        (10, 60_000, 0.01, 0.99, 0),
        (10, 4_000, 0.1, None, 1),
        (10, 4_000, 0.5, None, 0),
        (12, 8_000, 0.02, None, 0),
        (60, 5_000, 0.05, None, 0),
    ],
)
def test_the_interval_covers_the_effect_as_often_as_it_says(
    classes: int, size: int, share: float, favourite: float | None, step: int
) -> None:
    """At a level of 10%, 5% at each end; where nothing is known one end cannot be wrong."""
    rng, trials = np.random.default_rng(classes), 300
    above = below = 0
    for _ in range(trials):
        table = drawn(knowing(share, classes, size, favourite, step), rng)
        _, low, high = dependence_interval([table], 0.1)
        above, below = above + (low > share), below + (high < share)
    assert above / trials == pytest.approx(0.05, abs=0.04)
    assert below / trials == pytest.approx(0.05 if share else 0, abs=0.04)


def test_the_effect_is_at_most_the_share_of_answers_that_depend_on_the_class() -> None:
    """Whatever is answered to the numbers whose answer does."""
    rng = np.random.default_rng(0)
    for classes in (2, 3, 7):
        for _ in range(20):
            sizes, guesses = rng.dirichlet(np.ones(classes)), rng.dirichlet(np.ones(classes))
            answers = rng.dirichlet(np.full(classes, 0.1), classes)
            table = np.rint(1e8 * sizes[:, None] * (0.8 * guesses + 0.2 * answers)).astype(np.int64)
            assert dependence_interval([table], 0.01)[0] <= 0.2 + 1e-6


def test_groups_are_pooled() -> None:
    """Ten groups of two, most too small to tell: together they tell what one of their size would."""
    rng = np.random.default_rng(2)
    tables = [drawn(knowing(0.1, 2, 400), rng) for _ in range(10)]
    alone = [dependence_interval([table], 0.01) for table in tables]
    assert sum(low > 0 for _, low, _ in alone) < 5
    _, low, high = dependence_interval(tables, 0.01)
    assert 0 < low < 0.1 < high
    assert high - low < min(high - low for _, low, high in alone)


def test_below_chance_counts_as_much_as_above() -> None:
    table = np.rint(knowing(0.1, 4, 40_000)).astype(np.int64)
    above = dependence_interval([table], 0.01)
    below = dependence_interval([np.roll(table, 1, axis=1)], 0.01)
    assert below == pytest.approx(above)
    assert above[1] > 0


@pytest.mark.parametrize("table", [[[0, 0], [0, 0]], [[0, 700], [0, 0]], [[5, 5], [0, 0]]])
def test_a_table_of_one_class_shows_nothing(table: list[list[int]]) -> None:
    assert dependence_interval([np.array(table)], 0.01) == (0, 0, 0)
    assert dependence_interval([], 0.01) == (0, 0, 0)


def test_what_is_too_rare_to_be_tested_may_be_known() -> None:
    """Nine numbers of each class, all right: fewer than ten answers that are not the most frequent one."""
    few = np.array([[9, 0], [0, 9]])
    assert dependence_interval([few], 0.01) == (0, 0, 1)
    many = np.rint(knowing(0.0, 2, 1_800)).astype(np.int64)
    _, low, high = dependence_interval([few, many], 0.01)
    assert low == 0
    assert high == pytest.approx(dependence_interval([many], 0.01)[2] + 18 / 1_818)


def test_rare_answers_beside_one_that_is_always_given() -> None:
    """Three of the 30,000 numbers of other classes have another answer than 0: hardly more can be known."""
    table = np.zeros((4, 4), dtype=np.int64)
    table[:, 0] = 10_000
    table[2, 2], table[2, 0] = 3, 9_997
    effect, low, high = dependence_interval([table], 0.01)
    assert (effect, low) == (0, 0)
    assert high == pytest.approx(upper_bound(3, 30_000, 0.005))
    always = np.array([[900, 0], [800, 0]])
    assert dependence_interval([always], 0.01)[2] == pytest.approx(upper_bound(0, 800, 0.005))


@pytest.mark.parametrize(("classes", "size"), [(50, 20_000), (300, 600_000), (1_000, 600_000), (97, 2_000)])
def test_many_classes_with_few_numbers_each(classes: int, size: int) -> None:
    rng = np.random.default_rng(classes)
    for share in (0.0, 0.2):
        effect, low, high = dependence_interval([drawn(knowing(share, classes, size), rng)], 0.01)
        assert effect == pytest.approx(share, rel=0.05, abs=0.05)
        assert low <= share <= high


@pytest.mark.parametrize("size", [1, 30, 4_000, 10**8])
def test_any_table_has_an_interval(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(100):
        classes = int(rng.integers(1, 7))
        table = rng.integers(0, 1 + size, (classes, classes)) * (
            rng.random((classes, classes)) < rng.random()
        )
        effect, low, high = dependence_interval([table], 0.001)
        assert 0 <= low <= effect <= high <= 1


@pytest.mark.parametrize("excess", [-0.5, 0.0, 0.02, 3.0, 60.0])
def test_two_classes_have_the_noncentral_distribution_of_one_freedom(excess: float) -> None:
    """As long as the effect is small: a difference of rates, over its standard error, is normal."""
    more = round(200 * excess)
    table = np.array([[200_000 + more, 200_000 - more], [200_000 - more, 200_000 + more]])
    statistic = 4 * 4 * more**2 / 800_000
    _, low, high = dependence_interval([table], 0.1)
    if low > 0:
        assert stats.ncx2.cdf(statistic, 1, low**2 * 800_000) == pytest.approx(0.95, abs=0.002)
    if high > 0:
        assert stats.ncx2.cdf(statistic, 1, high**2 * 800_000) == pytest.approx(0.05, abs=0.002)


@pytest.mark.parametrize(("modulus", "rows"), [(7, 9), (11, 9), (16, 3), (29, 9), (251, 249)])
def test_a_calibrated_reader_that_leaks_the_tolerance_has_a_tolerated_loss(modulus: int, rows: int) -> None:
    """Fano's inequality, with equality where every class is identified and the leaks go everywhere alike."""
    counts = np.ones(modulus, dtype=np.int64)
    floor = predict(modulus, range(rows)).loss_floor
    for tolerance in (0.01, 0.1):
        allowed = Settings(tolerance).loss_tolerance(modulus)
        above = noisy(ideal(modulus, rows), tolerance).loss(counts) - floor
        assert 0 < above <= allowed + 1e-12
        if predict(modulus, range(rows)).solved:
            assert above == pytest.approx(allowed)
        assert noisy(ideal(modulus, rows), 2 * tolerance).loss(counts) - floor > above
    on_domain = noisy(ideal(modulus, rows), 0.01).loss(census_counts(modulus))
    least = predict(modulus, range(rows)).loss_floor_on(census_counts(modulus))
    assert least is not None
    assert on_domain - least <= Settings().loss_tolerance(modulus)


def test_the_tolerated_loss_of_two_classes_is_the_binary_entropy() -> None:
    assert Settings(0.5).loss_tolerance(2) == pytest.approx(log(2))
    assert Settings(0.01).loss_tolerance(1) == pytest.approx(Settings(0.01).loss_tolerance(2))
