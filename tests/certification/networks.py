"""Small networks with seeded weights, whose answers vary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from pconv.config import RunConfig
from pconv.models.registry import network_of
from pconv.models.weights import Model, save_weights

SMALL = RunConfig(modulus=6, offsets=(0, 1, 3), primes=3, kernel=(3,), seed=3)


def random_model(config: RunConfig = SMALL, scale: float = 2.0) -> Model:
    """The run's first weights, enlarged: answers then depend on the grid."""
    network = network_of(config).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(scale)
    return Model(config, network, 1)


def saved(path: Path, config: RunConfig = SMALL, **settings: Any) -> Path:
    """A weights file of such a network."""
    save_weights(path, random_model(config, **settings).network.state_dict(), config, 1)
    return path
