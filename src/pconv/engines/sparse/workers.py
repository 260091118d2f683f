"""Threads for compiled loops that release the GIL, and a clock for what they do."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import torch

Call = tuple[Any, ...]
"""A function that returns nothing, and its arguments."""


class Workers:
    """Runs a list of calls on a fixed number of threads, the caller's among them.

    Every piece of the work has its own place to write to: whoever takes it, the bits are the same. Half of
    the threads take from the front and half from the back: where a list goes from much arithmetic to much
    memory, as the columns of the primes do, one half computes while the other has the memory to itself.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads - 1, "pconv") if threads > 1 else None

    def run(self, calls: Iterable[Call], *mine: Call) -> None:
        """`mine` are made by the caller's own thread, before it takes others. There torch belongs: it counts
        its threads for each thread anew, and with more of them it would round otherwise."""
        waiting = deque(calls)
        ends = waiting.popleft, waiting.pop
        others = [self._pool.submit(_work, ends[i % 2]) for i in range(1, self.threads)] if self._pool else []
        for function, *arguments in mine:
            function(*arguments)
        _work(ends[0])
        for other in others:
            other.result()


def _work(take: Callable[[], Call]) -> None:
    """Call after call, until none is left to take."""
    while True:
        try:
            function, *arguments = take()
        except IndexError:
            return
        function(*arguments)


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Sets torch's thread count, which is global to the process, and restores it afterwards."""
    before = torch.get_num_threads()
    if before == count:
        yield
        return
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def one_torch_thread() -> AbstractContextManager[None]:
    """Torch's own threads spin while they wait, and would take a core from the compiled loops."""
    return torch_threads(1)


class StepTimer:
    """How long each part of a step took."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """What was done since the last call belongs to `name`."""
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now


def pieces(count: int, at_most: int) -> list[tuple[int, int]]:
    """0 .. count-1 in at most that many even pieces (first, end).

    >>> pieces(5, 2), pieces(1, 8)
    ([(0, 2), (2, 5)], [(0, 1)])
    """
    return list(pairwise(np.linspace(0, count, min(at_most, count) + 1).astype(int).tolist()))
