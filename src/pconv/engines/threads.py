"""How many threads a run uses. Importing this module does not load torch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from pconv.config import RunConfig
from pconv.models.registry import architecture_of
from pconv.models.sizes import HIDDEN

_SMALL = 4_000_000
"""Weights of the first linear layer up to which a second thread makes a run slower."""


def available_cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_threads(config: RunConfig) -> int:
    """One thread for small models, every core for paper-sized ones."""
    inputs = architecture_of(config).inputs(config)
    return 1 if inputs * HIDDEN[0] <= _SMALL else available_cores()


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Sets torch's thread count, which is global to the process, and restores it afterwards."""
    import torch

    before = torch.get_num_threads()
    if before == count:
        yield
        return
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
