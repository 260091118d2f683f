"""Deletion and insertion against a loop over cells."""

from __future__ import annotations

import numpy as np

from pconv._arrays import IntArray
from pconv.board.cases import Case
from pconv.board.perturbation import Exchange, exchange
from pconv.probes.reader import Grids


def plain_scores(trial: Exchange, sizes: np.ndarray, window: int) -> tuple[float, float]:
    grid, donor = trial.grids[window], trial.grids[trial.donors[window]]
    flat = sizes[window].ravel()
    order = sorted(range(len(flat)), key=lambda cell: (-flat[cell], trial.ties[window][cell]))
    group = trial.labels[trial.answers(grid[None])[0]]
    left = reached = 0
    deleted, inserted = grid.copy(), donor.copy()
    for cell in order[:-1]:
        at = np.unravel_index(cell, grid.shape)
        deleted[at], inserted[at] = donor[at], grid[at]
        left += trial.labels[trial.answers(deleted[None])[0]] != group
        reached += trial.labels[trial.answers(inserted[None])[0]] == group
    return left / (len(order) - 1), reached / (len(order) - 1)


def test_cells_are_exchanged_in_the_order_of_their_sizes(case: Case) -> None:
    sizes = np.random.default_rng(1).integers(0, 4, case.grids.shape).astype(float)  # with ties
    found = case.exchange.scores(sizes)
    wanted = [plain_scores(case.exchange, sizes, window) for window in range(len(sizes))]
    np.testing.assert_allclose(found["deletion"], [deletion for deletion, _ in wanted])
    np.testing.assert_allclose(found["insertion"], [insertion for _, insertion in wanted])


def test_donors_are_of_another_group(case: Case) -> None:
    trial = case.exchange
    groups = trial.labels[trial.answers(trial.grids)]
    assert (groups[trial.donors] != groups).all()


def test_without_a_donor_nothing_is_measured(case: Case) -> None:
    def constant(grids: Grids) -> IntArray:
        return np.zeros(len(grids), dtype=np.int64)

    trial = exchange(constant, case.reader.labels, case.grids, np.random.default_rng(0))
    assert np.isnan(trial.scores(np.ones(case.grids.shape))["deletion"]).all()


def test_the_truth_first_is_better_than_the_truth_last(case: Case) -> None:
    first = case.exchange.scores(case.truth.deciding.astype(float))
    last = case.exchange.scores(case.truth.irrelevant.astype(float))
    assert first["deletion"].mean() > last["deletion"].mean()
    assert first["insertion"].mean() > last["insertion"].mean()
