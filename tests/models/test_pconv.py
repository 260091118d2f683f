"""The network's shape, and its answer against one computed by plain loops."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from pconv.config import RunConfig
from pconv.models import pconv
from pconv.models.pconv import Linear, PrimeConvNet

Array = NDArray[np.float64]


def leaky(x: Array) -> Array:
    return np.where(x > 0, x, 0.01 * x)


def convolved(maps: Array, weight: Array, bias: Array) -> Array:
    """One layer by its definition: padded by k // 2, then the largest of each 2x2 block."""
    k = weight.shape[-1]
    _, rows, columns = maps.shape
    padded = np.pad(maps, ((0, 0), (k // 2, k // 2), (k // 2, k // 2)))
    full = np.empty((len(weight), rows, columns))
    for c in range(len(weight)):
        for i in range(rows):
            for j in range(columns):
                full[c, i, j] = (padded[:, i : i + k, j : j + k] * weight[c]).sum() + bias[c]
    h, w = rows // 2, columns // 2
    pooled: Array = full[:, : 2 * h, : 2 * w].reshape(len(weight), h, 2, w, 2).max(axis=(2, 4))
    return pooled


@pytest.mark.parametrize(
    ("rows", "columns", "channels", "kernels"),
    [(9, 12, (4,), (7,)), (8, 7, (2,), (3,)), (9, 13, (2, 3), (5, 3)), (17, 16, (3, 2), (7, 7))],
)
def test_forward_against_plain_loops(
    rows: int, columns: int, channels: tuple[int, ...], kernels: tuple[int, ...]
) -> None:
    torch.manual_seed(0)
    net = PrimeConvNet(rows, columns, 5, channels, kernels).double()
    grid = np.random.default_rng(0).integers(0, 3, (2, rows, columns)).astype(np.float64)
    w = {name: tensor.numpy() for name, tensor in net.state_dict().items()}
    for window, answer in zip(grid, net(torch.from_numpy(grid)).detach().numpy(), strict=True):
        x = window[None]
        for layer in range(1, len(channels) + 1):
            x = convolved(x, w[f"convolution.conv{layer}.weight"], w[f"convolution.conv{layer}.bias"])
        x = leaky(x).ravel()
        for layer in range(1, 5):
            x = w[f"linear.fc{layer}.weight"] @ x + w[f"linear.fc{layer}.bias"]
            x = leaky(x) if layer < 4 else x
        assert np.allclose(x, answer, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("successors", "features"), [(8, 40_000), (16, 80_000), (24, 120_000)])
def test_the_papers_sizes(successors: int, features: int) -> None:
    with torch.device("meta"):
        net = PrimeConvNet(successors + 1, 5_000, 30)
    widths = [tuple(net.get_parameter(f"linear.fc{i}.weight").shape) for i in range(1, 5)]
    assert widths == [(1000, features), (100, 1000), (10, 100), (30, 10)]


def test_hooks_find_the_submodules() -> None:
    net = PrimeConvNet(9, 16, 3, (4, 8), (7, 3))
    seen: dict[str, tuple[int, ...]] = {}
    for name, module in net.named_modules():
        module.register_forward_hook(lambda _m, _i, out, name=name: seen.update({name: tuple(out.shape)}))
    net(torch.zeros(2, 9, 16))
    assert seen["convolution.conv1"] == (2, 4, 9, 16)
    assert seen["convolution.pool2"] == (2, 8, 2, 4)
    assert seen["flatten"] == (2, 64)
    assert seen["linear.fc4"] == (2, 3)


def test_first_weights_depend_on_the_seed_alone() -> None:
    state = torch.get_rng_state()
    one, two = PrimeConvNet.of(RunConfig(modulus=5)), PrimeConvNet.of(RunConfig(modulus=5))
    assert torch.equal(torch.get_rng_state(), state), "the caller's random numbers are left alone"
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    other = PrimeConvNet.of(RunConfig(modulus=5, seed=1))
    assert not torch.equal(one.linear.fc1.weight, other.linear.fc1.weight)  # type: ignore[arg-type, union-attr]


@pytest.mark.parametrize("at_once", [1, 700, 2**24])
def test_weights_are_drawn_in_pieces_as_torch_draws_them(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pconv, "_DRAWN_AT_ONCE", at_once)
    torch.manual_seed(3)
    expected = nn.Linear(300, 70).state_dict()
    torch.manual_seed(3)
    found = Linear(300, 70).state_dict()
    assert all(torch.equal(found[name], weight) for name, weight in expected.items())
