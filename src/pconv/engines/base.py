"""What every way of computing a run must offer. All engines do the same mathematics: one step is a forward
pass, the mean cross-entropy's gradient and one step of Adam on every weight, which also loses the share
learning rate x weight decay of itself, as in torch.optim.AdamW; only rounding differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from pconv.data.grid import PrimeGrid

BETAS = (0.9, 0.999)
EPSILON = 1e-8
"""Adam as PyTorch sets it by default; the paper names neither. The rates are in a run's configuration."""


class Engine(Protocol):
    """The contract that tests/engines/test_engines.py holds every engine to."""

    @property
    def name(self) -> str:
        """As it stands in a run's record."""

    @property
    def revision(self) -> int:
        """Goes up whenever the engine rounds differently, so that a record says which one made it."""

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> float:
        """Learn from one batch; the loss is the one before the step."""

    def logits(self, grid: PrimeGrid) -> NDArray[np.float32]:
        """The network's answer, (windows, classes); changes nothing."""

    def weights(self) -> dict[str, Tensor]:
        """A copy of the weights under PyTorch's names, on the CPU."""

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Take these weights; the optimizer's memory stays as it is."""

    def state_items(self) -> Iterator[tuple[str, Tensor]]:
        """A copy of all that the next step depends on: the weights, Adam's `mean.` and `square.` of each
        under its name, and the number of steps done as `step`; one after the other, to save memory."""

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from that state: by the same engine to the bit, by another up to rounding."""
