"""Parameters in flat arrays beside their gradient and Adam's memory, with PyTorch's view of each."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv.engines.base import BETAS, EPSILON

FloatArray = NDArray[np.float32]
Rates = tuple[np.float32, ...]


def rates(step: int, learning_rate: float, weight_decay: float) -> Rates:
    """The factors of Adam's step, the first being step 1, as `kernels.adam` takes them: computed in double,
    then rounded once. Decay is decoupled: each step takes learning_rate * weight_decay of a weight off it."""
    beta1, beta2 = BETAS
    exact = (
        1 - beta1,
        beta2,
        1 - beta2,
        learning_rate / (1 - beta1**step),
        (1 - beta2**step) ** -0.5,
        EPSILON,
        learning_rate * weight_decay,
    )
    return tuple(np.float32(rate) for rate in exact)


_LINE = 16  # floats in a cache line


def flat_array(size: int) -> FloatArray:
    """Zeros that start at a cache line: vectors never straddle two, and BLAS gives the same bits twice."""
    spare = np.zeros(size + _LINE, dtype=np.float32)
    start = -(spare.ctypes.data // 4) % _LINE
    return spare[start : start + size]


class Workspace:
    """An array that is kept from step to step and grows as it must: a fresh one would have to be mapped, page
    by page, in every step. What it holds between two calls of `of` is anything."""

    def __init__(self) -> None:
        self._array = flat_array(0)

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    def of(self, *shape: int) -> FloatArray:
        size = prod(shape)
        if size > len(self._array):
            self._array = flat_array(size + size // 4)  # most batches that are larger than this one, too
        return self._array[:size].reshape(shape)


def to_blocks(canonical: Tensor, blocks: FloatArray) -> None:
    """(outputs, channels * height * columns), as PyTorch has it -> (columns, height, channels, outputs)"""
    columns, height, channels, outputs = blocks.shape
    source = canonical.reshape(outputs, channels, height, columns)
    torch.from_numpy(blocks).copy_(source.permute(3, 2, 1, 0))


def from_blocks(blocks: FloatArray) -> Tensor:
    """The inverse of `to_blocks`: a copy in every case, also where no number would have to move."""
    canonical = torch.empty(blocks.shape[::-1])  # (outputs, channels, height, columns)
    return canonical.copy_(torch.from_numpy(blocks).permute(3, 2, 1, 0)).flatten(1)


class FlatParameters:
    """Named parameters of one optimizer: `weights`, `gradient`, `mean` and `square` as flat arrays."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self._shapes = dict(shapes)
        size = sum(prod(shape) for shape in shapes.values())
        self.weights, self.gradient, self.mean, self.square = (flat_array(size) for _ in range(4))

    def views(self, array: FloatArray) -> dict[str, Tensor]:
        """Each parameter's part of one of the four arrays, in its shape."""
        parts, start = {}, 0
        for name, shape in self._shapes.items():
            parts[name] = torch.from_numpy(array[start : start + prod(shape)]).view(shape)
            start += prod(shape)
        return parts
