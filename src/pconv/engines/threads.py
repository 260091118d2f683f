"""How many threads a run takes; known without loading torch."""

from __future__ import annotations

import os

from pconv.config import RunConfig

_SMALL = 4_000_000  # weights of the first linear layer up to which a second thread costs more than it gives


def available_cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_threads(config: RunConfig) -> int:
    """One thread for small models, every core for paper-sized ones."""
    return 1 if first_features(config) * 1000 <= _SMALL else available_cores()


def first_features(config: RunConfig) -> int:
    """What the first linear layer reads: p-Conv's last pooled map, or else about the whole grid."""
    if config.architecture != "pconv":
        return config.rows * config.primes
    shrink: int = 2 ** len(config.channels)
    return config.channels[-1] * (config.rows // shrink) * (config.primes // shrink)
