"""The sparse engine: the same mathematics as the plain one, without multiplying by the grid's zeros."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv.arithmetic.windows import PrimeGrid
from pconv.config import RunConfig
from pconv.learn.convolution import Convolution
from pconv.learn.first_layer import FirstLayer
from pconv.learn.head import Head
from pconv.learn.kernels import adam
from pconv.learn.network import PrimeConvNet
from pconv.learn.parameters import FlatParameters, FloatArray, from_blocks, rates, to_blocks
from pconv.learn.plan import Plan, plan
from pconv.learn.workers import Clock, Workers, one_torch_thread

FIRST = "linear.fc1.weight"


class SparseEngine:
    """Implements `Engine` on the CPU: a plan of the batch, compiled loops over it, Adam in the way back."""

    name = "sparse"

    def __init__(self, config: RunConfig, threads: int = 1) -> None:
        weights = PrimeConvNet.of(config).state_dict()
        layers = len(config.channels)
        columns, height, channels = config.primes >> layers, config.rows >> layers, config.channels[-1]
        self._kernels = config.kernels
        self._piece = config.batch_size
        self._steps = 0
        self.clock = Clock()  # of the last step
        self._small = FlatParameters({name: w.shape for name, w in weights.items() if name != FIRST})
        views = self._small.views(self._small.weights)
        gradients = self._small.views(self._small.gradient)
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
        small = self._small.weights, self._small.gradient, self._small.mean, self._small.square
        return sum(array.nbytes for array in (*small, *self._first.state, self._first.sums))

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> float:
        with one_torch_thread():
            self.clock.start()
            todo, features = self._forward(grid)
            loss, gradient = self._head.backward(labels)  # (windows, outputs)
            self.clock.lap("head")
            self._steps += 1
            now = rates(self._steps)
            site_gradient, idle_gradient = self._first.backward(todo, features, gradient, now)
            self.clock.lap("first layer back, with Adam")
            found = self._convolution.backward(todo, site_gradient, idle_gradient)
            for mine, gradients in zip(self._convolution_gradients, found, strict=True):
                for target, source in zip(mine, gradients, strict=True):
                    target.copy_(source)
            small = self._small
            adam(small.weights, small.gradient, small.mean, small.square, now)
            self.clock.lap("convolution")
        return loss

    def logits(self, grid: PrimeGrid) -> NDArray[np.float32]:
        parts = []
        with one_torch_thread():
            for start in range(0, grid.count, self._piece):
                self._forward(grid.part(start, min(start + self._piece, grid.count)))
                parts.append(self._head.logits.numpy().copy())
        return np.concatenate(parts)

    def _forward(self, grid: PrimeGrid) -> tuple[Plan, FloatArray]:
        todo = plan(grid, self._kernels)
        self.clock.lap("plan")
        features = self._convolution.forward(todo)  # (sites, height, channels)
        self.clock.lap("convolution")
        sums = self._first.forward(todo, features)  # (windows, outputs)
        self.clock.lap("first layer")
        self._head.forward(sums)
        return todo, features

    def weights(self) -> dict[str, Tensor]:
        return self._canonical(0, self._small.weights)

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        self._take(0, self._small.weights, weights)
        self._first.refresh()

    def state(self) -> dict[str, Tensor]:
        found = self.weights()
        for at, (prefix, array) in enumerate(self._moments(), start=1):
            found |= {prefix + name: tensor for name, tensor in self._canonical(at, array).items()}
        return found | {"step": torch.tensor(self._steps)}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        self.load_weights(state)
        for at, (prefix, array) in enumerate(self._moments(), start=1):
            self._take(
                at, array, {n.removeprefix(prefix): w for n, w in state.items() if n.startswith(prefix)}
            )
        self._steps = int(state["step"])

    def _moments(self) -> tuple[tuple[str, FloatArray], tuple[str, FloatArray]]:
        return ("mean.", self._small.mean), ("square.", self._small.square)

    def _canonical(self, at: int, small: FloatArray) -> dict[str, Tensor]:
        """One of the first layer's arrays and the one of the small parameters, as PyTorch has them."""
        found = {name: view.clone() for name, view in self._small.views(small).items()}
        return found | {FIRST: from_blocks(self._first.state[at].reshape(self._first.shape))}

    def _take(self, at: int, small: FloatArray, given: Mapping[str, Tensor]) -> None:
        for name, view in self._small.views(small).items():
            view.copy_(given[name])
        to_blocks(given[FIRST], self._first.state[at].reshape(self._first.shape))
