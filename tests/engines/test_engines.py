"""One contract for every engine: the plain loop's mathematics to rounding, and its own bits again."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor

from pconv.config import RunConfig
from pconv.data.domain import split
from pconv.data.grid import prime_grid
from pconv.engines.dense import DenseEngine
from pconv.engines.sparse.engine import SparseEngine
from pconv.models.pconv import PrimeConvNet
from tests.engines.reference import ENGINES, Batch, Build, Reference, batches_of, config_of, distance, train

pytestmark = pytest.mark.usefixtures("one_torch_thread")

SHAPES: dict[str, dict[str, Any]] = {
    "quick": {},
    "two classes": {"modulus": 2},
    "even rows, odd columns": {"offsets": range(8), "primes": 33, "kernel": 3},
    "two rows, two columns": {"offsets": range(2), "primes": 2, "kernel": 3, "channels": 1},
    "wide kernel": {"offsets": range(17), "primes": 90, "kernel": 15, "channels": 3},
    "kernel wider than the grid": {"offsets": (-1, 0, 4), "primes": 7, "kernel": 15, "channels": 2},
    "many channels": {"primes": 61, "kernel": 5, "channels": 8},
    "odd rows and columns, widest kernel": {"primes": 131, "kernel": 15, "channels": 5},
    "few columns touched": {"offsets": range(3), "primes": 210, "kernel": 9, "channels": 6},
    "two layers": {"primes": 75, "kernel": (7, 5), "channels": (4, 6)},
    "two layers, all border": {"offsets": range(5), "primes": 9, "kernel": 7, "channels": (2, 3)},
    "two layers, long interior": {"offsets": range(10), "primes": 202, "kernel": (3, 7), "channels": (8, 5)},
    "three layers": {"primes": 131, "kernel": 3, "channels": (2, 3, 4)},
    "capped": {"representation": "capped", "primes": 40},
    "binary digits": {"representation": "binary", "primes": 21, "channels": 3},
    "binary digits, empty columns": {"representation": "binary", "primes": 90, "kernel": 3},
    "residues": {"representation": "residues", "primes": 33, "kernel": 5},
    "residues, two layers": {"representation": "residues", "primes": 30, "channels": (3, 2), "kernel": 3},
    "no bias": {"architecture": "pconv-nobias", "kernel": 5},
    "no bias, few columns touched": {"architecture": "pconv-nobias", "offsets": range(4), "primes": 180},
    "no bias, two layers": {"architecture": "pconv-nobias", "primes": 75, "kernel": 3, "channels": (4, 6)},
    # with seed 0 a unit is so near the kink of its activation that the processor's rounding decides its side
    "faster, some decay": {"learning_rate": 3e-3, "weight_decay": 0.1, "seed": 1},
    "slower, much decay": {"learning_rate": 3e-4, "weight_decay": 30, "primes": 131, "channels": 5},
    "much decay, two layers": {"weight_decay": 10, "primes": 75, "kernel": (7, 5), "channels": (4, 6)},
}


def identical(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


@pytest.fixture(params=list(ENGINES))
def build(request: pytest.FixtureRequest) -> Build:
    return ENGINES[request.param]


class Expected(NamedTuple):
    """What every engine must compute for a shape, by the reference. Nobody changes it: tests share it."""

    config: RunConfig
    batches: list[Batch]
    gradients: dict[str, Tensor]  # of the first batch, at the start
    losses: list[float]  # of the first ten batches
    logits: Tensor  # of the eleventh, after them
    weights: dict[str, Tensor]  # after them
    moved: float  # the distance of these weights from the start


@cache
def expected_of(shape: str) -> Expected:
    config = config_of(**SHAPES[shape])
    batches = batches_of(config, 11)
    reference = Reference(config)
    start = {name: w.detach().clone() for name, w in reference.network.state_dict().items()}
    reference.gradients(*batches[0])
    gradients = {
        name: torch.clone(w.grad) for name, w in reference.network.named_parameters() if w.grad is not None
    }
    losses = reference.train(batches[:10])
    with torch.no_grad():
        logits = reference.network(torch.from_numpy(batches[10][0].dense()).double())
    weights = {name: w.detach() for name, w in reference.network.state_dict().items()}
    return Expected(config, batches, gradients, losses, logits, weights, distance(start, weights))


@pytest.mark.parametrize("shape", list(SHAPES))
def test_the_same_losses_logits_and_weights(build: Build, shape: str) -> None:
    expected = expected_of(shape)
    engine = build(expected.config)
    np.testing.assert_allclose(train(engine, expected.batches[:10]), expected.losses, rtol=1e-5)
    np.testing.assert_allclose(engine.logits(expected.batches[10][0]), expected.logits, atol=2e-5)
    assert distance(engine.weights(), expected.weights) < 2e-3 * expected.moved


@pytest.mark.parametrize("shape", list(SHAPES))
def test_gradients_are_the_reference_s(build: Build, shape: str) -> None:
    """After one step Adam's first moment is a tenth of the gradient."""
    expected = expected_of(shape)
    engine = build(expected.config)
    engine.step(*expected.batches[0])
    state = dict(engine.state_items())
    assert expected.gradients.keys() == engine.weights().keys()
    for name, gradient in expected.gradients.items():
        assert (state["mean." + name] * 10 - gradient).norm() <= 2e-5 * gradient.norm() + 1e-9, name


