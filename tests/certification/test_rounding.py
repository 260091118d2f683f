from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from pconv.certification.rounding import RoundedNetwork, _agree
from pconv.certification.signed_bound import SignedBound, gamma
from pconv.config import RunConfig
from pconv.errors import InputError
from tests.certification.networks import SMALL, random_model

TWO = RunConfig(modulus=5, offsets=tuple(range(4)), primes=4, kernel=(3,), channels=(3, 2), seed=1)
MLP = RunConfig(modulus=5, offsets=tuple(range(3)), primes=4, architecture="mlp")


def some_grids(config: RunConfig, count: int = 300) -> np.ndarray:
    generator = np.random.default_rng(0)
    shape = (count, config.rows, config.primes)
    return (generator.integers(0, 4, shape) * generator.integers(0, 2, shape)).astype(np.float32)


@pytest.mark.parametrize("config", [SMALL, TWO, MLP])
def test_no_float32_evaluation_is_off_by_more_than_the_bound(config: RunConfig) -> None:
    """In three orders of summation: in a batch, one by one, and with the features in reverse order. The
    bound of a difference holds for every pair of logits, and is not above the bounds of the two."""
    model, grids = random_model(config), torch.from_numpy(some_grids(config))
    network = RoundedNetwork(model)
    signed = SignedBound(network._layers)
    with torch.no_grad():
        exact, trace = signed.traced(grids)
        found = [model.network(grids), torch.cat([model.network(grid[None]) for grid in grids])]
        found.append(_reversed(network, grids))
        plain = model.network.double()(grids.double())
    assert torch.allclose(exact, plain, rtol=1e-12, atol=1e-12)
    first = torch.zeros(len(grids), dtype=torch.int64)
    for second in range(1, config.modulus):
        bound = signed.gap_error(trace, first, first + second)
        assert (bound <= (trace.errors[-1][:, 0] + trace.errors[-1][:, second]) * (1 + 1e-12)).all()
        for logits in found:
            off = (logits[:, 0].double() - logits[:, second]) - (exact[:, 0] - exact[:, second])
            assert (off.abs() <= bound).all()


def _reversed(network: RoundedNetwork, grids: torch.Tensor) -> torch.Tensor:
    """The linear layers with the terms of each sum in reverse order, after the usual convolutions."""
    convolutions, linear = network._layers
    x = grids.flatten(1)
    if convolutions:
        x = grids.unsqueeze(1)
        for layer in convolutions:
            x = torch.nn.functional.max_pool2d(layer.apply(x), 2)
        x = torch.nn.functional.leaky_relu(x, 0.01).flatten(1)
    for layer in linear:
        x = torch.nn.functional.linear(x.flip(1), layer.weight.flip(1), layer.bias)
        x = torch.nn.functional.leaky_relu(x, 0.01) if layer is not linear[-1] else x
    return x


@pytest.mark.parametrize("config", [SMALL, TWO, MLP])
@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_the_shortcuts_in_float32_decide_as_float64_does(config: RunConfig, scale: float) -> None:
    """Also with weights so small that rounding often decides."""
    network, grids = RoundedNetwork(random_model(config, scale=scale)), some_grids(config)
    with torch.no_grad():
        precise = network._signed.rivals(torch.from_numpy(grids)).numpy()
        single = network._signed.rivals(torch.from_numpy(grids), single=True).numpy()
    alone = single.sum(axis=1) == 1
    assert (single[alone] == precise[alone]).all()
    assert scale < 1 or alone.mean() > 0.9
    worth = np.random.default_rng(1).integers(0, 2, (len(grids), config.modulus))
    found = network.answer(grids, worth)
    assert found.sure.tolist() == _agree(precise, worth).tolist()
    answers = precise.argmax(axis=1)
    not_best = worth[np.arange(len(grids)), answers] < worth.max(axis=1)  # others may have several rivals
    assert (found.answers[not_best] == answers[not_best]).all()


def test_equal_logits_are_undecided_unless_they_are_worth_the_same() -> None:
    model = random_model()
    last = model.network.get_submodule("linear.fc4")
    assert isinstance(last, torch.nn.Linear)
    with torch.no_grad():
        last.weight[4] = last.weight[2]
        last.bias[:] = torch.tensor([-50.0, -50, 50, -50, 50, -50])
    network, grids = RoundedNetwork(model), some_grids(SMALL, 5)
    different = np.tile([0, 0, 1, 0, 0, 0], (5, 1))
    assert network.answer(grids, different).sure.tolist() == [False] * 5
    same = np.tile([0, 0, 1, 0, 1, 0], (5, 1))
    found = network.answer(grids, same)
    assert found.sure.all()
    assert found.answers.tolist() == [2] * 5


def test_the_bound_of_a_sum() -> None:
    """Sums in the worst order stay within gamma times the absolute values."""
    generator = np.random.default_rng(2)
    x, w = generator.standard_normal((2, 1000)).astype(np.float32)
    total = np.float32(0)
    for product in np.sort(x * w)[::-1]:
        total = np.float32(total + product)
    exact = float((x.astype(np.float64) * w).sum())
    assert abs(float(total) - exact) <= gamma(1000) * float(np.abs(x.astype(np.float64) * w).sum())


def test_networks_without_a_bound_are_refused() -> None:
    with pytest.raises(InputError, match="architecture transformer: cannot be certified"):
        RoundedNetwork(random_model(RunConfig(modulus=3, primes=4, architecture="transformer")))
    for scale in (1e30, float("nan")):
        with pytest.raises(InputError, match="too large for a bound"):
            RoundedNetwork(random_model(replace(SMALL, seed=0), scale=scale))
