"""The first linear layer where most columns are touched: plain matrix products on all features."""

from __future__ import annotations

import torch
from torch import Tensor

from pconv.learn.kernels import OUT, adam
from pconv.learn.parameters import FloatArray, Rates, flat_array
from pconv.learn.plan import Plan
from pconv.learn.workers import Workers, pieces


class CompactLayer:
    """Keeps its weights and Adam's memory as (columns, height, channels, outputs)."""

    everywhere = True

    def __init__(self, columns: int, height: int, channels: int, workers: Workers) -> None:
        self.shape = (columns, height, channels, OUT)
        size = columns * height * channels * OUT
        self.state = tuple(flat_array(size) for _ in range(3))
        self._gradient = flat_array(size)
        self._workers = workers
        self._matrix = torch.from_numpy(self.state[0]).view(-1, OUT)  # (features, outputs)

    def refresh(self) -> None:
        """The weights were changed from outside; nothing is kept that depends on them."""

    def forward(self, plan: Plan, features: FloatArray) -> Tensor:
        """(windows * columns, height, channels) -> (windows, outputs)"""
        return torch.from_numpy(features).view(-1, len(self._matrix)) @ self._matrix

    def backward(
        self, plan: Plan, features: FloatArray, gradient: Tensor, rates: Rates
    ) -> tuple[FloatArray, None]:
        """The gradient of the features; the weights make their step. There is no background."""
        matrix = torch.from_numpy(features).view(-1, len(self._matrix))  # (windows, features)
        below = gradient @ self._matrix.t()  # (windows, features)
        torch.mm(matrix.t(), gradient, out=torch.from_numpy(self._gradient).view(-1, OUT))
        weights, mean, square = self.state
        ends = pieces(len(weights), self._workers.threads)
        parts = ([a[s:e] for a in (weights, self._gradient, mean, square)] for s, e in ends)
        self._workers.run(adam, ((*part, rates) for part in parts))
        return below.numpy().reshape(features.shape), None
