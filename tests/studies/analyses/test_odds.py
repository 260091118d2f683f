"""Odds ratios and chance against brute force: exact distributions, simulation, all permutations."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom, norm

from pconv.studies.analyses.odds import Tables, balanced_odds_ratio, mantel_haenszel, matches


def draw(ratio: float, seed: int, tables: int = 12) -> Tables:
    """Tables of a common odds ratio, with rates and sizes of their own."""
    chance = np.random.default_rng(seed)
    sizes = chance.integers(40, 400, (tables, 2))
    base = chance.uniform(0.1, 0.9, tables)
    odds = base / (1 - base) * ratio
    rates = np.stack([odds / (1 + odds), base], axis=1)
    correct = chance.binomial(sizes, rates)
    return np.stack([correct, sizes - correct], axis=2)


def exact_pvalue(tables: Tables) -> float:
    """The conditional test: all margins kept, the counts of exposed and correct added up over the tables."""
    distribution, start = np.ones(1), 0
    for (a, b), (c, d) in tables:
        total, exposed, correct = a + b + c + d, a + b, a + c
        low, high = max(0, exposed + correct - total), min(exposed, correct)
        law = hypergeom(total, correct, exposed)
        distribution = np.convolve(distribution, law.pmf(np.arange(low, high + 1)))
        start += low
    seen = int(tables[:, 0, 0].sum()) - start
    mean = distribution @ np.arange(len(distribution))
    far = np.abs(np.arange(len(distribution)) - mean) >= abs(seen - mean) - 1e-9
    return float(distribution[far].sum())


def test_the_common_odds_ratio_is_that_of_the_formula_and_of_a_single_table() -> None:
    tables = draw(0.7, 1)
    found = mantel_haenszel(tables)
    assert found
    pairs = [(Fraction(int(a * d), int(a + b + c + d)), Fraction(int(b * c), int(a + b + c + d)))
             for (a, b), (c, d) in tables]  # fmt: skip
    assert found.ratio == pytest.approx(float(sum(p for p, _ in pairs) / sum(q for _, q in pairs)))
    one = mantel_haenszel(tables[:1])
    (a, b), (c, d) = tables[0]
    assert one
    assert one.ratio == pytest.approx(a * d / (b * c))
    half = norm.ppf(0.995) * np.sqrt(1 / a + 1 / b + 1 / c + 1 / d)  # Woolf's, to which one table's reduces
    assert np.log(one.high / one.ratio) == pytest.approx(half)


@pytest.mark.parametrize("seed", range(5))
def test_the_pvalue_is_that_of_the_exact_conditional_test(seed: int) -> None:
    tables = draw(0.9, seed)
    found = mantel_haenszel(tables)
    assert found
    assert found.pvalue == pytest.approx(exact_pvalue(tables), rel=0.15, abs=0.01)
    single = mantel_haenszel(10 * tables[:1])
    assert single
    exact = float(fisher_exact(10 * tables[0]).pvalue)
    assert single.pvalue == pytest.approx(exact, rel=0.2, abs=0.01)


def test_the_variance_is_that_of_simulated_tables() -> None:
    """Robins, Breslow and Greenland: the spread of the log odds ratio; 99% of intervals hold the truth."""
    found = [each for seed in range(600) if (each := mantel_haenszel(draw(0.7, seed), confidence=0.99))]
    held = sum(each.low <= 0.7 <= each.high for each in found)
    assert held / len(found) > 0.975
    widths = [np.log(each.high / each.low) / (2 * norm.ppf(0.995)) for each in found]
    errors = [np.log(each.ratio / 0.7) for each in found]
    ratio = np.sqrt(np.mean(np.square(errors)) / np.mean(np.square(widths)))
    assert ratio == pytest.approx(1, abs=0.1)


def test_tables_that_show_nothing() -> None:
    assert mantel_haenszel(np.array([[[5, 0], [9, 0]], [[0, 0], [3, 4]]])) is None
    assert balanced_odds_ratio([np.array([[[5, 0], [9, 0]]])]) is None
    assert balanced_odds_ratio([]) is None


@pytest.mark.parametrize("tables", [[[[5, 0], [4, 3]]], [[[40, 0], [30, 10]], [[9, 0], [5, 4]]]])
def test_ratios_without_a_variance(tables: list[list[list[int]]]) -> None:
    """All exposed are correct, or none: the interval has one end, which excludes 1 if p is small."""
    infinite = mantel_haenszel(np.array(tables))
    zero = mantel_haenszel(np.array(tables)[:, :, ::-1])  # correct and wrong exchanged
    assert infinite
    assert zero
    assert (infinite.ratio, infinite.high) == (np.inf, np.inf)
    assert (zero.ratio, zero.low) == (0, 0)
    assert zero.high == pytest.approx(1 / infinite.low)
    assert infinite.pvalue == pytest.approx(zero.pvalue)
    assert (infinite.low > 1) == (infinite.pvalue <= 0.01)


def groups(ratio: float, preference: float, seed: int, count: int = 40) -> list[Tables]:
    """Groups of three classes of a reader who guesses, with a shift of preference among the exposed."""
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        named = chance.dirichlet(np.ones(3) * 4)
        shifted = (1 - preference) * named + preference * np.array([1.0, 0.0, 0.0])
        odds = shifted / (1 - shifted) * ratio
        rates = np.stack([odds / (1 + odds), named], axis=1)
        sizes = np.array([[300, 3000]] * 3)
        correct = chance.binomial(sizes, rates)
        found.append(np.stack([correct, sizes - correct], axis=2))
    return found


def test_a_preference_among_the_exposed_cancels_and_memory_does_not() -> None:
    preferring = [found for seed in range(200) if (found := balanced_odds_ratio(groups(1.0, 0.3, seed)))]
    false = sum(found.pvalue <= 0.01 for found in preferring)
    assert false <= 8
    assert np.mean([found.ratio for found in preferring]) == pytest.approx(1, abs=0.01)
    remembering = [found for seed in range(50) if (found := balanced_odds_ratio(groups(0.85, 0.3, seed)))]
    assert all(found.pvalue < 0.01 for found in remembering)
    assert np.mean([found.ratio for found in remembering]) == pytest.approx(0.85, abs=0.02)
    assert all(found.low <= found.ratio <= found.high for found in remembering)


def test_chance_is_the_mean_and_variance_over_all_permutations() -> None:
    table = np.array([[2, 1, 0], [0, 1, 1], [1, 0, 1]])
    classes = [c for c, row in enumerate(table) for _ in range(row.sum())]
    answers = [a for a, column in enumerate(table.T) for _ in range(column.sum())]
    traces = [sum(c == a for c, a in zip(classes, dealt, strict=True)) for dealt in permutations(answers)]
    found = matches(table)
    assert found.correct == 4
    assert found.expected == pytest.approx(np.mean(traces))
    assert found.variance == pytest.approx(np.var(traces))
    assert matches(np.array([[1]])).variance == 0


def test_a_ratio_too_large_for_a_float_is_infinite() -> None:
    """A network that names one class of a group nearly always: a single other answer shifts the odds."""
    tables = np.array([[[60, 0], [10**6, 0]], [[1, 59], [1, 10**6 - 1]]])
    found = balanced_odds_ratio([tables])
    assert found
    assert (found.low, found.high) == (0, np.inf)
    assert 0 < found.pvalue < 1
