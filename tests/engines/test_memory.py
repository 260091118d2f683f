"""The memory of a run is estimated before it is used."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pconv.config import RunConfig
from pconv.data.grid import PrimeGrid
from pconv.engines import census, memory
from pconv.engines.memory import MemoryEstimate, available_memory, check_memory, estimated_memory
from pconv.engines.registry import chosen_engine, engines
from pconv.errors import PconvError
from pconv.models.registry import network_of

SMALL = RunConfig(modulus=11)


def estimate(config: RunConfig, engine: str = "auto") -> MemoryEstimate:
    found = estimated_memory(config, chosen_engine(config, engine, torch.device("cpu")))
    assert found is not None
    return found


@pytest.mark.parametrize("engine", list(engines()))
def test_weights_are_counted_without_building_them(engine: str) -> None:
    parameters = sum(weight.numel() for weight in network_of(SMALL).parameters())
    assert estimate(SMALL, engine).weights == 3 * 4 * parameters
    assert estimate(SMALL, engine).moments in (2 * 4 * parameters, 3 * 4 * parameters)


def test_the_largest_run_of_all_is_estimated_at_once() -> None:
    largest = RunConfig(modulus=1024, offsets=tuple(range(4096)), primes=82_025, channels=(4096,))
    assert estimate(largest).total > 1e15


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("weights", {"primes": 5_000}),
        ("moments", {"channels": (64,)}),
        ("grids", {"batches": 1_600}),
        ("grids", {"limit": 10**8}),
        ("activations", {"batch_size": 4_096}),
        ("census", {"modulus": 1_024}),
    ],
)
def test_each_part_grows_with_what_it_depends_on(part: str, change: dict[str, object]) -> None:
    larger = replace(SMALL, **change)  # type: ignore[arg-type]
    assert getattr(estimate(larger), part) > 1.3 * getattr(estimate(SMALL), part)


class Guesser:
    """Answers as fast as can be: what is measured is the census, which the engine has no part in."""

    def __init__(self, classes: int) -> None:
        self.classes = classes

    def logits(self, grid: PrimeGrid) -> NDArray[np.float32]:
        pieces = range(0, grid.count, 256)  # as the engines do: the parts, then the whole
        return np.concatenate(
            [np.zeros((min(256, grid.count - i), self.classes), np.float32) for i in pieces]
        )


@pytest.mark.parametrize(
    "fields",
    [
        {"primes": 32},
        {"primes": 64},
        {"primes": 5_000},
        {"primes": 32, "modulus": 256},
        {"primes": 20, "representation": "residues"},
    ],
    ids=str,
)
def test_the_memory_of_a_census_is_as_measured(fields: dict[str, object]) -> None:
    config = RunConfig.from_dict({"modulus": 11, "batches": 10, "test_size": 500, "limit": 45_000, **fields})
    network: Any = Guesser(config.modulus)
    census.take_census(replace(config, limit=15_000), network, 1)  # tables that every run has are made before
    tracemalloc.start()
    census.take_census(config, network, 1)
    measured = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    expected = estimate(config).census
    assert 0.5 * expected < measured < 1.1 * expected + 72 * config.limit, (measured, expected)


def test_more_than_there_is_is_refused_with_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = engines()["sparse"]
    check_memory(SMALL, spec)
    whole = estimated_memory(SMALL, spec)
    assert whole is not None
    monkeypatch.setattr(memory, "available_memory", lambda: whole.total)
    check_memory(SMALL, spec)
    with pytest.raises(PconvError, match="needs about"):
        check_memory(SMALL, spec, snapshots=1)
    monkeypatch.setattr(memory, "available_memory", lambda: 100_000_000)
    with pytest.raises(PconvError, match=r"needs about 0\.\d GB .* and 0\.1 GB are available"):
        check_memory(SMALL, spec)
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    check_memory(SMALL, spec)


def test_a_network_that_cannot_be_described_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "weight_shapes", lambda config: None)
    monkeypatch.setattr(memory, "available_memory", lambda: 1)
    check_memory(SMALL, engines()["dense"])


def test_available_memory_is_read_from_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "/proc/meminfo": "MemTotal: 9 kB\nMemAvailable:   4000 kB\n",
        "/sys/fs/cgroup/memory.max": "3000000\n",
        "/sys/fs/cgroup/memory.current": "1000000\n",
    }
    monkeypatch.setattr(memory, "_content", lambda path: files.get(path, ""))
    assert available_memory() == 2_000_000
    files["/sys/fs/cgroup/memory.stat"] = (
        "anon 100000\nfile 800000\ninactive_anon 5\nactive_anon 7\ninactive_file 500000\nactive_file 200000\n"
    )
    assert available_memory() == 2_700_000, "the page cache can be had"
    files["/sys/fs/cgroup/memory.max"] = "max\n"
    assert available_memory() == 4_096_000
