"""Scores of methods that are known, that ignore the network, and that fail."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from pconv.board.cases import Case
from pconv.board.metrics import METRICS
from pconv.board.registry import AttributionMethod, methods
from pconv.board.scoring import (
    MethodFailed,
    attribution_sizes,
    score_method,
    score_sizes,
    score_truth,
)

CHEATS = [name for name, method in methods().items() if method.cheat]
HONEST = [name for name, method in methods().items() if not method.cheat]


@pytest.mark.parametrize("name", HONEST)
def test_a_method_of_captum(case: Case, name: str) -> None:
    """It gives a value for each cell, the same for the same seed, and others for other weights."""
    sizes, again, twin = (
        attribution_sizes(methods()[name], case, network)
        for network in (case.network, case.network, case.twin)
    )
    assert np.array_equal(sizes, again)
    assert not np.array_equal(sizes, twin)


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_has_no_score_whatever_it_points_at(case: Case, name: str) -> None:
    scores = score_method(methods()[name], case)
    assert scores.score == 0
    assert scores.metrics["sanity"] == 0


def test_only_the_twin_unmasks_the_columns_of_m(case: Case) -> None:
    """The cheat guesses right where the network is the theory's, and beats an honest method by metrics."""
    cheat, honest = (score_method(methods()[name], case) for name in ("columns-of-m", "feature-ablation"))
    means = [sum(scores.metrics[name] for name in METRICS) / len(METRICS) for scores in (cheat, honest)]
    assert means[0] > means[1]
    assert cheat.score < honest.score


def test_the_truth_points_at_itself(case: Case) -> None:
    scores = score_truth(case)
    assert [scores.metrics[name] for name in ("pointing", "mass", "rank", "present", "absent")] == [1] * 5
    assert scores.score > 0.3


def test_present_and_absent_cells_are_ranked_apart(case: Case) -> None:
    """Attributions that are the exponents themselves: zero wherever a factor is absent."""
    sizes = case.grids.astype(float)
    scores = score_sizes(sizes, np.ones_like(sizes), case)
    assert scores.metrics["present"] > 0.8
    assert scores.metrics["absent"] < 0.5


def test_sanity_is_the_share_that_moves(case: Case) -> None:
    here, there = np.zeros((2, *case.grids.shape))
    here[:, 0, 0] = 2
    there[:, 0, 0], there[:, 1, 1] = 1, 3
    assert score_sizes(here, there, case).metrics["sanity"] == pytest.approx(0.75)


def fails(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    raise RuntimeError("no\nluck")


def holes(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    return torch.where(grids == 0, torch.nan, grids)


def flat(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    return grids.flatten(1)


def text(network: nn.Module, grids: Tensor, target: Tensor) -> str:
    return "the second row"


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        (fails, r"^RuntimeError: no luck$"),
        (holes, r"^returned values that are not finite$"),
        (flat, r"^returned values of shape \(8, 18\) instead of \(8, 3, 6\)$"),
        (text, r"^TypeError: "),
    ],
)
def test_a_method_that_fails(case: Case, attribute: Callable[..., Tensor], message: str) -> None:
    with pytest.raises(MethodFailed, match=message):
        score_method(AttributionMethod("own", attribute), case)


def test_a_method_gets_copies(case: Case) -> None:
    """What it does to the network or to the grids does not reach the next method."""

    def spoils(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
        for weights in network.parameters():
            weights.data.zero_()
        grids.zero_()
        target.zero_()
        return torch.ones_like(grids)

    before = score_truth(case)
    score_method(AttributionMethod("spoils", spoils), case)
    assert score_truth(case) == before
    assert any(bool(weights.any()) for weights in case.network.parameters())
