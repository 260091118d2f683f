"""The examples of a run: the grid and the label of each number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.grid import PrimeGrid
from pconv.data.representations import representation_named
from pconv.data.tasks import task_named


def encode(config: RunConfig, numbers: Sequence[int] | IntArray) -> PrimeGrid:
    """The grids of the numbers, in the representation of the run."""
    representation = representation_named(config.representation)
    return representation.grid(numbers, config.offsets, config.primes)


def labels_of(config: RunConfig, numbers: Sequence[int] | IntArray) -> IntArray:
    """The correct class of each number, for the task of the run."""
    return task_named(config.task).labels(np.asarray(numbers, dtype=np.int64), config.modulus)


def class_count(config: RunConfig) -> int:
    """The number of classes of the task; an error if the task is not defined for the modulus."""
    return task_named(config.task).classes(config.modulus)
