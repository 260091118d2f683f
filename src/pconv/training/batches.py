"""One pass over the training batches: the innermost loop of every training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pconv._arrays import IntArray
from pconv.data.grid import PrimeGrid
from pconv.engines.base import Engine

Batch = tuple[PrimeGrid, IntArray]
"""Examples and their labels."""


def minibatches(grid: PrimeGrid, labels: IntArray, size: int) -> Iterator[Batch]:
    """Splits examples into batches of `size`, in their order; the last may be smaller.

    >>> import numpy as np
    >>> from pconv.data.grid import prime_grid
    >>> numbers = np.arange(1, 6)
    >>> [y.tolist() for _, y in minibatches(prime_grid(numbers, (0, 1), 3), numbers % 2, 2)]
    [[1, 0], [1, 0], [1]]
    """
    for start in range(0, grid.count, size):
        stop = min(start + size, grid.count)
        yield grid.part(start, stop), labels[start:stop]


def train_batches(
    engine: Engine, batches: Iterable[Batch], on_batch: Callable[[int, float], None] | None = None
) -> list[float]:
    """Takes one optimizer step per batch and returns the loss of each, before its step.

    Parameters
    ----------
    engine
        Holds the network and the optimizer's state.
    batches
        Examples and labels, in the order in which they are used.
    on_batch
        Called after each step with its number, from 1, and its loss.
    """
    losses: list[float] = []
    for number, (grid, labels) in enumerate(batches, start=1):
        losses.append(engine.step(grid, labels))
        if on_batch:
            on_batch(number, losses[-1])
    return losses
