from __future__ import annotations

import numpy as np
import pytest
import torch

from pconv.certification.certify import certify
from pconv.certification.exact import ExactNetwork
from pconv.certification.layers import Layer, Layers
from pconv.compiler.network import compile_network
from tests.certification.networks import noisy_model, without_onednn
from tests.certification.test_exact import draws


def test_convolutions_are_sums_of_products_without_onednn() -> None:
    """torch gives batches of 16 and more to NNPACK then, whose transforms make 0.00001 of some sums of 0."""
    grids = torch.from_numpy(np.random.default_rng(0).integers(0, 5, (32, 1, 9, 32)).astype(np.float32))
    kernels = torch.arange(4 * 49, dtype=torch.float32).reshape(4, 1, 7, 7) % 40
    layer = Layer(kernels, torch.zeros(4))
    exact = layer.double().apply(grids.double())
    with without_onednn():
        assert (layer.apply(grids).double() == exact).all()


def test_a_certificate_is_the_same_without_onednn() -> None:
    certificate = certify(noisy_model(), width=1.0, budget=300)
    with without_onednn():
        other = certify(noisy_model(), width=1.0, budget=300)
    assert certificate == other
    assert certificate.unsure_grids == 0


@pytest.mark.parametrize("place", range(5))
def test_whole_weights_whose_outputs_are_not_whole_are_not_exact(
    monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """No sum of products gives a fraction: it was computed in another way, about which nothing is proved."""
    model = compile_network(4, range(3), primes=8)
    layers = Layers.of(model)
    disturbed = [*layers.convolutions, *layers.linear][place]
    grids = torch.from_numpy(draws(model, 20)[0])
    assert ExactNetwork(layers).evaluate(grids).exact.all()
    plain = Layer.apply

    def apply(self: Layer, x: torch.Tensor, bias: float = 1.0) -> torch.Tensor:
        return plain(self, x, bias) + (0.25 if self is disturbed else 0.0)

    monkeypatch.setattr(Layer, "apply", apply)
    assert not ExactNetwork(layers).evaluate(grids).exact.any()
