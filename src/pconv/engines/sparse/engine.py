"""The sparse engine for any number of convolutions and columns; `pconv.engines.sparse` explains it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from pconv._arrays import FloatArray
from pconv.config import RunConfig
from pconv.data.grid import PrimeGrid
from pconv.engines.sparse.base import FIRST_WEIGHT, SparseEngineBase
from pconv.engines.sparse.convolution import Convolution
from pconv.engines.sparse.first_layer import FirstLayer
from pconv.engines.sparse.head import Head
from pconv.engines.sparse.kernels.convolution import adam
from pconv.engines.sparse.parameters import FlatParameters, convolution_of, from_blocks, to_blocks
from pconv.engines.sparse.plan import Plan, plan
from pconv.engines.sparse.workers import Workers
from pconv.engines.threads import torch_threads
from pconv.models.pconv import PrimeConvNet


class SparseEngine(SparseEngineBase):
    """A plan of the batch, compiled loops over its sites, and Adam inside the backward pass."""

    def __init__(self, config: RunConfig, threads: int = 1) -> None:
        super().__init__(config)
        weights = PrimeConvNet.of(config).state_dict()
        self._kernels = config.kernels
        self._parameters = FlatParameters(
            {name: w.shape for name, w in weights.items() if name != FIRST_WEIGHT}
        )
        views = self._parameters.views(self._parameters.weights)
        gradients = self._parameters.views(self._parameters.gradient)
        names = [f"convolution.conv{i}" for i in range(1, len(config.channels) + 1)]
        self._convolution_gradients = [convolution_of(gradients, n) for n in names]
        workers = Workers(threads)
        self._convolution = Convolution(
            config.rows, config.primes, [convolution_of(views, n) for n in names], workers
        )
        self._first = FirstLayer(config.feature_shape, self._convolution.background, workers)
        self._head = Head(views, gradients)
        self.load_weights(weights)

    @property
    def bytes(self) -> int:
        small = self._parameters
        return sum(
            array.nbytes
            for array in (
                *(small.weights, small.gradient, small.mean, small.square),
                *self._first.arrays,
                *self._convolution.workspaces,
            )
        )

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> float:
        with torch_threads(1):  # torch's own would spin while they wait, and take a core from the loops
            self.timer.start()
            todo, features = self._forward(grid)
            loss, gradient, total = self._head.backward(labels)
            self.timer.lap("head")
            rates = self._next_rates()
            head_call = (self._head.weight_gradients,)
            site_gradient, idle_gradient = self._first.backward(
                todo, features, gradient, total, rates, head_call
            )
            self.timer.lap("first layer back, with Adam")
            found = self._convolution.backward(todo, site_gradient, idle_gradient)
            for mine, gradients in zip(self._convolution_gradients, found, strict=True):
                for target, source in zip(mine, gradients, strict=True):
                    target.copy_(source)
            small = self._parameters
            adam(small.weights, small.gradient, small.mean, small.square, rates)
            self.timer.lap("convolution")
        return loss

    def _forward(self, grid: PrimeGrid) -> tuple[Plan, FloatArray]:
        todo = plan(grid, self._kernels)
        self.timer.lap("plan")
        features = self._convolution.forward(todo)  # (sites, height, channels)
        self.timer.lap("convolution")
        sums = self._first.forward(todo, features)
        self.timer.lap("first layer")
        self._head.forward(*sums)
        return todo, features

    def _refresh(self) -> None:
        self._first.refresh()

    def _canonical(self, at: int, array: FloatArray) -> dict[str, Tensor]:
        found = {name: view.clone() for name, view in self._parameters.views(array).items()}
        return found | {FIRST_WEIGHT: from_blocks(self._first.state[at].reshape(self._first.shape))}

    def _load(self, at: int, array: FloatArray, given: Mapping[str, Tensor]) -> None:
        for name, view in self._parameters.views(array).items():
            view.copy_(given[name])
        to_blocks(given[FIRST_WEIGHT], self._first.state[at].reshape(self._first.shape))
