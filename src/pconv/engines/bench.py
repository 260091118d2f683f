"""The engines side by side, timed in alternation and compared by ratios of medians: noise cancels."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pconv.config import RunConfig
from pconv.data.domain import SELECTION_SIZE, split, unseen
from pconv.data.examples import encode, labels_of
from pconv.data.grid import PrimeGrid
from pconv.engines.census import ask
from pconv.engines.registry import sparse_engine
from pconv.engines.sparse.kernels.convolution import adam
from pconv.engines.sparse.parameters import flat_array, rates
from pconv.engines.sparse.workers import Workers, pieces
from pconv.models.pconv import PrimeConvNet
from pconv.window import successor_window

MODULUS = 11
_ASKED = 2_048  # numbers of the census in each turn
T = TypeVar("T")


@dataclass(frozen=True)
class Case:
    """One size to measure: how many steps of each kind make its medians."""

    successors: int
    kernel: int
    primes: int
    threads: int
    dense_steps: int
    sparse_steps: int


def cases(size: str, threads: int) -> list[Case]:
    """`quick`: the sizes of a minute's training, on one thread. `paper`: N = 5,000, where a plain step takes
    seconds, and few of them must do."""
    if size == "quick":
        return [Case(8, 7, primes, 1, 30, 30) for primes in (32, 64)]
    return [Case(b, k, 5_000, threads, 3, 21) for b, k in ((8, 7), (16, 7), (24, 7), (16, 15), (24, 15))]


@dataclass(frozen=True)
class Measurement:
    """Medians in milliseconds a step, and the memory of the engine's own arrays and of a whole process that
    trains with it, at its peak. The floor is a bare optimizer's pass over as many parameters: Adam alone,
    which reads a gradient from memory and reads and writes weights and both moments."""

    successors: int
    kernel: int
    primes: int
    threads: int
    dense_ms: float
    sparse_ms: float
    floor_ms: float
    speedup: float
    over_floor: float
    engine_gb: float
    peak_gb: float | None
    census_share: float  # of the time of a whole run of ten epochs: steps, selection sample, census
    split_ms: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class PlainLoop:
    """The yardstick: the loop anyone would write, on the whole grid, with PyTorch's defaults."""

    def __init__(self, config: RunConfig) -> None:
        self._network = PrimeConvNet.of(config)
        self._optimizer = torch.optim.Adam(self._network.parameters())
        self._loss = nn.CrossEntropyLoss()

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> None:
        self._optimizer.zero_grad()
        loss = self._loss(self._network(torch.from_numpy(grid.dense())), torch.from_numpy(labels))
        loss.backward()
        self._optimizer.step()


class Floor:
    """Adam alone on as many parameters, as fused optimizers do it: one pass, its gradient already in memory.
    (An engine that never stores a gradient has less to read, and a forward and backward pass to do.)"""

    def __init__(self, parameters: int, threads: int) -> None:
        self._arrays = [flat_array(parameters) for _ in range(4)]  # weights, gradient, mean, square
        for array in self._arrays:
            array[:] = 1e-3  # pages that were never written would be read from cache
        self._ends = pieces(parameters, 8 * threads)
        self._workers = Workers(threads)

    def step(self) -> None:
        now = rates(1, RunConfig.learning_rate, RunConfig.weight_decay)
        parts = ([array[first:end] for array in self._arrays] for first, end in self._ends)
        self._workers.run((adam, *part, now) for part in parts)


def measure(case: Case) -> Measurement:
    """Each case has a process of its own, as a run has: in one that had held another case's arrays, steps
    were seen to take half as long again."""
    return replace(_in_a_fresh_process(_in_turns_of, case), peak_gb=_in_a_fresh_process(_peak, case))


def _in_a_fresh_process(function: Callable[[Case], T], case: Case) -> T:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        return fresh.submit(function, case).result()


def _in_turns_of(case: Case) -> Measurement:
    """Dense, sparse and floor in turns. Torch has the case's threads in the plain loop."""
    config = _config(case)
    batches = _batches(config, case.sparse_steps)
    plain, sparse = PlainLoop(config), sparse_engine(config, case.threads)
    floor = Floor(sum(w.numel() for w in sparse.weights().values()), case.threads)
    splits: list[dict[str, float]] = []

    def sparse_step(i: int) -> None:
        sparse.step(*batches[i])
        splits.append(sparse.clock.seconds)

    def plain_step(i: int) -> None:
        before = torch.get_num_threads()
        torch.set_num_threads(case.threads)
        plain.step(*batches[i])
        torch.set_num_threads(before)

    sparse_step(0)  # compiles
    splits.clear()
    numbers = unseen(config, split(config))

    def census_part(i: int) -> None:
        ask(config, sparse, numbers[i * _ASKED : (i + 1) * _ASKED])

    times = _in_turns(
        {
            "sparse": sparse_step,
            "census": census_part,
            "floor": lambda i: floor.step(),
            "dense": plain_step,
        },
        {
            "sparse": case.sparse_steps,
            "census": case.sparse_steps,
            "floor": case.sparse_steps,
            "dense": case.dense_steps,
        },
    )
    return Measurement(
        case.successors,
        case.kernel,
        case.primes,
        case.threads,
        times["dense"],
        times["sparse"],
        times["floor"],
        times["dense"] / times["sparse"],
        times["sparse"] / times["floor"],
        sparse.bytes / 1e9,
        None,
        _census_share(config, times["sparse"], times["census"] / _ASKED, len(numbers)),
        {name: 1e3 * float(np.median([s[name] for s in splits])) for name in splits[0]},
    )


def _census_share(config: RunConfig, step_ms: float, number_ms: float, unseen_numbers: int) -> float:
    """The census's share of a run that does not stop early, from what a step and a number asked take."""
    census = number_ms * unseen_numbers
    epoch = config.batches * step_ms + SELECTION_SIZE * number_ms
    return census / (config.epochs * epoch + census)


def _config(case: Case) -> RunConfig:
    return RunConfig(
        modulus=MODULUS, offsets=successor_window(case.successors), kernel=(case.kernel,), primes=case.primes
    )


def _batches(config: RunConfig, count: int) -> list[tuple[PrimeGrid, NDArray[np.int64]]]:
    return [
        (encode(config, numbers), labels_of(config, numbers)) for numbers in split(config).training[:count]
    ]


def _peak(case: Case) -> float | None:
    """Gigabytes that this process took at most, with two steps of the engine in it alone. Asked of the
    system's own table, where there is one: `getrusage` would count what the parent took, too."""
    config = _config(case)
    engine = sparse_engine(config, case.threads)
    for batch in _batches(config, 2):
        engine.step(*batch)
    table = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", table.read_text()) if table.exists() else None
    return int(found[1]) * 1024 / 1e9 if found else None


def _in_turns(steps: Mapping[str, Callable[[int], None]], counts: Mapping[str, int]) -> dict[str, float]:
    """The median milliseconds of each, all taking turns until each has had its count."""
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for i in range(max(counts.values())):
        for name, step in steps.items():
            if i < counts[name]:
                started = time.perf_counter()
                step(i)
                seconds[name].append(time.perf_counter() - started)
    return {name: 1e3 * float(np.median(found)) for name, found in seconds.items()}
