"""The one way in which random weights are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Inside, torch's random numbers on the CPU come from this seed; outside, they go on as before.

    >>> with seeded(1):
    ...     first = torch.rand(2)
    >>> with seeded(1):
    ...     torch.equal(torch.rand(2), first)
    True
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
