"""Compiling the engine's loops before a run, so that no epoch's time includes it.

numba compiles a loop when it is first called and keeps the machine code in a cache beside the source. So the
loops are compiled once for each version of pconv on a machine, in about a quarter of a minute.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numba.core import event

from pconv.config import RunConfig
from pconv.data.examples import encode
from pconv.engines.sparse.compact import CompactEngine
from pconv.engines.sparse.engine import SparseEngine
from pconv.engines.sparse.selection import is_compact

log = logging.getLogger(__name__)

_TINY = RunConfig.from_dict({"modulus": 3, "offsets": range(4), "primes": 8, "kernel": 3, "channels": 2})
_compiled: set[tuple[type[CompactEngine | SparseEngine], np.dtype[Any]]] = set()
"""The implementations whose loops this process has loaded, for which type of a grid's values."""


def compile_loops(config: RunConfig) -> None:
    """Compile the loops that a run needs, or load them from the cache: by one step of a tiny network.

    Logs when it compiles, and how long that took.
    """
    implementation = CompactEngine if is_compact(config) else SparseEngine
    numbers = np.arange(1, 9, dtype=np.int64)
    first = numbers[:1] - min(0, config.offsets[0])  # its window is positive
    values = encode(config, first).values.dtype  # a representation may have fractions
    if (implementation, values) in _compiled:
        return
    grid = encode(_TINY, numbers)
    with _compilation_logged():
        implementation(_TINY).step(replace(grid, values=grid.values.astype(values)), numbers % 3)
    _compiled.add((implementation, values))


@contextmanager
def _compilation_logged() -> Iterator[None]:
    listener = _Listener()
    with event.install_listener("numba:compile", listener):
        yield
    if listener.started is not None:
        log.info("compiled in %.0f s", time.monotonic() - listener.started)


class _Listener(event.Listener):
    """Hears of what numba compiles, and not of what it loads from its cache."""

    def __init__(self) -> None:
        self.started: float | None = None

    def on_start(self, event: Any) -> None:
        if self.started is None:
            self.started = time.monotonic()
            log.info("compiling the training loops, once for this version on this machine")

    def on_end(self, event: Any) -> None:
        pass


def compile_all() -> None:
    """Compile the loops of both implementations, as `make setup` does."""
    for primes in (RunConfig(modulus=2).primes, 5_000):
        compile_loops(RunConfig(modulus=2, primes=primes))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    compile_all()
