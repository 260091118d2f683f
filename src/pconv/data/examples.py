"""The examples of a run: what the network is shown of a number, and what it is to answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.grid import PrimeGrid
from pconv.data.representations import representation_named
from pconv.data.tasks import task_named


def encode(config: RunConfig, numbers: Sequence[int] | IntArray) -> PrimeGrid:
    """What the run's network is shown of each number."""
    shown = representation_named(config.representation)
    return shown.grid(numbers, config.offsets, config.primes)


def labels_of(config: RunConfig, numbers: Sequence[int] | IntArray) -> IntArray:
    """The class that the run's network is to name for each number."""
    return task_named(config.task).labels(np.asarray(numbers, dtype=np.int64), config.modulus)


def class_count(config: RunConfig) -> int:
    """How many classes there are to choose from; an error where there is no such task."""
    return task_named(config.task).classes(config.modulus)
