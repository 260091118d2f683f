"""Threads for compiled loops that release the GIL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np


class Workers:
    """Runs a list of calls on a fixed number of threads.

    What is to be done is cut up without regard to the number of threads, and every piece has its own place to
    write to: whoever takes it, the bits are the same.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads, "pconv") if threads > 1 else None

    def run(self, function: Callable[..., None], calls: Iterable[Sequence[Any]]) -> None:
        if self._pool is None:
            for arguments in calls:
                function(*arguments)
        else:
            for done in [self._pool.submit(function, *arguments) for arguments in calls]:
                done.result()


def pieces(count: int, at_most: int) -> list[tuple[int, int]]:
    """0 .. count-1 in at most that many even pieces (first, end).

    >>> pieces(5, 2), pieces(1, 8)
    ([(0, 2), (2, 5)], [(0, 1)])
    """
    return list(pairwise(np.linspace(0, count, min(at_most, count) + 1).astype(int).tolist()))
