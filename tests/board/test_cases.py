"""The windows of a network, and its twin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from pconv.board import cases
from pconv.board.cases import Case, prepare
from pconv.board.entries import Entry
from pconv.board.truth import Answers, Truth, find_truth
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.models.registry import network_of
from pconv.models.weights import Model
from pconv.probes.reader import Grids, SignatureReader
from pconv.probes.target import fresh_numbers


def test_the_twin_has_the_weights_that_another_run_starts_with(case: Case) -> None:
    config = replace(case.entry.model.config, seed=case.entry.seed + 1_000_003)
    wanted = network_of(config).state_dict()
    found = case.twin.state_dict()
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)
    assert not case.twin.training


def test_numbers_are_searched_until_enough_are_usable(
    networks: list[Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same windows as those of a search of all numbers at once, every fourth of which cannot be used."""
    asked: list[int] = []

    def spoiled(config: RunConfig, answers: Answers, grids: Grids, reader: SignatureReader) -> Truth:
        truth = find_truth(config, answers, grids, reader)
        truth.deciding[(sum(asked) + np.arange(len(grids))) % 4 == 0] = False
        asked.append(len(grids))
        return truth

    monkeypatch.setattr(cases, "find_truth", spoiled)
    found = prepare(networks[0], 8)
    assert found is not None
    numbers = fresh_numbers(networks[0].model.config, 100, networks[0].seed)
    assert found.numbers.tolist() == [n for i, n in enumerate(numbers.tolist()) if i % 4][:8]
    assert found.searched == sum(asked) == 11
    assert found.to_dict()["searched"] == 11


def test_a_domain_with_too_few_numbers(networks: list[Entry]) -> None:
    model = networks[0].model
    few = Model(replace(model.config, limit=2_000), model.network, compiled=True)
    with pytest.raises(InputError, match=r"windows 1000: seven has only 1,\d\d\d numbers not trained on"):
        prepare(replace(networks[0], model=few), 1_000)
