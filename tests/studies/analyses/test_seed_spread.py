"""Differences from the paper with the spread of seeds: a common direction, and the range of our seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pconv.config import RunConfig
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.seed_spread import SeededCell, seed_spread, seeded_cells
from pconv.studies.paper import MAIN_TABLES, printed
from tests.studies.analyses.fake_runs import validated


def drawn(change: Callable[[], float], preset: str, seeds: int = 1) -> list[JudgedRun]:
    """Runs of the cells of the main tables whose printed figure is below 0.99: that figure plus a change."""
    runs = []
    for figure in (f for table in MAIN_TABLES for f in printed(table, preset)):
        if figure.accuracy is None or figure.accuracy >= 0.99:
            continue
        for seed in range(seeds):
            right = round(512 * min(1.0, figure.accuracy + change()))
            runs.append(validated(replace(figure.config, seed=seed), right))
    return runs


def test_seeds_that_scatter_both_ways_are_no_difference_and_a_shift_is_one() -> None:
    """The scatter is far more than that of 512 numbers, and the shift less than the scatter."""
    chance = np.random.default_rng(0)
    scattered = drawn(lambda: float(chance.normal(0, 0.04)), "paper")
    shifted = drawn(lambda: float(chance.normal(0.03, 0.04)), "quick")
    answer = seed_spread([*scattered, *shifted])
    assert "N=5,000 is not seen to differ from the paper in one direction" in answer.sentence
    assert "N=32 differs from the paper in one direction (+" in answer.sentence
    assert answer.headline.startswith(
        "With what seeds change counted as chance: N=5,000 is not seen to differ"
    )
    assert (answer.header, answer.rows) == ((), ())


def test_the_test_rejects_as_often_as_its_level() -> None:
    chance = np.random.default_rng(1)
    cells = len(drawn(lambda: 0.0, "quick"))
    rejected = 0
    for _ in range(200):
        changes = iter(chance.normal(0, 0.03, cells))
        runs = drawn(lambda changes=changes: float(next(changes)), "quick")  # type: ignore[misc]
        rejected += "N=32 differs" in seed_spread(runs).sentence
    assert rejected <= 7, "1% of 200, and at most 7 with probability 0.999"


def test_all_seeds_of_a_cell_count_once() -> None:
    runs = drawn(lambda: 0.0, "quick", seeds=3)
    [first, *_] = seeded_cells(runs, "quick")
    assert len(first.ours) == 3
    answer = seed_spread(runs)
    cells = len(runs) // 3
    assert len(answer.rows) == cells
    assert f"over {cells} cells that can differ" in answer.sentence
    assert (
        f"Its {cells} cells with several seeds: the paper's figure is in the range of ours in {cells}; if "
        in (answer.sentence)
    )
    assert f"at least in about {cells / 2:.1f}." in answer.sentence


@pytest.mark.parametrize(
    ("ours", "paper", "inside"),
    [
        ((0.80, 0.90), 0.85, True),
        ((0.80, 0.90), 0.79, False),
        ((0.804, 0.90), 0.80, True),  # the paper's figure is rounded
        ((0.80, 0.896), 0.90, True),
        ((0.80, 0.894), 0.90, False),
    ],
)
def test_the_range_of_ours(ours: tuple[float, ...], paper: float, inside: bool) -> None:
    cell = SeededCell(RunConfig(modulus=2), ours, paper)
    assert cell.inside is inside
    assert cell.difference == pytest.approx(sum(ours) / 2 - paper)


def test_one_more_seed_is_inside_as_often_as_is_claimed() -> None:
    chance = np.random.default_rng(2)
    seeds = chance.normal(0.5, 0.1, (4_000, 4)).round(2) + 1e-6  # the last is the paper's
    cells = [SeededCell(RunConfig(modulus=2), tuple(row[:3]), round(row[3], 2)) for row in seeds]
    expected = cells[0].chance_inside
    assert expected == pytest.approx(0.5)
    assert np.mean([cell.inside for cell in cells]) == pytest.approx(expected, abs=0.06)


def test_nothing_and_one_cell() -> None:
    assert seed_spread([]).sentence == NOT_RUN
    [one, *_] = drawn(lambda: 0.1, "paper")
    assert "N=5,000 is +" in seed_spread([one]).sentence, "no interval"
