"""Threads for compiled loops that release the GIL, and a timer for the parts of a step."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

Call = tuple[Any, ...]
"""A function that returns nothing, and its arguments."""


class Workers:
    """Runs a list of calls on a fixed number of threads, the caller's among them.

    Every call writes to its own arrays: the bits do not depend on which thread makes it. Half of the threads
    take calls from the front of the list and half from the back. Where a list goes from calls with much
    arithmetic to calls with much memory traffic, as the columns of the primes do, one half computes while the
    other has the memory bandwidth to itself."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads - 1, "pconv") if threads > 1 else None

    def run(self, calls: Iterable[Call], *mine: Call) -> None:
        """Makes all calls and returns when they are done. The calls `mine` are made by the caller's own
        thread, before it takes others: calls of torch must be among them, since torch's number of threads,
        which its rounding depends on, is a setting of the calling thread."""
        waiting = deque(calls)
        ends = waiting.popleft, waiting.pop
        others = [self._pool.submit(_work, ends[i % 2]) for i in range(1, self.threads)] if self._pool else []
        for function, *arguments in mine:
            function(*arguments)
        _work(ends[0])
        for other in others:
            other.result()


def _work(take: Callable[[], Call]) -> None:
    """Makes calls until none is left."""
    while True:
        try:
            function, *arguments = take()
        except IndexError:
            return
        function(*arguments)


class StepTimer:
    """Measures how long each part of a step takes: `seconds` by the name of the part."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Begin a step."""
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Adds the time since the last call of `lap` or `start` to the part `name`."""
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now


def pieces(count: int, at_most: int) -> list[tuple[int, int]]:
    """The range 0 .. count-1 in at most `at_most` even pieces (first, end).

    >>> pieces(5, 2), pieces(1, 8)
    ([(0, 2), (2, 5)], [(0, 1)])
    """
    return list(pairwise(np.linspace(0, count, min(at_most, count) + 1).astype(int).tolist()))
