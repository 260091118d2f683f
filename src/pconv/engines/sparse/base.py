"""What both implementations of the sparse engine share: logits of any number of windows, and weights and
state under PyTorch's names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv._arrays import FloatArray
from pconv.config import RunConfig
from pconv.data.grid import PrimeGrid
from pconv.engines.pieces import LEAST_PIECE
from pconv.engines.sparse.head import Head
from pconv.engines.sparse.kernels.arguments import AdamRates
from pconv.engines.sparse.parameters import FlatParameters, adam_rates
from pconv.engines.sparse.workers import StepTimer
from pconv.engines.threads import torch_threads

FIRST_WEIGHT = "linear.fc1.weight"


class SparseEngineBase(ABC):
    """The part of `Engine` that does not depend on how a step is computed. Subclasses implement `step`.

    The weights of the first linear layer, or some of them, are in arrays of the subclass: number 0 holds the
    weights, 1 and 2 Adam's mean and square. All other parameters are in `_parameters`.
    """

    name = "sparse"
    revision = 1

    _parameters: FlatParameters
    _head: Head

    def __init__(self, config: RunConfig) -> None:
        self.timer = StepTimer()
        self._piece = max(config.batch_size, LEAST_PIECE)
        self._steps = 0
        self._learning_rate, self._weight_decay = config.learning_rate, config.weight_decay

    @property
    @abstractmethod
    def bytes(self) -> int:
        """The size of the arrays that are kept between steps."""

    @property
    def step_seconds(self) -> Mapping[str, float]:
        """How long each part of the last step took."""
        return self.timer.seconds

    @abstractmethod
    def _forward(self, grid: PrimeGrid) -> object:
        """The forward pass; the head keeps the logits."""

    @abstractmethod
    def _canonical(self, at: int, array: FloatArray) -> dict[str, Tensor]:
        """A copy of the parameters (or of one of Adam's moments) under PyTorch's names: from number `at` of
        the first layer's arrays, and from `array`, the flat array of all others."""

    @abstractmethod
    def _load(self, at: int, array: FloatArray, given: Mapping[str, Tensor]) -> None:
        """The inverse of `_canonical`."""

    @abstractmethod
    def _refresh(self) -> None:
        """Recompute what is derived from the weights."""

    def _next_rates(self) -> AdamRates:
        """Counts a step, and gives the factors of its update."""
        self._steps += 1
        return adam_rates(self._steps, self._learning_rate, self._weight_decay)

    def logits(self, grid: PrimeGrid) -> NDArray[np.float32]:
        parts = []
        with torch_threads(1):
            for start in range(0, grid.count, self._piece):
                self._forward(grid.part(start, min(start + self._piece, grid.count)))
                parts.append(self._head.logits.numpy().copy())
        return np.concatenate(parts)

    def weights(self) -> dict[str, Tensor]:
        return self._canonical(0, self._parameters.weights)

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        self._load(0, self._parameters.weights, weights)
        self._refresh()

    def state_items(self) -> Iterator[tuple[str, Tensor]]:
        arrays = ("", self._parameters.weights), *self._moments()
        for at, (prefix, array) in enumerate(arrays):
            found = self._canonical(at, array)
            while found:  # no reference to a tensor is kept while the next array is copied
                name, tensor = found.popitem()
                yield prefix + name, tensor
                del tensor
        yield "step", torch.tensor(self._steps)

    def restore(self, state: Mapping[str, Tensor]) -> None:
        self.load_weights(state)
        for at, (prefix, array) in enumerate(self._moments(), start=1):
            given = {n.removeprefix(prefix): state[n] for n in state if n.startswith(prefix)}
            self._load(at, array, given)
        self._steps = int(state["step"])

    def _moments(self) -> tuple[tuple[str, FloatArray], tuple[str, FloatArray]]:
        return ("mean.", self._parameters.mean), ("square.", self._parameters.square)
