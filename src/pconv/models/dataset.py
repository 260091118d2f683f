"""The examples of a run as a torch dataset, for custom training loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import split
from pconv.data.examples import encode, labels_of
from pconv.data.grid import checked_numbers
from pconv.errors import InputError

PARTS = ("training", "validation", "test")

Example = tuple[Tensor, int]


class PrimeGridDataset(Dataset[Example]):
    """A map-style dataset: example i is the grid of the i-th number, (rows, columns), and its class.

    Only the numbers are stored. Grids are computed on access, a batch at a time, so that a dataset of a
    million numbers takes little memory and is quickly sent to a loader's workers.

    Parameters
    ----------
    config
        Determines a number's grid and class.
    numbers
        The numbers.

    Examples
    --------
    >>> from pconv import RunConfig
    >>> grid, label = PrimeGridDataset(RunConfig(modulus=5, offsets=(0, 1), primes=4), [24, 25])[0]
    >>> grid.tolist(), label  # 24 = 2^3 * 3 and 25 = 5^2
    ([[3.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]], 4)
    """

    def __init__(self, config: RunConfig, numbers: Sequence[int] | IntArray) -> None:
        given = np.asarray(numbers)
        if given.size and given.dtype.kind not in "iuO":  # O: too large, which `checked_numbers` reports
            raise InputError("numbers", f"of type {given.dtype}", "must be whole numbers")
        self.config = config
        # A number without a grid is an error now, and not in the middle of an epoch.
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
            raise IndexError(f"example {index} of {len(self)}")  # also ends a plain for loop
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[Example]:
        """Several examples at once, as a DataLoader fetches them; several times as fast as one by one."""
        numbers = self.numbers[list(indices)]
        grids = torch.from_numpy(encode(self.config, numbers).dense())  # (count, rows, columns)
        return list(zip(grids, labels_of(self.config, numbers).tolist(), strict=True))
