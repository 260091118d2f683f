"""The convolutions' response to the all-zero window: the value of every column that no prime factor touches.

Away from the borders it does not depend on the column, so it is computed on a window that is just wide enough
to hold every *kind* of column once: those that padding reaches from the left, one that padding does not
reach, and those that padding reaches from the right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from pconv._arrays import FloatArray


class Background:
    """The all-zero window's feature maps, forward and backward, computed by PyTorch.

    Parameters
    ----------
    rows, columns
        The size of the grid.
    kernels
        The kernel size of each convolution.
    slope
        LeakyReLU's slope below zero.

    Attributes
    ----------
    kind
        For each layer, the kind of each pooled column: the number of the narrow window's column equal to it.
    empty
        For each layer the maps before pooling: (kinds, height, 2 rows, 2 columns, channels).
    idle
        For each layer the maps after pooling, the last one also after its activation: (kinds, height,
        channels).
    """

    def __init__(self, rows: int, columns: int, kernels: Sequence[int], slope: float) -> None:
        self._slope = slope
        self._rows = rows
        borders = _borders(kernels)
        self._narrow = _narrow(columns, borders)
        self.kind = [
            _kinds(columns >> layer, self._narrow >> layer, border) for layer, border in enumerate(borders, 1)
        ]
        self.empty: list[FloatArray] = []
        self.idle: list[FloatArray] = []

    def forward(self, parameters: Sequence[tuple[Tensor, Tensor]]) -> None:
        """Compute the maps from the (weight, bias) of each convolution."""
        self._leaves = [w.detach().requires_grad_() for pair in parameters for w in pair]
        self._outputs: list[Tensor] = []
        with torch.enable_grad():
            bias = self._leaves[1]  # the first convolution's response to an all-zero input
            maps = bias[:, None, None].expand(-1, self._rows, self._narrow)  # (channels, rows, columns)
            for layer in range(len(parameters)):
                if layer:
                    weight, bias = self._leaves[2 * layer : 2 * layer + 2]
                    maps = functional.conv2d(maps, weight, bias, padding=weight.shape[-1] // 2)
                pairs = _pairs(maps)
                maps = functional.max_pool2d(maps[None], 2)[0]
                self._outputs += [pairs, maps]
            self._outputs[-1] = functional.leaky_relu(maps, self._slope)
        self.empty = [np.ascontiguousarray(pairs.detach().numpy()) for pairs in self._outputs[::2]]
        # (channels, height, columns) -> (columns, height, channels)
        self.idle = [
            np.ascontiguousarray(maps.detach().permute(2, 1, 0).numpy()) for maps in self._outputs[1::2]
        ]

    def backward(
        self, empty: Sequence[FloatArray], idle: Sequence[FloatArray]
    ) -> list[tuple[Tensor, Tensor]]:
        """The gradients of each convolution's (weight, bias), from those of the maps."""
        given = []
        for before, after in zip(empty, idle, strict=True):
            given += [torch.from_numpy(before), torch.from_numpy(after).permute(2, 1, 0)]
        gradients = torch.autograd.grad(self._outputs, self._leaves, given, materialize_grads=True)
        return list(zip(gradients[::2], gradients[1::2], strict=True))


class BackgroundOfOne(Background):
    """The same for one convolution, whose response to an all-zero input is its bias. This saves the
    millisecond that PyTorch's autograd takes in every step."""

    def forward(self, parameters: Sequence[tuple[Tensor, Tensor]]) -> None:
        weight, bias = (parameter.numpy() for parameter in parameters[0])
        self._weight_gradient = torch.zeros(weight.shape)
        self._slopes = np.where(bias > 0, np.float32(1), np.float32(self._slope))
        height = self._rows // 2
        self.empty = [np.tile(bias, (1, height, 2, 2, 1))]
        self.idle = [np.tile(bias * self._slopes, (1, height, 1))]

    def backward(
        self, empty: Sequence[FloatArray], idle: Sequence[FloatArray]
    ) -> list[tuple[Tensor, Tensor]]:
        bias = empty[0].sum((0, 1, 2, 3)) + idle[0].sum((0, 1)) * self._slopes
        return [(self._weight_gradient, torch.from_numpy(bias))]


def _pairs(maps: Tensor) -> Tensor:
    """(channels, rows, columns) -> (columns / 2, rows / 2, 2 rows, 2 columns, channels)"""
    channels, rows, columns = maps.shape
    even = maps[:, : rows // 2 * 2, : columns // 2 * 2]
    return even.reshape(channels, rows // 2, 2, columns // 2, 2).permute(3, 1, 2, 4, 0)


def _borders(kernels: Sequence[int]) -> list[int]:
    """The number of columns of each pooled map that padding reaches, at either side.

    >>> _borders([7, 7])  # padding an all-zero window with zeros changes nothing in the first layer
    [0, 2]
    """
    found = [0]
    for kernel in kernels[1:]:
        found.append((found[-1] + kernel // 2 + 1) // 2)
    return found


def _narrow(columns: int, borders: Sequence[int]) -> int:
    """The smallest width that holds every kind of column and is halved like the true width."""
    step = 1 << len(borders)
    width = step + columns % step
    while any(width >> layer < 2 * border + 1 for layer, border in enumerate(borders, 1)):
        width += step
    return min(width, columns)


def _kinds(columns: int, narrow: int, border: int) -> NDArray[np.int64]:
    """The kind of each column.

    >>> _kinds(8, 5, 2).tolist()
    [0, 1, 2, 2, 2, 2, 3, 4]
    """
    column = np.arange(columns)
    if narrow == columns:
        return column
    right = column - (columns - narrow)
    return np.where(column < border, column, np.where(column >= columns - border, right, border))
