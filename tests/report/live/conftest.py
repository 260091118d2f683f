"""Live networks that tests share: the shipped one with its twins, and small ones with other shapes."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from pconv.config import RunConfig
from pconv.models.registry import network_of
from pconv.models.weights import Model
from pconv.report.live.embed import embed_network
from pconv.report.live.network import LiveEpoch, LiveNetwork, live_document
from pconv.report.live.shipped import shipped_network
from pconv.report.live.twins import with_twins
from pconv.report.page.build import write_page

SMALL: dict[str, Any] = {"limit": 3_000, "batches": 2, "test_size": 200, "epochs": 5}
"""A domain whose census takes no time."""


@pytest.fixture(scope="session")
def shipped() -> list[LiveNetwork]:
    """The network that ships with pconv, its compiled twin, and its twin with random weights."""
    return with_twins([shipped_network()])


@pytest.fixture(scope="session")
def small() -> list[LiveNetwork]:
    """Networks that were never trained: two convolutions and negative offsets, an MLP, another task."""
    configs = [
        RunConfig(modulus=12, offsets=(-2, -1, 0, 3), primes=6, channels=(3, 5), kernel=(5, 3), **SMALL),
        RunConfig(modulus=4, offsets=(0, 1, 2), primes=5, architecture="mlp", **SMALL),
        RunConfig(modulus=11, primes=6, task="quadratic", **SMALL),
    ]
    return [embed_network(untrained(config), f"m{config.modulus}") for config in configs]


@pytest.fixture(scope="session")
def live_file(shipped: list[LiveNetwork], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page with the shipped network."""
    path = tmp_path_factory.mktemp("live") / "live.html"
    write_page(path, live=live_document(shipped))
    return path


def untrained(config: RunConfig, epoch: int = 3) -> Model:
    """A network as if trained for some epochs."""
    network = network_of(config)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(1 + epoch / 10)
    return Model(config, network.eval(), epoch)


def torch_network(network: LiveNetwork, epoch: LiveEpoch | None = None) -> nn.Module:
    """The torch module with the weights that a page has as text."""
    epoch = epoch or network.epochs[network.chosen]
    module = network_of(network.config)
    data = base64.b64decode(epoch.weights)
    shapes = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    flat = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), dtype=np.float32)
    if epoch.form == "sparse":
        half = len(data) // 2
        flat[np.frombuffer(data[:half], "<u4")] = np.frombuffer(data[half:], "<f4")
    else:
        flat[:] = np.frombuffer(data, "<f2" if epoch.form == "half" else "<f4")
    state, at = {}, 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        state[name] = torch.from_numpy(flat[at : at + size].reshape(shape).copy())
        at += size
    module.load_state_dict(state)
    return module.eval()
