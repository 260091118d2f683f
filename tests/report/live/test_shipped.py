"""The network that ships with pconv: its size, and that its recorded figures are its own."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
import torch

from pconv.data.domain import split, unseen
from pconv.data.grid import prime_grid
from pconv.engines.census import confusion_matrix
from pconv.models.weights import Model
from pconv.report.live.network import LiveNetwork
from pconv.report.live.shipped import FILE, shipped_network, write_shipped
from tests.report.live.conftest import torch_network, untrained
from tests.report.live.test_embed import CONFIG, nearly_tied


def test_it_is_small() -> None:
    assert Path(str(files("pconv.report.live") / FILE)).stat().st_size < 2_000_000


def test_the_recorded_answers_are_those_of_the_weights(shipped: list[LiveNetwork]) -> None:
    """The test numbers after the first and the chosen epoch, and the errors of the census.

    In double precision: the two largest logits of 231672 differ by 4e-7, and which is larger in single
    precision depends on the processor.
    """
    network = shipped_network()
    config, numbers = network.config, split(network.config).test
    grids = torch.from_numpy(prime_grid(numbers, config.offsets, config.primes).dense()).double()
    for epoch in (network.epochs[0], network.epochs[network.chosen]):
        with torch.no_grad():
            answers = torch_network(network, epoch).double()(grids).argmax(dim=1).numpy()
        assert confusion_matrix(numbers % 11, answers, 11).tolist() == [
            list(row) for row in epoch.answers.confusion
        ]
    census = network.census
    assert census is not None
    assert census.scope == f"all {len(unseen(config, split(config))):,} unseen numbers"
    wrong = [*census.outside.examples, *census.inside.examples]
    asked = prime_grid(wrong, config.offsets, config.primes).dense()
    with torch.no_grad():
        answers = torch_network(network).double()(torch.from_numpy(asked).double()).argmax(dim=1).tolist()
    mixed = [{n % 11, answer} == {1, 2} for n, answer in zip(wrong, answers, strict=True)]
    assert mixed == [False] * len(census.outside.examples) + [True] * len(census.inside.examples)
    assert all(n % 11 != answer for n, answer in zip(wrong, answers, strict=True))
    assert census.answers.accuracy == pytest.approx(0.9099, abs=5e-5)
    assert (census.inside.count, census.outside.count) == (66_491, 976)
    assert shipped[0].epochs[1:] == network.epochs


def test_a_file_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshots: list[Model] = [untrained(CONFIG, 1)]
    census, changed = write_shipped(tmp_path / FILE, nearly_tied(untrained(CONFIG, 4)), snapshots)
    assert changed == census.answers.size
    monkeypatch.setattr("pconv.report.live.shipped.files", lambda package: tmp_path)
    network = shipped_network()
    assert ([epoch.epoch for epoch in network.epochs], network.chosen) == ([1, 4], 1)
    assert network.census == census
    kept = torch_network(network).state_dict()["linear.fc1.weight"]
    assert torch.equal(kept, untrained(CONFIG, 4).network.state_dict()["linear.fc1.weight"].half().float())
