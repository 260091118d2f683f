"""The examples of a run as a torch dataset, for training loops of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from pconv.config import RunConfig
from pconv.data.domain import split
from pconv.data.examples import encode, labels_of
from pconv.data.grid import checked_numbers
from pconv.data.primes import IntArray
from pconv.errors import InputError

PARTS = ("training", "validation", "test")

Example = tuple[Tensor, int]


class PrimeGridDataset(Dataset[Example]):
    """Map-style: example i is the grid of number i, (rows, columns), and its class.

    Only the numbers are kept. Grids are made when they are asked for, a batch at a time, so that a dataset of
    a million numbers is small in memory and quick to send to a loader's workers.

    >>> from pconv import RunConfig
    >>> grid, label = PrimeGridDataset(RunConfig(modulus=5, offsets=(0, 1), primes=4), [24, 25])[0]
    >>> grid.tolist(), label  # 24 = 2^3 * 3 and 25 = 5^2
    ([[3.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]], 4)
    """

    def __init__(self, config: RunConfig, numbers: Sequence[int] | IntArray) -> None:
        given = np.asarray(numbers)
        if given.size and given.dtype.kind not in "iuO":  # O: too large, and the grid says what is allowed
            raise InputError("numbers", f"of type {given.dtype}", "must be whole numbers")
        self.config = config
        # It says now, and not in the middle of an epoch, which number has no grid.
        self.numbers = checked_numbers(numbers, config.offsets).copy()

    @classmethod
    def drawn(cls, config: RunConfig, part: str = "training") -> Self:
        """The numbers that a run is trained, validated or tested on, in the run's order."""
        if part not in PARTS:
            raise InputError("part", repr(part), f"must be one of: {', '.join(PARTS)}")
        return cls(config, getattr(split(config), part).ravel())

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> Example:
        if not -len(self) <= index < len(self):
            raise IndexError(f"example {index} of {len(self)}")  # also what ends a plain for loop
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[Example]:
        """Many examples at once: what a DataLoader asks for, and several times as quick."""
        numbers = self.numbers[list(indices)]
        grids = torch.from_numpy(encode(self.config, numbers).dense())  # (count, rows, columns)
        return list(zip(grids, labels_of(self.config, numbers).tolist(), strict=True))
