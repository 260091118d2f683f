"""The sparse engine: the same mathematics as the plain one, without multiplying by the grid's zeros."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from pconv.config import RunConfig
from pconv.data.grid import PrimeGrid
from pconv.engines.sparse.base import LEAST_PIECE, SparseEngineBase
from pconv.engines.sparse.convolution import Convolution
from pconv.engines.sparse.first_layer import FirstLayer
from pconv.engines.sparse.head import Head
from pconv.engines.sparse.kernels.convolution import adam
from pconv.engines.sparse.parameters import FlatParameters, FloatArray, from_blocks, rates, to_blocks
from pconv.engines.sparse.plan import Plan, plan
from pconv.engines.sparse.workers import StepTimer, Workers, one_torch_thread
from pconv.models.pconv import PrimeConvNet

FIRST = "linear.fc1.weight"


class SparseEngine(SparseEngineBase):
    """Implements `Engine` on the CPU: a plan of the batch, compiled loops over it, Adam in the way back."""

    name = "sparse"
    revision = 1

    def __init__(self, config: RunConfig, threads: int = 1) -> None:
        weights = PrimeConvNet.of(config).state_dict()
        layers = len(config.channels)
        columns, height, channels = config.primes >> layers, config.rows >> layers, config.channels[-1]
        self._kernels = config.kernels
        self._piece = max(config.batch_size, LEAST_PIECE)
        self._steps = 0
        self._speed = config.learning_rate, config.weight_decay
        self.clock = StepTimer()  # of the last step
        self._parameters = FlatParameters({name: w.shape for name, w in weights.items() if name != FIRST})
        views = self._parameters.views(self._parameters.weights)
        gradients = self._parameters.views(self._parameters.gradient)
        names = [f"convolution.conv{i}" for i in range(1, layers + 1)]
        self._convolution_gradients = [(gradients[f"{n}.weight"], gradients[f"{n}.bias"]) for n in names]
        workers = Workers(threads)
        self._convolution = Convolution(
            config.rows,
            config.primes,
            [(views[f"{n}.weight"], views[f"{n}.bias"]) for n in names],
            workers,
        )
        self._first = FirstLayer(columns, height, channels, self._convolution.background, workers)
        self._head = Head(views, gradients)
        self.load_weights(weights)

    @property
    def bytes(self) -> int:
        """What its own lasting arrays take."""
        small = (
            self._parameters.weights,
            self._parameters.gradient,
            self._parameters.mean,
            self._parameters.square,
        )
        return sum(array.nbytes for array in (*small, *self._first.arrays, *self._convolution.rooms))

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> float:
        with one_torch_thread():
            self.clock.start()
            todo, features = self._forward(grid)
            loss, gradient, total = self._head.backward(labels)
            self.clock.lap("head")
            self._steps += 1
            now = rates(self._steps, *self._speed)
            beside = (self._head.weight_gradients,)
            given = todo, features, gradient, total, now
            site_gradient, idle_gradient = self._first.backward(*given, beside)
            self.clock.lap("first layer back, with Adam")
            found = self._convolution.backward(todo, site_gradient, idle_gradient)
            for mine, gradients in zip(self._convolution_gradients, found, strict=True):
                for target, source in zip(mine, gradients, strict=True):
                    target.copy_(source)
            small = self._parameters
            adam(small.weights, small.gradient, small.mean, small.square, now)
            self.clock.lap("convolution")
        return loss

    def _forward(self, grid: PrimeGrid) -> tuple[Plan, FloatArray]:
        todo = plan(grid, self._kernels)
        self.clock.lap("plan")
        features = self._convolution.forward(todo)  # (sites, height, channels)
        self.clock.lap("convolution")
        sums = self._first.forward(todo, features)
        self.clock.lap("first layer")
        self._head.forward(*sums)
        return todo, features

    def _refresh(self) -> None:
        self._first.refresh()

    def _canonical(self, at: int, small: FloatArray) -> dict[str, Tensor]:
        """One of the first layer's arrays and the one of the small parameters, as PyTorch has them."""
        found = {name: view.clone() for name, view in self._parameters.views(small).items()}
        return found | {FIRST: from_blocks(self._first.state[at].reshape(self._first.shape))}

    def _take(self, at: int, small: FloatArray, given: Mapping[str, Tensor]) -> None:
        for name, view in self._parameters.views(small).items():
            view.copy_(given[name])
        to_blocks(given[FIRST], self._first.state[at].reshape(self._first.shape))
