"""The response to the all-zero window, against the network itself."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from pconv.config import RunConfig
from pconv.data.domain import split
from pconv.data.grid import prime_grid
from pconv.models.pconv import PrimeConvNet
from pconv.pacing.background import background_shift

NETWORKS: list[dict[str, Any]] = [
    {},
    {"kernel": (3,), "seed": 4, "primes": 129, "offsets": (0, 1, 2)},
    {"kernel": (15,), "channels": (1,), "learning_rate": 0.01, "seed": 7},
    {"kernel": (7, 3), "channels": (8, 5), "primes": 203, "seed": 2},
    {"kernel": (5,), "channels": (2, 3, 4), "primes": 70, "offsets": tuple(range(11))},
]


@pytest.mark.parametrize("fields", NETWORKS)
def test_it_is_the_sum_of_the_untrained_network_s_features(fields: dict[str, Any]) -> None:
    config = RunConfig(modulus=7, **fields)
    with torch.no_grad():
        features = PrimeConvNet.of(config).convolution(torch.zeros(1, 1, config.rows, config.primes))
    expected = config.learning_rate * float(features.abs().sum())
    assert background_shift(config) == pytest.approx(expected, rel=1e-5)


def test_random_numbers_of_others_are_left_alone() -> None:
    before = torch.random.get_rng_state()
    background_shift(RunConfig(modulus=7, seed=123))
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize("seed", [0, 1, 5])
def test_the_first_step_of_adam_moves_the_units_by_it(seed: int) -> None:
    config = RunConfig(modulus=7, kernel=(3,), primes=256, seed=seed)
    network = PrimeConvNet.of(config)
    empty = torch.zeros(1, 1, config.rows, config.primes)

    def level() -> torch.Tensor:
        with torch.no_grad():
            features = network.flatten(network.convolution(empty))
            return torch.as_tensor(network.linear.get_submodule("fc1")(features)).flatten()

    before = level()
    numbers = split(config).training[0]
    grid = torch.from_numpy(prime_grid(numbers, config.offsets, config.primes).dense())
    optimizer = torch.optim.AdamW(network.parameters(), lr=config.learning_rate, weight_decay=0)
    torch.nn.functional.cross_entropy(network(grid), torch.from_numpy(numbers % 7)).backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    moved = (level() - before).abs()
    # The convolution's own step changes the features by less than a hundredth.
    assert float(moved.median()) == pytest.approx(background_shift(config), rel=0.05)
