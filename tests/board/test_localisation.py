"""Pointing, mass and rank by hand, and the rank against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from pconv.board.localisation import localisation


def test_by_hand() -> None:
    deciding = np.array([[[True, True, False, False, False]]])
    irrelevant = np.array([[[False, False, True, True, False]]])
    sizes = np.array([[[3.0, 0.0, 3.0, 1.0, 9.0]]])  # the last cell is left out
    found = {name: float(values[0]) for name, values in localisation(sizes, deciding, irrelevant).items()}
    assert found == {"pointing": 0.5, "mass": 3 / 7, "rank": 1.5 / 4}


def test_attributions_of_zero_score_as_chance() -> None:
    deciding = np.array([[[True, False, False, False]]])
    found = localisation(np.zeros((1, 1, 4)), deciding, ~deciding)
    assert {name: float(values[0]) for name, values in found.items()} == {
        "pointing": 0.25,
        "mass": 0.25,
        "rank": 0.5,
    }


def test_the_rank_is_the_area_under_the_curve() -> None:
    generator = np.random.default_rng(0)
    sizes = generator.integers(0, 5, (20, 3, 4)).astype(float)  # with ties
    kinds = generator.integers(0, 3, sizes.shape)
    kinds[:, 0, 0], kinds[:, 0, 1] = 0, 1
    found = localisation(sizes, kinds == 0, kinds == 1)["rank"]
    for value, size, kind in zip(found, sizes, kinds, strict=True):
        scored = kind < 2
        assert value == pytest.approx(roc_auc_score(kind[scored] == 0, size[scored]))
