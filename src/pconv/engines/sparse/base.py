"""What the sparse engines share: answers for any number of windows, and their state under PyTorch's names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv.data.grid import PrimeGrid
from pconv.engines.sparse.head import Head
from pconv.engines.sparse.parameters import FlatParameters, FloatArray
from pconv.engines.sparse.workers import one_torch_thread

LEAST_PIECE = 256
"""Windows that are answered at once, also where batches are smaller: a census asks many."""


class SparseEngineBase(ABC):
    """The half of `Engine` that answers, and that copies weights and state out and in.

    An engine keeps its parameters as FlatParameters and (part of) the first linear layer in arrays of its
    own: number 0 holds the weights, 1 and 2 Adam's mean and square.
    """

    _parameters: FlatParameters
    _steps: int
    _head: Head
    _piece: int  # windows that are answered at once

    @abstractmethod
    def _forward(self, grid: PrimeGrid) -> object:
        """From grids to the logits, which the head keeps."""

    @abstractmethod
    def _canonical(self, at: int, array: FloatArray) -> dict[str, Tensor]:
        """Number `at` of the first layer's arrays, and the one of all else, as PyTorch has them."""

    @abstractmethod
    def _take(self, at: int, array: FloatArray, given: Mapping[str, Tensor]) -> None:
        """The inverse of `_canonical`."""

    @abstractmethod
    def _refresh(self) -> None:
        """Compute anew what is derived from the weights."""

    def logits(self, grid: PrimeGrid) -> NDArray[np.float32]:
        parts = []
        with one_torch_thread():
            for start in range(0, grid.count, self._piece):
                self._forward(grid.part(start, min(start + self._piece, grid.count)))
                parts.append(self._head.logits.numpy().copy())
        return np.concatenate(parts)

    def weights(self) -> dict[str, Tensor]:
        return self._canonical(0, self._parameters.weights)

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        self._take(0, self._parameters.weights, weights)
        self._refresh()

    def state_items(self) -> Iterator[tuple[str, Tensor]]:
        arrays = ("", self._parameters.weights), *self._moments()
        for at, (prefix, array) in enumerate(arrays):
            found = self._canonical(at, array)
            while found:  # what was given away is not held on to while the next array is copied
                name, tensor = found.popitem()
                yield prefix + name, tensor
                del tensor
        yield "step", torch.tensor(self._steps)

    def restore(self, state: Mapping[str, Tensor]) -> None:
        self.load_weights(state)
        for at, (prefix, array) in enumerate(self._moments(), start=1):
            given = {n.removeprefix(prefix): state[n] for n in state if n.startswith(prefix)}
            self._take(at, array, given)
        self._steps = int(state["step"])

    def _moments(self) -> tuple[tuple[str, FloatArray], tuple[str, FloatArray]]:
        return ("mean.", self._parameters.mean), ("square.", self._parameters.square)
