"""The convolutional part of the sparse engines: only the sites of a plan are computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv.engines.sparse.background import Background, BackgroundOfOne, FloatArray
from pconv.engines.sparse.kernels.convolution import convolve, convolve_backward
from pconv.engines.sparse.parameters import Workspace
from pconv.engines.sparse.plan import Plan, Sites
from pconv.engines.sparse.workers import Workers, pieces
from pconv.models.pconv import SLOPE

_PIECES = 4  # of a batch, for each thread, so that none waits long for another
_RUN = 32  # floats that a compiled loop adds at once: runs are padded to whole ones


class Convolution:
    """Features at the last map's sites as deviation from the background, and the gradients back to the
    convolutions' parameters."""

    def __init__(
        self,
        rows: int,
        columns: int,
        parameters: Sequence[tuple[Tensor, Tensor]],
        workers: Workers,
    ) -> None:
        self._parameters = parameters  # (weight, bias) of each layer, views of the engine's own arrays
        self._workers = workers
        self._slopes = [np.float32(1)] * (len(parameters) - 1) + [np.float32(SLOPE)]
        self.rooms = [Workspace() for _ in parameters]  # of each layer's values, kept between steps
        kind = BackgroundOfOne if len(parameters) == 1 else Background
        self.background = kind(rows, columns, [w.shape[-1] for w, _ in parameters], SLOPE)

    def forward(self, plan: Plan) -> FloatArray:
        """(sites of the last map, pooled height, channels)"""
        background = self.background
        background.forward(self._parameters)
        self._kernels = [_paired(weight.numpy()) for weight, _ in self._parameters]
        self._values = [plan.values]
        self._choices: list[NDArray[np.uint8]] = []
        for layer, sites in enumerate(plan.maps[1:]):
            shape = (sites.count, *background.idle[layer].shape[1:])
            values, choice = self.rooms[layer].of(*shape), np.empty(shape, dtype=np.uint8)
            idle = background.empty[layer].reshape(-1), background.idle[layer].reshape(-1)
            shared = (
                *self._input(plan, layer),
                (background.kind[layer], *idle),
                self._slopes[layer],
                (values.reshape(-1), choice.reshape(-1)),
            )
            self._workers.run((convolve, part, *shared) for part in self._parts(sites))
            self._values.append(values)
            self._choices.append(choice)
        return self._values[-1]

    def backward(self, plan: Plan, gradient: FloatArray, idle: FloatArray) -> list[tuple[Tensor, Tensor]]:
        """The gradient of each layer's (weight, bias), from that of the features at the sites and that of the
        background's features."""
        background = self.background
        kernels, empties, idles = [], [], []  # gradients, from the last layer to the first
        for layer in reversed(range(len(self._kernels))):
            parts = self._parts(plan.maps[layer + 1])
            # A place for each piece of the batch; they are summed in their order.
            like = self._kernels[layer], background.empty[layer], background.idle[layer]
            places = [np.zeros((len(parts), array.size), dtype=np.float32) for array in like]
            below = np.zeros_like(self._values[layer] if layer else self._values[0][:0])
            shared = (
                *self._input(plan, layer),
                background.kind[layer],
                self._slopes[layer],
                (gradient.reshape(-1), self._choices[layer].reshape(-1)),
            )
            calls = (
                (convolve_backward, part, *shared, (*place, below.reshape(-1)))
                for part, place in zip(parts, zip(*places, strict=True), strict=True)
            )
            self._workers.run(calls)
            sums = [place.sum(0).reshape(array.shape) for place, array in zip(places, like, strict=True)]
            kernels.append(_unpaired(sums[0], self._parameters[layer][0].shape))
            empties.append(sums[1])
            idles.append(sums[2])
            gradient = below
        idles[0] += idle
        still = background.backward(empties[::-1], idles[::-1])
        return [
            (weight + torch.from_numpy(kernel), bias)
            for (weight, bias), kernel in zip(still, kernels[::-1], strict=True)
        ]

    def _input(self, plan: Plan, layer: int) -> tuple[Any, ...]:
        """What the kernels are told of a layer: its input, its taps, and (k, channels in, height before,
        pooled height, channels, run of taps)."""
        weight, _ = self._parameters[layer]
        channels, incoming, k, _ = weight.shape
        values, sites = self._values[layer], plan.maps[layer]
        taps, height = self._kernels[layer], self.background.idle[layer].shape[1]
        shape = k, incoming, values.shape[1], height, channels, taps.shape[-1]
        return values.reshape(-1), (sites.column, sites.rows), taps.reshape(-1), shape

    def _parts(self, sites: Sites) -> list[tuple[Any, ...]]:
        """The sites in pieces of whole windows: no two of them share an input site."""
        threads = self._workers.threads
        windows = pieces(len(sites.pointer) - 1, 1 if threads == 1 else _PIECES * threads)
        ends = [(int(sites.pointer[first]), int(sites.pointer[end])) for first, end in windows]
        return [(sites.column, sites.rows, sites.source, first, end) for first, end in ends]


def _paired(weight: FloatArray) -> FloatArray:
    """(channels, incoming, k rows, k columns) -> (k + 1 columns, incoming, run): what an input column adds to
    the two columns of convolution that will be pooled, (k rows from below, 2, channels) and zeros."""
    flipped = weight.transpose(3, 1, 2, 0)[:, :, ::-1]  # (k columns, incoming, k rows from below, channels)
    k, incoming, _, channels = flipped.shape
    pairs = np.zeros((k + 1, incoming, k, 2, channels), dtype=np.float32)
    pairs[:-1, :, :, 0] = flipped
    pairs[1:, :, :, 1] = flipped
    used = k * 2 * channels
    taps = np.zeros((k + 1, incoming, -(-used // _RUN) * _RUN), dtype=np.float32)
    taps[:, :, :used] = pairs.reshape(k + 1, incoming, used)
    return taps


def _unpaired(taps: FloatArray, shape: torch.Size) -> FloatArray:
    """The gradient of a weight of that shape from that of its `_paired`."""
    channels, incoming, k, _ = shape
    pairs = taps[:, :, : k * 2 * channels].reshape(k + 1, incoming, k, 2, channels)
    flipped = pairs[:-1, :, :, 0] + pairs[1:, :, :, 1]
    return np.ascontiguousarray(flipped[:, :, ::-1].transpose(3, 1, 2, 0))
