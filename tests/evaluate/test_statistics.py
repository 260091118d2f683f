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
    Association,
    association,
    association_interval,
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


def knowing(share: float, classes: int, size: int) -> NDArray[np.float64]:
    """Expected counts where this share is known and the others are guesses."""
    table = share * np.eye(classes) / classes + (1 - share) / classes**2
    return np.asarray(size * table)


def drawn(table: NDArray[np.float64], rng: np.random.Generator) -> IntArray:
    return rng.multinomial(round(table.sum()), (table / table.sum()).ravel()).reshape(table.shape)


@pytest.mark.parametrize("classes", [2, 3, 20])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.5, 1.0])
def test_the_effect_is_the_share_that_is_known(share: float, classes: int) -> None:
    table = np.rint(knowing(share, classes, 4_000_000)).astype(np.int64)
    effect, low, high = association_interval([association(table)], 0.01)
    assert effect == pytest.approx(share, abs=1e-3)
    assert low <= effect <= high <= 1
    assert high - low < 0.005


@pytest.mark.parametrize(
    ("classes", "share"), [(2, 0.0), (2, 0.02), (2, 0.1), (4, 0.0), (4, 0.05), (12, 0.0), (12, 0.02)]
)
def test_the_interval_covers_a_small_effect_as_often_as_it_says(classes: int, share: float) -> None:
    """At a level of 10%; where nothing is known one end cannot be wrong. Three standard errors are 5%.

    Small means that share * (classes - 1) is: so much more numbers than by chance has a cell of the diagonal,
    and the statistic scatters accordingly.
    """
    rng, trials = np.random.default_rng(classes), 300
    covered = 0
    for _ in range(trials):
        _, low, high = association_interval([association(drawn(knowing(share, classes, 8_000), rng))], 0.1)
        covered += low <= share <= high
    assert covered / trials == pytest.approx(0.9 if share else 0.95, abs=0.05)


def test_groups_are_pooled() -> None:
    """Ten groups of two, most too small to tell: together they tell what one of their size would."""
    rng = np.random.default_rng(2)
    tables = [drawn(knowing(0.1, 2, 400), rng) for _ in range(10)]
    alone = [association_interval([association(table)], 0.01) for table in tables]
    assert sum(low > 0 for _, low, _ in alone) < 5
    _, low, high = association_interval([association(table) for table in tables], 0.01)
    assert 0 < low < 0.1 < high
    assert high - low < min(high - low for _, low, high in alone)


def test_below_chance_counts_as_much_as_above() -> None:
    table = np.rint(knowing(0.1, 4, 40_000)).astype(np.int64)
    above = association_interval([association(table)], 0.01)
    below = association_interval([association(np.roll(table, 1, axis=1))], 0.01)
    assert below == pytest.approx(above)
    assert above[1] > 0


@pytest.mark.parametrize(
    "table",
    [[[0, 0], [0, 0]], [[900, 0], [800, 0]], [[0, 700], [0, 0]], [[5, 5], [0, 0]], [[0, 0, 9]] * 3],
)
def test_tables_without_two_classes_and_two_answers_show_nothing(table: list[list[int]]) -> None:
    found = association(np.array(table))
    assert found[:3] == (0, 0, 0)
    assert association_interval([found], 0.01) == (0, 0, 0)


def test_no_table_shows_nothing() -> None:
    assert association_interval([], 0.01) == (0, 0, 0)


def test_what_is_too_rare_to_be_tested_may_be_known() -> None:
    """Nine numbers of each class, all right: less than 5 expected in a cell."""
    few = association(np.array([[9, 0], [0, 9]]))
    assert (few.freedom, few.size, few.untested) == (0, 18, 18)
    assert association_interval([few], 0.01) == (0, 0, 1)
    many = association(np.rint(knowing(0.0, 2, 1_800)).astype(np.int64))
    _, low, high = association_interval([few, many], 0.01)
    assert low == 0
    assert high == pytest.approx(association_interval([many], 0.01)[2] + 18 / 1_818)


def test_rare_answers_beside_one_that_is_always_given() -> None:
    """Three of 40,000 answers are other than 0: no more can be known, up to the numbers of class 0 itself."""
    table = np.zeros((4, 4), dtype=np.int64)
    table[:, 0] = 10_000
    table[2, 2], table[2, 0] = 3, 9_997
    _, low, high = association_interval([association(table)], 0.01)
    assert low == 0
    assert high == pytest.approx(4 / 40_000)


@pytest.mark.parametrize(("classes", "size"), [(50, 20_000), (300, 600_000), (1_000, 600_000), (97, 2_000)])
def test_many_classes_are_bundled_and_the_effect_stays(classes: int, size: int) -> None:
    rng = np.random.default_rng(classes)
    for share in (0.0, 0.2):
        found = association(drawn(knowing(share, classes, size), rng))
        assert found.size == size
        assert 0 < found.freedom <= size / 10
        assert found.untested <= 0.1 * size, "bundles of equal classes are frequent, nearly all of them"
        effect, low, _ = association_interval([found], 0.01)
        assert effect == pytest.approx(share, rel=0.05, abs=0.05)
        assert low <= share + 0.02


@pytest.mark.parametrize("statistic", [0.0, 1e-9, 5.0, 1e3, 1e7])
def test_bounds_of_the_effect_are_where_the_distribution_says(statistic: float) -> None:
    found = Association(statistic, 4, 1e7, 10**7, 0.0)
    _, low, high = association_interval([found], 0.1)
    if low > 0:
        assert stats.ncx2.cdf(statistic, 4, low**2 * 1e7) == pytest.approx(0.95, abs=1e-6)
    if 0 < high < 1:
        assert stats.ncx2.cdf(statistic, 4, high**2 * 1e7) == pytest.approx(0.05, abs=1e-6)


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
