"""Every architecture under one contract: logits from a grid, weights from the seed, a run that learns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from pconv.config import RunConfig
from pconv.data.examples import encode
from pconv.engines.dense import DenseEngine
from pconv.errors import InputError
from pconv.models import registry
from pconv.models.pconv import PrimeConvNet
from pconv.models.registry import Architecture, architectures, network_of
from pconv.sweeps.run import train

NAMES = ["pconv", "pconv-nobias", "mlp", "transformer"]


def test_those_that_ship() -> None:
    assert list(architectures())[: len(NAMES)] == NAMES
    with pytest.raises(InputError, match=f"architecture lstm: must be one of: {', '.join(NAMES)}"):
        network_of(RunConfig(modulus=3, architecture="lstm"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("rows", "columns"), [(9, 32), (2, 5)])
def test_logits_from_grids(name: str, rows: int, columns: int) -> None:
    config = RunConfig(modulus=6, offsets=tuple(range(rows)), primes=columns, architecture=name)
    logits = network_of(config)(torch.from_numpy(encode(config, [5, 6, 7]).dense()))
    assert logits.shape == (3, 6)
    assert not torch.allclose(logits[0], logits[1])


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_the_seed_s(name: str) -> None:
    config = RunConfig(modulus=6, architecture=name)
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    one, two = network_of(config).state_dict(), network_of(config).state_dict()
    assert torch.equal(torch.random.get_rng_state(), before), "the world's random numbers are left alone"
    assert all(torch.equal(one[key], two[key]) for key in one)
    other = network_of(RunConfig(modulus=6, architecture=name, seed=1)).state_dict()
    assert not all(torch.equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize("name", ["pconv", "pconv-nobias"])
def test_pconv_is_the_network_of_the_engines(name: str) -> None:
    config = RunConfig(modulus=6, channels=(4, 5), kernel=(7, 3), architecture=name)
    one, two = network_of(config).state_dict(), PrimeConvNet.of(config).state_dict()
    assert list(one) == list(two)
    assert all(torch.equal(one[key], two[key]) for key in one)


def test_without_bias_the_convolutions_answer_an_empty_grid_with_zeros() -> None:
    config = RunConfig(modulus=6, channels=(4, 5), kernel=(7, 3), architecture="pconv-nobias")
    network = PrimeConvNet.of(config)
    assert not network.convolution(torch.zeros(1, 1, config.rows, config.primes)).any()
    biases = [name for name in network.state_dict() if name.endswith("bias")]
    assert biases == [f"linear.fc{i}.bias" for i in range(1, 5)]


@pytest.mark.parametrize("name", ["mlp", "transformer"])
def test_a_row_s_place_and_its_primes_are_seen(name: str) -> None:
    """A transformer without positions could not tell a window from the same rows in another order."""
    config = RunConfig(modulus=6, architecture=name)
    grid = torch.from_numpy(encode(config, [5]).dense())
    network = network_of(config)
    assert not torch.allclose(network(grid), network(grid.flip(1)), atol=1e-4)
    assert not torch.allclose(network(grid), network(grid.flip(2)), atol=1e-4)


@pytest.mark.parametrize(
    ("name", "representation", "accuracy"),
    [("mlp", "exponents", 0.95), ("transformer", "capped", 0.95), ("mlp", "residues", 0.95)],
)
def test_it_learns_at_all(name: str, representation: str, accuracy: float) -> None:
    small: dict[str, Any] = {"batches": 120, "batch_size": 64, "epochs": 4, "test_size": 500}
    config = RunConfig(
        modulus=3, offsets=(0, 1, 2), primes=4, architecture=name, representation=representation, **small
    )
    result = train(config, threads=1, census=False)
    assert result.environment.engine == "dense"
    assert result.test.accuracy >= accuracy
    assert train(config, threads=1, census=False).losses == result.losses, "twice the same bits"


class Dropping(nn.Module):
    """Knows whether it is being trained."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(9 * 32, 3)
        self.seen: list[bool] = []

    def forward(self, grid: torch.Tensor) -> torch.Tensor:
        self.seen.append(self.training)
        logits: torch.Tensor = self.linear(grid.flatten(1))
        return logits


def test_a_network_is_told_when_it_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    _known(monkeypatch, lambda *_: Dropping())
    config = RunConfig(modulus=3, architecture="mine")
    engine = DenseEngine(config)
    grid = encode(config, [5, 6])
    assert isinstance(engine.network, Dropping)
    engine.network.seen.clear()
    engine.step(grid, np.array([2, 0]))
    engine.logits(grid)
    engine.step(grid, np.array([2, 0]))
    assert engine.network.seen == [True, False, True]


@pytest.mark.parametrize(
    ("build", "match"),
    [
        (lambda *_: "a network", "must build a torch module"),
        (lambda *_: nn.Flatten(), r"gives logits of shape \(2, 288\), must be \(2, 3\)"),
    ],
)
def test_a_builder_that_gives_something_else(monkeypatch: pytest.MonkeyPatch, build: Any, match: str) -> None:
    _known(monkeypatch, build)
    with pytest.raises(InputError, match=match):
        network_of(RunConfig(modulus=3, architecture="mine"))


def _known(monkeypatch: pytest.MonkeyPatch, build: Any) -> None:
    """For this test alone."""
    monkeypatch.setitem(registry._architectures._found, "mine", Architecture("mine", "a test's", build))
