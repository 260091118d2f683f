"""The convolutional part of the sparse engines: only the sites of a plan are computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv.learn.background import Background, FloatArray
from pconv.learn.kernels import convolve, convolve_backward
from pconv.learn.network import SLOPE
from pconv.learn.plan import Plan, Sites
from pconv.learn.workers import Workers, pieces

_PIECES = 8  # of a batch, for the threads to share


class Convolution:
    """Features at the last map's sites, and the gradients back to the convolutions' parameters.

    With `whole` the features are returned as they are, else as deviation from the background.
    """

    def __init__(
        self,
        rows: int,
        columns: int,
        parameters: Sequence[tuple[Tensor, Tensor]],
        workers: Workers,
        whole: bool,
    ) -> None:
        self._parameters = parameters  # (weight, bias) of each layer, views of the engine's own arrays
        self._workers = workers
        self._whole = whole
        self._slopes = [np.float32(1)] * (len(parameters) - 1) + [np.float32(SLOPE)]
        self.background = Background(rows, columns, [w.shape[-1] for w, _ in parameters], SLOPE)

    def forward(self, plan: Plan) -> FloatArray:
        """(sites of the last map, pooled height, channels)"""
        background = self.background
        background.forward(self._parameters)
        # (channels, incoming, k rows, k columns) -> (k columns, incoming, k rows from below, channels)
        self._kernels = [
            np.ascontiguousarray(w.numpy().transpose(3, 1, 2, 0)[:, :, ::-1]) for w, _ in self._parameters
        ]
        self._values = [plan.values]
        self._choices: list[NDArray[np.uint8]] = []
        for layer, sites in enumerate(plan.maps[1:]):
            idle = background.idle[layer]
            shape = (sites.count, *idle.shape[1:])
            out = np.zeros(shape, dtype=np.float32), np.empty(shape, dtype=np.uint8)
            if self._whole and layer == len(self._kernels) - 1:
                idle = np.zeros_like(idle)
            shared = (
                self._values[layer].reshape(-1),
                (plan.maps[layer].column, plan.maps[layer].rows),
                self._kernels[layer].reshape(-1),
                self._shape(layer),
                (background.empty[layer], background.empty_kind[layer]),
                (idle, background.idle_kind[layer]),
                self._slopes[layer],
                out,
            )
            self._workers.run(convolve, ((part, *shared) for part in _parts(sites)))
            self._values.append(out[0])
            self._choices.append(out[1])
        return self._values[-1]

    def backward(
        self, plan: Plan, gradient: FloatArray, idle: FloatArray | None
    ) -> list[tuple[Tensor, Tensor]]:
        """The gradient of each layer's (weight, bias), from that of the features at the sites and that of the
        background's features (none where the features are whole)."""
        background = self.background
        kernels, empties, idles = [], [], []  # gradients, from the last layer to the first
        for layer in reversed(range(len(self._kernels))):
            parts = _parts(plan.maps[layer + 1])
            # A place for each piece of the batch; they are summed in their order.
            for_kernel, for_empty, for_idle = (
                np.zeros((len(parts), *like.shape), dtype=np.float32)
                for like in (self._kernels[layer], background.empty[layer], background.idle[layer])
            )
            before = np.zeros_like(self._values[layer] if layer else self._values[0][:0]).reshape(-1)
            shared = (
                self._values[layer].reshape(-1),
                (plan.maps[layer].column, plan.maps[layer].rows),
                self._kernels[layer].reshape(-1),
                self._shape(layer),
                (background.empty_kind[layer], background.idle_kind[layer]),
                self._slopes[layer],
                (gradient, self._choices[layer]),
            )
            places = zip(for_kernel.reshape(len(parts), -1), for_empty, for_idle, strict=True)
            calls = ((part, *shared, (*place, before)) for part, place in zip(parts, places, strict=True))
            self._workers.run(convolve_backward, calls)
            kernels.append(for_kernel.sum(0)[:, :, ::-1].transpose(3, 1, 2, 0))
            empties.append(for_empty.sum(0))
            if layer == len(self._kernels) - 1:
                idles.append(np.zeros_like(for_idle[0]) if idle is None else for_idle.sum(0) + idle)
            else:
                idles.append(for_idle.sum(0))
            gradient = before.reshape(self._values[layer].shape) if layer else before
        still = background.backward(empties[::-1], idles[::-1])
        return [
            (weight + torch.from_numpy(kernel.copy()), bias)
            for (weight, bias), kernel in zip(still, kernels[::-1], strict=True)
        ]

    def _shape(self, layer: int) -> tuple[int, ...]:
        """(k, channels in, height before, pooled height, channels)"""
        k, incoming, _, channels = self._kernels[layer].shape
        return k, incoming, self._values[layer].shape[1], self.background.idle[layer].shape[1], channels


def _parts(sites: Sites) -> list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], int, int]]:
    windows = pieces(len(sites.pointer) - 1, _PIECES)
    ends = [(int(sites.pointer[first]), int(sites.pointer[end])) for first, end in windows]
    return [(sites.column, sites.rows, sites.source, first, end) for first, end in ends]
