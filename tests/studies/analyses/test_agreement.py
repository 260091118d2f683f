"""Agreement with the paper over the cells that can differ."""

from __future__ import annotations

import numpy as np
import pytest

from pconv.config import RunConfig
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.agreement import Compared, agreement, compared
from pconv.studies.paper import MAIN_TABLES, printed
from tests.studies.analyses.fake_runs import validated


def drawn(shift: float, preset: str, seed: int = 0) -> list[JudgedRun]:
    """Runs of the cells of the main tables at B=8, drawn at the paper's accuracy plus a shift."""
    chance = np.random.default_rng(seed)
    runs = []
    for figure in (f for table in MAIN_TABLES for f in printed(table, preset)):
        if figure.config.rows != 9 or figure.accuracy is None:
            continue
        rate = min(1.0, figure.accuracy + shift) if figure.accuracy < 0.99 else 1.0
        runs.append(validated(figure.config, int(chance.binomial(512, rate))))
    return runs


def test_the_same_accuracies_agree_and_shifted_ones_do_not() -> None:
    same = compared(drawn(0, "quick"), MAIN_TABLES, "quick")
    assert (len(same.cells), len(same.informative)) == (29, 10)
    assert same.pvalue > 0.01
    other = compared(drawn(0.08, "quick"), MAIN_TABLES, "quick")
    assert other.pvalue < 1e-6
    assert other.higher >= 9


def test_the_sum_of_squares_is_a_chi_square_when_nothing_differs() -> None:
    """With the paper's figure drawn as well, p-values are evenly spread."""
    chance = np.random.default_rng(5)
    pvalues = []
    for _ in range(300):
        rates = chance.uniform(0.3, 0.95, 10)
        pairs = chance.binomial(512, rates, (2, 10)) / 512
        z = [Compared(RunConfig(modulus=2), ours, paper).z for ours, paper in pairs.T]
        pvalues.append(sum(each**2 for each in z))
    assert np.mean(pvalues) == pytest.approx(10, abs=0.8)


def test_equal_shares_do_not_differ() -> None:
    assert [Compared(RunConfig(modulus=2), share, share).z for share in (0, 0.5, 1)] == [0, 0, 0]
    assert Compared(RunConfig(modulus=2), 0.6, 0.5).z > 3


def test_the_sentence_counts_what_could_differ_first() -> None:
    runs = [*drawn(0.08, "quick"), *drawn(0, "paper")]
    answer = agreement(runs)
    assert answer.sentence.startswith("Preset paper: of 29 cells of the main tables 10 can show a difference")
    assert "Over these they differ from the paper" in answer.sentence
    assert "Over these no difference from the paper is found" in answer.sentence
    assert "On the cells that were run at both presets: preset paper" in answer.sentence
    titles = [row[:2] for row in answer.rows]
    assert ("paper", "main tables, cells run at both presets") in titles
    assert "N=32 differs from the paper's figures" in answer.headline
    assert agreement([]).sentence == NOT_RUN


def test_presets_without_a_shared_cell_that_can_differ_are_not_compared() -> None:
    """A sum over no cells has no p-value."""
    quick = [run for run in drawn(0.08, "quick") if run.config.modulus % 2 == 0]
    paper = [run for run in drawn(0.08, "paper") if run.config.modulus % 2 == 1]
    headline = agreement([*quick, *paper]).headline
    assert "N=5,000" in headline
    assert "N=32" in headline
    assert "on the cells run at both sizes" not in headline
    assert "on the cells run at both sizes" in agreement([*drawn(0, "quick"), *drawn(0, "paper")]).headline
