"""Small networks with seeded weights, whose answers vary."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
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


def noisy_model() -> Model:
    """A network of whole weights that answers 1 if a sum of products, of a few cells, is above 0.00001: so
    much is made of 0 by transforms, such as those of NNPACK."""
    config = RunConfig(modulus=2, offsets=tuple(range(8)), primes=8, kernel=(7,), channels=(1,))
    model = random_model(config)
    kernel = torch.arange(1, 50).reshape(7, 7)
    ones = {"linear.fc1.weight": (0, 15), "linear.fc2.weight": (0, 0), "linear.fc3.weight": (0, 0)}
    with torch.no_grad():
        for parameter in model.network.parameters():
            parameter.zero_()
        model.network.get_parameter("convolution.conv1.weight")[0, 0] = kernel**2 % 41 + 1
        for name, place in ones.items():
            model.network.get_parameter(name)[place] = 1
        model.network.get_parameter("linear.fc1.weight")[0, 15] = 1e5
        model.network.get_parameter("linear.fc4.weight")[1, 0] = 1
        model.network.get_parameter("linear.fc4.bias")[0] = 1
    return model


@contextmanager
def without_onednn() -> Iterator[None]:
    """As on machines that have no oneDNN."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the flags of oneDNN include one that some versions of torch lack
        with torch.backends.mkldnn.flags(enabled=False):
            yield


def saved(path: Path, config: RunConfig = SMALL, **settings: Any) -> Path:
    """A weights file of such a network."""
    save_weights(path, random_model(config, **settings).network.state_dict(), config, 1)
    return path
