"""The compact engine: for one convolution over few columns, where most columns are touched by some prime.

Only the convolution skips the grid's zeros; its features are a full matrix, and the linear layers are matrix
products in preallocated arrays. All parameters lie in one array, which Adam walks once.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv.arithmetic.windows import PrimeGrid
from pconv.config import RunConfig
from pconv.learn.compact_kernels import convolve_windows, convolve_windows_backward
from pconv.learn.head import Head
from pconv.learn.kernels import OUT, adam
from pconv.learn.network import SLOPE, PrimeConvNet
from pconv.learn.parameters import FlatParameters, FloatArray, flat_array, from_blocks, rates, to_blocks
from pconv.learn.workers import Clock, one_torch_thread

FIRST = "linear.fc1.weight"
_VECTOR = 8  # floats that are added at once: runs are padded to whole vectors


class CompactEngine:
    """Implements `Engine` on the CPU for networks of one convolution."""

    name = "sparse"

    def __init__(self, config: RunConfig) -> None:
        weights = PrimeConvNet.of(config).state_dict()
        (channels,), (k,) = config.channels, config.kernels
        width, height = config.primes // 2, config.rows // 2
        run = -(-k * channels // _VECTOR) * _VECTOR
        stride = (config.primes - 1) * channels + run  # the last column's run ends where the next row begins
        self._shape = config.rows, k, height, width, channels, stride
        self._piece = config.batch_size
        self._steps = 0
        self.clock = Clock()  # of the last step
        # The first linear layer as (columns, height, channels, outputs), at the start, where it is aligned.
        shapes = {FIRST: torch.Size((width, height, channels, OUT))}
        shapes |= {name: w.shape for name, w in weights.items() if name != FIRST}
        self._parameters = FlatParameters(shapes)
        self._views = self._parameters.views(self._parameters.weights)
        self._gradients = self._parameters.views(self._parameters.gradient)
        self._head = Head(self._views, self._gradients)
        self._taps = flat_array(k * run).reshape(k, run)
        self._buffer = flat_array(2 * height * stride)
        self._windows = 0
        self.load_weights(weights)

    @property
    def bytes(self) -> int:
        """What its own lasting arrays take."""
        return 4 * self._parameters.weights.nbytes

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> float:
        with one_torch_thread():
            self.clock.start()
            self._forward(grid)
            loss, gradient = self._head.backward(labels)  # (windows, outputs)
            self.clock.lap("head")
            features = self._features
            torch.mm(features.t(), gradient, out=self._gradients[FIRST].view(-1, OUT))
            torch.mm(gradient, self._views[FIRST].view(-1, OUT).t(), out=self._feature_gradient)
            self.clock.lap("first layer")
            self._convolve_backward(grid)
            self.clock.lap("convolution")
            self._steps += 1
            all_ = self._parameters
            adam(all_.weights, all_.gradient, all_.mean, all_.square, rates(self._steps))
            self.clock.lap("Adam")
        return loss

    def logits(self, grid: PrimeGrid) -> NDArray[np.float32]:
        parts = []
        with one_torch_thread():
            for start in range(0, grid.count, self._piece):
                self._forward(grid.part(start, min(start + self._piece, grid.count)))
                parts.append(self._head.logits.numpy().copy())
        return np.concatenate(parts)

    def _forward(self, grid: PrimeGrid) -> None:
        self._prepare(grid.count)
        self._convolve(grid)
        self.clock.lap("convolution")
        torch.mm(self._features, self._views[FIRST].view(-1, OUT), out=self._sums)  # (windows, outputs)
        self.clock.lap("first layer")
        self._head.forward(self._sums)

    def _prepare(self, windows: int) -> None:
        if windows == self._windows:
            return
        _, _, height, width, channels, _ = self._shape
        features = width * height * channels
        self._features, self._feature_gradient = (
            torch.from_numpy(flat_array(windows * features)).view(windows, features) for _ in range(2)
        )
        self._places = np.zeros(windows * features, dtype=np.int32)
        self._sums = torch.from_numpy(flat_array(windows * OUT)).view(windows, OUT)
        self._windows = windows

    def _convolve(self, grid: PrimeGrid) -> None:
        """Fill `_features` (windows, columns * height * channels) and `_places`."""
        _, k, _, _, channels, stride = self._shape
        weight, bias = (self._views[f"convolution.conv1.{name}"].numpy() for name in ("weight", "bias"))
        # (channels, 1, k rows, k columns) -> (k rows from below, k columns from the right, channels)
        self._taps[:, : k * channels] = weight[:, 0, ::-1, ::-1].transpose(1, 2, 0).reshape(k, -1)
        empty = np.resize(bias, stride)
        empty = np.tile(empty, len(self._buffer) // stride)
        out = self._features.numpy().reshape(-1), self._places
        convolve_windows(_entries(grid), self._taps.reshape(-1), empty, self._shape, np.float32(SLOPE), out)

    def _convolve_backward(self, grid: PrimeGrid) -> None:
        _, k, _, _, channels, _ = self._shape
        weight, bias = (self._gradients[f"convolution.conv1.{name}"].numpy() for name in ("weight", "bias"))
        given = self._feature_gradient.numpy().reshape(-1), self._features.numpy().reshape(-1), self._places
        taps = np.zeros_like(self._taps)
        bias[:] = 0
        convolve_windows_backward(
            _entries(grid), given, self._shape, np.float32(SLOPE), self._buffer, (taps.reshape(-1), bias)
        )
        flipped = taps[::-1, : k * channels].reshape(k, k, channels)[:, ::-1]
        weight[:, 0] = flipped.transpose(2, 0, 1)

    def weights(self) -> dict[str, Tensor]:
        return self._canonical(self._parameters.weights)

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        self._take(self._parameters.weights, weights)

    def state(self) -> dict[str, Tensor]:
        found = self.weights()
        for prefix, array in self._moments():
            found |= {prefix + name: tensor for name, tensor in self._canonical(array).items()}
        return found | {"step": torch.tensor(self._steps)}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        self.load_weights(state)
        for prefix, array in self._moments():
            self._take(array, {n.removeprefix(prefix): w for n, w in state.items() if n.startswith(prefix)})
        self._steps = int(state["step"])

    def _moments(self) -> tuple[tuple[str, FloatArray], tuple[str, FloatArray]]:
        return ("mean.", self._parameters.mean), ("square.", self._parameters.square)

    def _canonical(self, array: FloatArray) -> dict[str, Tensor]:
        """One of the parameters' arrays as PyTorch has it."""
        views = self._parameters.views(array)
        return {
            name: from_blocks(view.numpy()) if name == FIRST else view.clone() for name, view in views.items()
        }

    def _take(self, array: FloatArray, given: Mapping[str, Tensor]) -> None:
        for name, view in self._parameters.views(array).items():
            if name == FIRST:
                to_blocks(given[name], view.numpy())
            else:
                view.copy_(given[name])


def _entries(grid: PrimeGrid) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
    return grid.indptr, grid.indices, grid.exponents
