"""All engines, and the plain loop in double precision that they are compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pconv.config import RunConfig
from pconv.data.domain import split
from pconv.data.examples import encode
from pconv.data.grid import PrimeGrid
from pconv.engines.base import Engine, EngineSpec
from pconv.engines.registry import engines
from pconv.engines.sparse.compact import CompactEngine
from pconv.engines.sparse.engine import SparseEngine
from pconv.models.pconv import PrimeConvNet

Batch = tuple[PrimeGrid, NDArray[np.int64]]
Build = Callable[[RunConfig], Engine]


def compact(config: RunConfig) -> Engine:
    if len(config.channels) > 1:
        pytest.skip("one convolution alone")
    return CompactEngine(config)


def registered(spec: EngineSpec) -> Build:
    """Builds an engine by its declaration, and skips what the engine does not compute."""

    def build(config: RunConfig) -> Engine:
        if reason := spec.objection(config, torch.device("cpu")):
            pytest.skip(reason)
        return spec.build(config, torch.device("cpu"), 1)

    return build


IMPLEMENTATIONS: dict[str, dict[str, Build]] = {
    "sparse": {
        "compact": compact,
        "sparse": SparseEngine,
        "sparse on two threads": lambda config: SparseEngine(config, threads=2),
    }
}
"""Of the engine that has several, all: it chooses between them by the configuration."""
ENGINES: dict[str, Build] = {
    name: build
    for engine, spec in engines().items()
    for name, build in IMPLEMENTATIONS.get(engine, {engine: registered(spec)}).items()
}


def config_of(**fields: Any) -> RunConfig:
    small = {"modulus": 7, "batch_size": 24, "batches": 60, "test_size": 40}
    return RunConfig.from_dict({**small, **fields})


def batches_of(config: RunConfig, count: int) -> list[Batch]:
    return [(encode(config, numbers), numbers % config.modulus) for numbers in split(config).training[:count]]


def train(engine: Engine, batches: list[Batch]) -> list[float]:
    return [engine.step(grid, labels) for grid, labels in batches]


def distance(left: dict[str, Tensor], right: dict[str, Tensor]) -> float:
    """The root of the sum of squares of all differences."""
    assert left.keys() == right.keys()
    squares = [float((left[name].double() - right[name].double()).square().sum()) for name in left]
    return float(np.sqrt(sum(squares)))


class Reference:
    """The obvious loop in double precision."""

    def __init__(self, config: RunConfig) -> None:
        self.network = PrimeConvNet.of(config).double()
        self._optimizer = torch.optim.AdamW(
            self.network.parameters(),
            lr=config.learning_rate,
            weight_decay=config.weight_decay,
            fused=True,  # the same, in one pass
        )

    def gradients(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> float:
        self._optimizer.zero_grad()
        logits = self.network(torch.from_numpy(grid.dense()).double())
        loss = nn.functional.cross_entropy(logits, torch.from_numpy(labels))
        loss.backward()  # type: ignore[no-untyped-call]
        return float(loss.detach())

    def train(self, batches: list[Batch]) -> list[float]:
        losses = []
        for batch in batches:
            losses.append(self.gradients(*batch))
            self._optimizer.step()
        return losses
