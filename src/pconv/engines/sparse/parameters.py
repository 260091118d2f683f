"""Parameters, their gradient and Adam's moments in flat arrays, with views under PyTorch's names."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import torch
from torch import Tensor

from pconv._arrays import FloatArray
from pconv.engines.base import BETAS, EPSILON
from pconv.engines.sparse.kernels.arguments import AdamRates


def adam_rates(step: int, learning_rate: float, weight_decay: float) -> AdamRates:
    """The factors of one step of Adam.

    Parameters
    ----------
    step
        The number of the step; the first is 1.
    learning_rate, weight_decay
        As in torch.optim.AdamW. The decay is decoupled: a step subtracts learning_rate * weight_decay times
        the weight.
    """
    beta1, beta2 = BETAS
    return AdamRates(
        mean_rate=np.float32(1 - beta1),
        square_keep=np.float32(beta2),
        square_rate=np.float32(1 - beta2),
        step_size=np.float32(learning_rate / (1 - beta1**step)),
        correction=np.float32((1 - beta2**step) ** -0.5),
        epsilon=np.float32(EPSILON),
        decay=np.float32(learning_rate * weight_decay),
    )


_LINE = 16  # floats in a cache line


def flat_array(size: int) -> FloatArray:
    """Zeros that start at a cache line: vectors never straddle two lines, and BLAS rounds reproducibly."""
    spare = np.zeros(size + _LINE, dtype=np.float32)
    start = -(spare.ctypes.data // 4) % _LINE
    return spare[start : start + size]


class Workspace:
    """An array that is kept from step to step and grows when needed: the system would have to map the pages
    of a new one in every step. Its contents are not defined between two calls of `of`."""

    def __init__(self) -> None:
        self._array = flat_array(0)

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    def of(self, *shape: int) -> FloatArray:
        """An array of this shape, with undefined contents."""
        size = prod(shape)
        if size > len(self._array):
            self._array = flat_array(size + size // 4)  # enough for most larger batches, too
        return self._array[:size].reshape(shape)


_COLUMNS = 128
"""Columns that are copied at a time. All of them would take half a minute in the largest networks, in which
Ctrl-C would not be heard."""


def to_blocks(canonical: Tensor, blocks: FloatArray) -> None:
    """Writes PyTorch's (outputs, channels * height * columns) as (columns, height, channels, outputs)."""
    columns, height, channels, outputs = blocks.shape
    source = canonical.reshape(outputs, channels, height, columns).permute(3, 2, 1, 0)
    target = torch.from_numpy(blocks)
    for start in range(0, columns, _COLUMNS):
        part = slice(start, start + _COLUMNS)
        target[part].copy_(source[part])


def from_blocks(blocks: FloatArray) -> Tensor:
    """The inverse of `to_blocks`; always a copy."""
    canonical = torch.empty(blocks.shape[::-1])  # (outputs, channels, height, columns)
    source = torch.from_numpy(blocks).permute(3, 2, 1, 0)
    for start in range(0, len(blocks), _COLUMNS):
        part = slice(start, start + _COLUMNS)
        canonical[..., part].copy_(source[..., part])
    return canonical.flatten(1)


class FlatParameters:
    """Named parameters and their optimizer's state: `weights`, `gradient`, `mean` and `square` as flat
    arrays."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self._shapes = dict(shapes)
        size = sum(prod(shape) for shape in shapes.values())
        self.weights, self.gradient, self.mean, self.square = (flat_array(size) for _ in range(4))

    def views(self, array: FloatArray) -> dict[str, Tensor]:
        """Each parameter's part of one of the four arrays, as a tensor of the parameter's shape."""
        parts, start = {}, 0
        for name, shape in self._shapes.items():
            parts[name] = torch.from_numpy(array[start : start + prod(shape)]).view(shape)
            start += prod(shape)
        return parts


def convolution_of(views: Mapping[str, Tensor], name: str) -> tuple[Tensor, Tensor]:
    """A convolution's weight and bias, of one of the four arrays. Without a bias in the network the second is
    an array of zeros of its own: what is written to it is lost."""
    weight = views[f"{name}.weight"]
    bias = views.get(f"{name}.bias")
    return weight, torch.zeros(len(weight)) if bias is None else bias
