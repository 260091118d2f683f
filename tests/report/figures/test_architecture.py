"""The figure of the network against the network."""

from __future__ import annotations

import pytest
import torch

from pconv.config import RunConfig
from pconv.models.pconv import PrimeConvNet
from pconv.report.figures.architecture import architecture_figure


@pytest.mark.parametrize("channels", [(4,), (8, 16)])
def test_architecture_is_that_of_the_network(channels: tuple[int, ...]) -> None:
    config = RunConfig(modulus=13, channels=channels, kernel=(5,), primes=21)
    network = PrimeConvNet.of(config)
    shapes: list[tuple[int, ...]] = []
    weights: list[int] = []
    for name, module in network.named_modules():
        if name.rpartition(".")[2].startswith(("conv", "pool", "flatten", "fc")) and name != "convolution":
            weights.append(sum(p.numel() for p in module.parameters()))
            module.register_forward_hook(lambda _m, _i, out: shapes.append(tuple(out.shape[1:])))
    network(torch.zeros(1, config.rows, config.primes))
    layers = architecture_figure(config).layers[1:]
    assert [layer.shape for layer in layers] == shapes
    assert [layer.weights for layer in layers] == weights
