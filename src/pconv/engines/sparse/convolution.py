"""The convolutions with pooling and activation, computed at the sites of a plan alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv._arrays import FloatArray
from pconv.engines.sparse.background import Background, BackgroundOfOne
from pconv.engines.sparse.kernels.arguments import (
    LayerBackground,
    LayerGradients,
    LayerInput,
    LayerShape,
    PooledSites,
    Sites,
)
from pconv.engines.sparse.kernels.convolution import convolve, convolve_backward
from pconv.engines.sparse.parameters import Workspace
from pconv.engines.sparse.plan import Plan
from pconv.engines.sparse.workers import Workers, pieces
from pconv.models.sizes import SLOPE

_PIECES = 4  # pieces of a batch for each thread, so that no thread waits long for another
_RUN = 32  # floats that a compiled loop adds at once: runs are padded to a multiple


class Convolution:
    """The features at the last map's sites as deviation from the background, and the backward pass to the
    convolutions' parameters.

    Parameters
    ----------
    rows, columns
        The size of the grid.
    parameters
        The (weight, bias) of each convolution, as views of the engine's own arrays.
    workers
        The threads.
    """

    def __init__(
        self,
        rows: int,
        columns: int,
        parameters: Sequence[tuple[Tensor, Tensor]],
        workers: Workers,
    ) -> None:
        self._parameters = parameters
        self._workers = workers
        self._slopes = [np.float32(1)] * (len(parameters) - 1) + [np.float32(SLOPE)]
        self.workspaces = [Workspace() for _ in parameters]  # each layer's values, kept between steps
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
            shape = (len(sites.column), *background.idle[layer].shape[1:])
            values, choice = self.workspaces[layer].of(*shape), np.empty(shape, dtype=np.uint8)
            shared = (
                *self._input(plan, layer),
                LayerBackground(
                    background.kind[layer],
                    background.empty[layer].reshape(-1),
                    background.idle[layer].reshape(-1),
                ),
                self._slopes[layer],
                PooledSites(values.reshape(-1), choice.reshape(-1)),
            )
            self._workers.run((convolve, sites, *part, *shared) for part in self._parts(sites))
            self._values.append(values)
            self._choices.append(choice)
        return self._values[-1]

    def backward(self, plan: Plan, gradient: FloatArray, idle: FloatArray) -> list[tuple[Tensor, Tensor]]:
        """The gradient of each layer's (weight, bias).

        Parameters
        ----------
        plan
            The batch's plan.
        gradient
            The gradient of the features at the sites.
        idle
            The gradient of the background's features.
        """
        background = self.background
        kernels, empties, idles = [], [], []  # gradients, from the last layer to the first
        for layer in reversed(range(len(self._kernels))):
            sites = plan.maps[layer + 1]
            parts = self._parts(sites)
            # Each piece of the batch has its own arrays, which are summed in the order of the pieces.
            like = self._kernels[layer], background.empty[layer], background.idle[layer]
            places = [np.zeros((len(parts), array.size), dtype=np.float32) for array in like]
            below = np.zeros_like(self._values[layer] if layer else self._values[0][:0])
            shared = (
                *self._input(plan, layer),
                background.kind[layer],
                self._slopes[layer],
                PooledSites(gradient.reshape(-1), self._choices[layer].reshape(-1)),
            )
            calls = (
                (
                    convolve_backward,
                    sites,
                    *part,
                    *shared,
                    LayerGradients(taps, empty, rest, below.reshape(-1)),
                )
                for part, taps, empty, rest in zip(parts, *places, strict=True)
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

    def _input(self, plan: Plan, layer: int) -> tuple[LayerInput, LayerShape]:
        """A layer's input and sizes, for the compiled loops."""
        weight, _ = self._parameters[layer]
        channels, incoming, k, _ = weight.shape
        values, sites = self._values[layer], plan.maps[layer]
        taps, height = self._kernels[layer], self.background.idle[layer].shape[1]
        shape = LayerShape(k, incoming, values.shape[1], height, channels, taps.shape[-1])
        return LayerInput(values.reshape(-1), sites, taps.reshape(-1)), shape

    def _parts(self, sites: Sites) -> list[tuple[int, int]]:
        """The sites in pieces (first, end) of whole windows: no two of them share an input site."""
        threads = self._workers.threads
        windows = pieces(len(sites.pointer) - 1, 1 if threads == 1 else _PIECES * threads)
        return [(int(sites.pointer[first]), int(sites.pointer[end])) for first, end in windows]


def _paired(weight: FloatArray) -> FloatArray:
    """(channels, incoming, k rows, k columns) -> (k + 1 columns, incoming, run). A run is what an input
    column adds to the two columns of convolution that are pooled, (k rows from below, 2, channels), padded
    with zeros."""
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
    """The gradient of a weight of this shape from the gradient of its `_paired` form."""
    channels, incoming, k, _ = shape
    pairs = taps[:, :, : k * 2 * channels].reshape(k + 1, incoming, k, 2, channels)
    flipped = pairs[:-1, :, :, 0] + pairs[1:, :, :, 1]
    return np.ascontiguousarray(flipped[:, :, ::-1].transpose(3, 1, 2, 0))