def test_of_equal_values_pooling_takes_the_first(build: Build) -> None:
    """All taps equal: the four values that are pooled are often the same, and only the first may learn."""
    config = config_of(modulus=3, kernel=3, channels=2, primes=12)
    engine, reference = build(config), Reference(config)
    weights = engine.weights()
    weights["convolution.conv1.weight"].fill_(0.25)
    engine.load_weights(weights)
    reference.network.load_state_dict(weights)
    (batch,) = batches_of(config, 1)
    engine.step(*batch)
    reference.gradients(*batch)
    gradient = reference.network.get_parameter("convolution.conv1.weight").grad
    found = dict(engine.state_items())["mean.convolution.conv1.weight"] * 10
    assert gradient is not None
    assert len(np.unique(gradient)) > 1
    torch.testing.assert_close(found.double(), gradient, rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("channels", [(3,), (3, 4)])
def test_a_run_is_the_same_twice(build: Build, channels: tuple[int, ...]) -> None:
    config = config_of(channels=channels, primes=50)
    batches = batches_of(config, 5)
    first, second = build(config), build(config)
    assert train(first, batches) == train(second, batches)
    assert identical(dict(first.state_items()), dict(second.state_items()))


def test_looking_changes_nothing(build: Build) -> None:
    config = config_of()
    (batch, other, last) = batches_of(config, 3)
    first, second = build(config), build(config)
    train(first, [batch])
    first.logits(prime_grid([7, 8, 9], config.offsets, config.primes))
    train(first, [other, last])
    train(second, [batch, other, last])
    assert identical(dict(first.state_items()), dict(second.state_items()))


DECAYING: dict[str, Any] = {"learning_rate": 3e-3, "weight_decay": 10}
"""A step takes three percent off each weight."""


@pytest.mark.parametrize("shape", ["quick", "few columns touched", "two layers, long interior"])
def test_decay_takes_its_share_of_every_weight(build: Build, shape: str) -> None:
    """A step with decay leaves what the same step leaves without it, less a share of the weight before: also
    of weights that no window of the batch reads, and of biases."""
    config = config_of(**SHAPES[shape], **DECAYING)
    (batch,) = batches_of(config, 1)
    with_decay, without = build(config), build(replace(config, weight_decay=0.0))
    start = with_decay.weights()
    train(with_decay, [batch])
    train(without, [batch])
    left, kept = with_decay.weights(), without.weights()
    for name, before in start.items():
        torch.testing.assert_close(kept[name] - left[name], 0.03 * before, rtol=1e-4, atol=1e-7, msg=name)


@pytest.mark.parametrize("shape", ["quick", "few columns touched", "two layers, long interior"])
def test_what_is_derived_from_the_weights_decays_with_them(build: Build, shape: str) -> None:
    """Engines keep sums of weights from step to step; the same weights loaded anew have the same sums."""
    config = config_of(**SHAPES[shape], **DECAYING)
    *batches, (grid, _) = batches_of(config, 6)
    engine = build(config)
    train(engine, batches)
    answers = engine.logits(grid)
    engine.load_weights(engine.weights())
    assert np.array_equal(engine.logits(grid), answers)


@pytest.mark.parametrize("fields", [{}, {"channels": (2, 5), "primes": 70, "kernel": 3}, DECAYING])
def test_a_restored_engine_goes_on_to_the_bit(build: Build, fields: dict[str, Any]) -> None:
    config = config_of(**fields)
    batches = batches_of(config, 8)
    engine, other = build(config), build(config_of(**fields, seed=3))
    train(engine, batches[:4])
    state = dict(engine.state_items())
    kept = {name: tensor.clone() for name, tensor in state.items()}
    losses = train(engine, batches[4:])
    assert identical(state, kept)  # a copy: training went on without touching it
    other.restore(state)
    assert train(other, batches[4:]) == losses
    assert identical(dict(other.state_items()), dict(engine.state_items()))


def test_a_state_before_the_first_step(build: Build) -> None:
    config = config_of()
    batches = batches_of(config, 3)
    engine, other = build(config), build(config)
    state = dict(engine.state_items())
    train(other, batches)
    other.restore(state)
    assert train(other, batches) == train(engine, batches)


@pytest.mark.parametrize("channels", [(3,), (3, 2)])
def test_engines_read_each_other_s_states(build: Build, channels: tuple[int, ...]) -> None:
    config = config_of(channels=channels, primes=41, kernel=5)
    batches = batches_of(config, 8)
    dense, other = DenseEngine(config), build(config)
    train(dense, batches[:4])
    other.restore(dict(dense.state_items()))
    assert identical(dict(other.state_items()), dict(dense.state_items()))
    np.testing.assert_allclose(train(other, batches[4:]), train(dense, batches[4:]), rtol=1e-5)


@pytest.mark.parametrize("channels", [(3,), (3, 2)])
def test_weights_are_pytorch_s(build: Build, channels: tuple[int, ...]) -> None:
    config = config_of(channels=channels, primes=41)
    engine = build(config)
    assert identical(engine.weights(), dict(PrimeConvNet.of(config).state_dict()))
    others = dict(PrimeConvNet.of(config_of(channels=channels, primes=41, seed=8)).state_dict())
    engine.load_weights(others)
    assert identical(engine.weights(), others)


def test_batches_of_any_size(build: Build) -> None:
    config = config_of()
    grid, labels = batches_of(config, 1)[0]
    engine, reference = build(config), Reference(config)
    sizes = [1, 24, 5]
    batches = [(grid.part(0, size), labels[:size]) for size in sizes]
    np.testing.assert_allclose(train(engine, batches), reference.train(batches), rtol=1e-5)
    many = prime_grid(split(config).training[:3].reshape(-1), config.offsets, config.primes)
    assert engine.logits(many).shape == (72, config.modulus)


def test_the_paper_s_columns() -> None:
    """N = 5,000, where nearly all is background."""
    config = config_of(modulus=11, primes=5000, offsets=range(4), batch_size=4)
    batches = batches_of(config, 3)
    dense, sparse = DenseEngine(config), SparseEngine(config, threads=2)
    np.testing.assert_allclose(train(sparse, batches), train(dense, batches), rtol=1e-5)
    start = dict(PrimeConvNet.of(config).state_dict())
    assert distance(sparse.weights(), dense.weights()) < 2e-3 * distance(start, dense.weights())
