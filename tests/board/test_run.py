"""The ranking: honest methods above cheats, and failures that cost the others nothing."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from pconv.board.entries import Entry
from pconv.board.registry import AttributionMethod, chosen_methods
from pconv.board.run import run_board
from pconv.board.table import Board
from pconv.errors import InputError, PconvError
from pconv.models.weights import Model
from pconv.probes.target import randomised

CHEATS = ["large-exponents", "columns-of-m"]


def broken_later(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    """Fails on grids of two rows, which are those of the second network."""
    if grids.shape[1] == 2:
        raise ValueError("too few rows")
    return grids


@pytest.fixture(scope="module")
def board(networks: list[Entry]) -> Board:
    methods = chosen_methods(["saliency", "feature-ablation", "occlusion", *CHEATS])
    return run_board([*methods, AttributionMethod("broken", broken_later)], networks, windows=8)


def test_cheats_rank_below_honest_methods(board: Board) -> None:
    assert {row.name for row in board.rows[:-2]} == {"saliency", "feature-ablation", "occlusion"}
    assert {row.name for row in board.rows[-2:]} == set(CHEATS)
    best, cheat = board.rows[0].score, board.rows[-1].score
    assert best.low is not None
    assert best.low > 0
    assert cheat == (0, 0, 0)


def test_a_failure_is_named_and_the_others_are_complete(board: Board) -> None:
    assert board.failed == {"broken": "ValueError: too few rows (network nine)"}
    assert {len(row.scores) for row in board.rows} == {4}


def test_the_document_has_what_other_programs_rely_on(board: Board) -> None:
    document = json.loads(json.dumps(board.to_dict()))
    assert document["kind"] == "pconv board 1"
    for row in (*document["methods"], document["reference"]):
        for name in ("pointing", "mass", "rank", "deletion", "insertion", "sanity", "present", "absent"):
            low, high = row["intervals"][name]
            assert 0 <= low <= row[name] <= high <= 1
        assert row["low"] <= row["score"] <= row["high"]
        assert row["networks"] == 4
        assert len(row["scores"]) == 4
        assert sum(row["scores"]) / 4 == pytest.approx(row["score"], abs=1e-6)
    scores = [row["score"] for row in document["methods"]]
    assert scores == sorted(scores, reverse=True)
    assert [one["name"] for one in document["networks"]] == ["seven", "seven", "nine", "nine"]
    assert document["failed"] == [{"name": "broken", "reason": board.failed["broken"]}]


def test_the_same_seeds_give_the_same_board(board: Board, networks: list[Entry]) -> None:
    again = run_board(chosen_methods(["saliency"]), networks, windows=8)
    assert again.rows[0].to_dict() == board.rows[0].to_dict()
    assert again.to_dict()["networks"] == board.to_dict()["networks"]


def test_progress_counts_up_to_the_end(networks: list[Entry]) -> None:
    seen: list[tuple[int, int]] = []
    run_board(chosen_methods(CHEATS), networks[:2], 4, lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (4, 4)
    assert seen[0] == (0, 4), "while the first network is searched"
    assert not any(entry.model.network._forward_hooks for entry in networks)


def test_networks_in_which_nothing_decides(networks: list[Entry]) -> None:
    constant = randomised(networks[0].model.network, 0)
    for weights in constant.parameters():
        weights.data.zero_()
    idle = replace(networks[0], name="idle", model=Model(networks[0].model.config, constant))
    board = run_board(chosen_methods(CHEATS), [idle, networks[0]], windows=4)
    assert [entry.name for entry in board.skipped] == ["idle"]
    assert board.to_dict()["skipped"] == [{"name": "idle", "seed": 0}]
    assert board.rows[0].score.low is None, "one seed has no interval"
    with pytest.raises(InputError, match="have no window in which a cell decides"):
        run_board(chosen_methods(CHEATS), [idle], windows=4)
    with pytest.raises(InputError, match="windows 0: must be from 1 to 1000"):
        run_board(chosen_methods(CHEATS), networks, windows=0)


def test_a_network_that_has_diverged(networks: list[Entry]) -> None:
    spoiled = randomised(networks[0].model.network, 0)
    with torch.no_grad():
        next(iter(spoiled.parameters())).fill_(3e38)
    entry = replace(networks[0], model=Model(networks[0].model.config, spoiled))
    with pytest.raises(PconvError, match="seven: the network's answers are not finite"):
        run_board(chosen_methods(CHEATS), [entry], windows=4)
