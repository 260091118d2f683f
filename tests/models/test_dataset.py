"""The dataset: what it gives, and that torch's own loader gets on with it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from pconv import InputError, PrimeConvNet, PrimeGridDataset, RunConfig, prime_grid, split
from pconv.engines.threads import torch_threads

CONFIG = RunConfig(modulus=7, primes=8, batches=3, batch_size=16, test_size=100)


def test_an_example_is_the_grid_of_its_number_and_its_class() -> None:
    numbers = [5, 1, 999_983, 2**62]
    dataset = PrimeGridDataset(CONFIG, numbers)
    assert len(dataset) == 4
    for i, number in enumerate(numbers):
        grid, label = dataset[i]
        wanted = prime_grid([number], CONFIG.offsets, 8).dense()[0]
        assert grid.dtype == torch.float32
        np.testing.assert_array_equal(grid.numpy(), wanted)
        assert label == number % 7
    assert dataset[-1][1] == 2**62 % 7


@pytest.mark.parametrize("part", ["training", "validation", "test"])
def test_the_numbers_of_a_run_come_in_its_order(part: str) -> None:
    drawn = getattr(split(CONFIG), part).ravel()
    assert PrimeGridDataset.drawn(CONFIG, part).numbers.tolist() == drawn.tolist()


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_gives_the_batches_of_the_run(workers: int) -> None:
    dataset = PrimeGridDataset.drawn(CONFIG)
    loader: Any = DataLoader(dataset, batch_size=16, num_workers=workers, multiprocessing_context=None)
    batches = list(loader)
    assert [tuple(grids.shape) for grids, _ in batches] == [(16, 9, 8)] * 3
    wanted = prime_grid(split(CONFIG).training.ravel(), CONFIG.offsets, 8).dense()
    np.testing.assert_array_equal(torch.cat([grids for grids, _ in batches]).numpy(), wanted)
    labels = torch.cat([labels for _, labels in batches])
    assert labels.tolist() == (split(CONFIG).training.ravel() % 7).tolist()


def test_many_at_once_are_the_same_as_one_by_one() -> None:
    dataset = PrimeGridDataset.drawn(CONFIG, "test")
    chosen = [3, 0, 99, 3]
    for (grid, label), i in zip(dataset.__getitems__(chosen), chosen, strict=True):
        assert torch.equal(grid, dataset[i][0])
        assert label == dataset[i][1]


def test_it_survives_pickling_and_is_small() -> None:
    dataset = PrimeGridDataset.drawn(CONFIG)
    packed = pickle.dumps(dataset)
    assert len(packed) < 10_000
    assert torch.equal(pickle.loads(packed)[7][0], dataset[7][0])


def test_a_plain_loop_learns() -> None:
    config = RunConfig(
        modulus=3, offsets=(0, 1, 2, 3), primes=4, kernel=(3,), batches=150, batch_size=64, test_size=500
    )
    torch.manual_seed(0)
    network = PrimeConvNet(rows=4, columns=4, classes=3, channels=(4,), kernels=(3,))
    optimizer = torch.optim.Adam(network.parameters())
    with torch_threads(1):  # more of them would only wait for each other
        for grids, labels in DataLoader(PrimeGridDataset.drawn(config), batch_size=64):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(network(grids), labels)
            torch.autograd.backward(loss)
            optimizer.step()
    grids, labels = next(iter(DataLoader(PrimeGridDataset.drawn(config, "test"), batch_size=500)))
    assert (network(grids).argmax(dim=1) == labels).float().mean() > 0.95


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([0], "number 0"),
        ([1.5], "whole numbers"),
        ([2**63], "number"),
        ([2**70], "number"),
        (["x"], "whole"),
        ([[1]], "list"),
    ],
)
def test_wrong_numbers_are_refused_at_once(numbers: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PrimeGridDataset(CONFIG, numbers)


def test_other_wrong_things() -> None:
    with pytest.raises(InputError, match="must be one of: training, validation, test"):
        PrimeGridDataset.drawn(CONFIG, "tests")
    with pytest.raises(IndexError):
        PrimeGridDataset(CONFIG, [5])[1]
    assert len(PrimeGridDataset(CONFIG, [])) == 0
