"""The network's response to the empty window: what every column that no prime touches holds.

Away from the borders it does not depend on the column, so it is computed on a window just wide enough to hold
every kind of column once: those that padding reaches from the left, one that it does not reach, and those that
it reaches from the right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

FloatArray = NDArray[np.float32]


class Background:
    """The empty window's maps through the convolutions, forward and backward, by PyTorch itself.

    Lists run over the layers. `empty` are the maps before pooling, `idle` those after it (the last one after
    its activation too), all as (narrow columns, rows, channels); `empty_kind` and `idle_kind` name the narrow
    column that stands for each true one.
    """

    def __init__(self, rows: int, columns: int, kernels: Sequence[int], slope: float) -> None:
        self._slope = slope
        borders = _borders(kernels)
        narrow = _narrow(columns, borders)
        self._window = torch.zeros(1, 1, rows, narrow)
        self.empty_kind, self.idle_kind = [], []
        for layer, (before, after) in enumerate(borders):
            self.empty_kind.append(_kinds(columns >> layer, narrow >> layer, before))
            self.idle_kind.append(_kinds(columns >> layer + 1, narrow >> layer + 1, after))
        self.empty: list[FloatArray] = []
        self.idle: list[FloatArray] = []

    def forward(self, parameters: Sequence[tuple[Tensor, Tensor]]) -> None:
        """Take the (weight, bias) of each convolution and compute the maps."""
        self._leaves = [w.detach().requires_grad_() for pair in parameters for w in pair]
        self._outputs: list[Tensor] = []
        maps = self._window
        with torch.enable_grad():
            for weight, bias in zip(self._leaves[::2], self._leaves[1::2], strict=True):
                before = functional.conv2d(maps, weight, bias, padding=weight.shape[-1] // 2)
                maps = functional.max_pool2d(before, 2)
                self._outputs += [before, maps]
            self._outputs[-1] = functional.leaky_relu(maps, self._slope)
        # (1, channels, rows, columns) -> (columns, rows, channels)
        arrays = [np.ascontiguousarray(maps.detach()[0].permute(2, 1, 0).numpy()) for maps in self._outputs]
        self.empty, self.idle = arrays[::2], arrays[1::2]

    def backward(
        self, empty: Sequence[FloatArray], idle: Sequence[FloatArray]
    ) -> list[tuple[Tensor, Tensor]]:
        """The gradients of each convolution's (weight, bias), from those of the maps."""
        given = [g for pair in zip(empty, idle, strict=True) for g in pair]
        gradients = torch.autograd.grad(
            self._outputs, self._leaves, [torch.from_numpy(g).permute(2, 1, 0)[None] for g in given]
        )
        return list(zip(gradients[::2], gradients[1::2], strict=True))


def _borders(kernels: Sequence[int]) -> list[tuple[int, int]]:
    """How many columns padding reaches at each side, before and after each pooling.

    >>> _borders([7, 7])  # the first convolution pads an empty window with what it holds already
    [(0, 0), (3, 2)]
    """
    found = []
    after = 0
    for layer, kernel in enumerate(kernels):
        before = after + kernel // 2 if layer else 0
        after = (before + 1) // 2
        found.append((before, after))
    return found


def _narrow(columns: int, borders: Sequence[tuple[int, int]]) -> int:
    """The least width that holds every kind of column and halves as the true width does."""
    step = 2 ** len(borders)
    width = step + columns % step
    while any(
        width >> layer < 2 * before + 1 or width >> layer + 1 < 2 * after + 1
        for layer, (before, after) in enumerate(borders)
    ):
        width += step
    return min(width, columns)


def _kinds(columns: int, narrow: int, border: int) -> NDArray[np.int64]:
    """
    >>> _kinds(8, 5, 2).tolist()
    [0, 1, 2, 2, 2, 2, 3, 4]
    """
    column = np.arange(columns)
    if narrow == columns:
        return column
    right = column - (columns - narrow)
    return np.where(column < border, column, np.where(column >= columns - border, right, border))
