"""The engines compared: steps are timed in alternation, so that the noise of the machine cancels in the
ratios of their medians."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
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
from pconv.engines.base import Engine, Profiled
from pconv.engines.census import ask
from pconv.engines.registry import engines, fastest
from pconv.engines.sparse.kernels.convolution import adam
from pconv.engines.sparse.parameters import adam_rates, flat_array
from pconv.engines.sparse.workers import Workers, pieces
from pconv.engines.threads import torch_threads
from pconv.models.registry import network_of
from pconv.window import successor_window

MODULUS = 11
BASELINE = "dense"
"""The engine whose place the plain loop takes: the same computation with PyTorch's default optimizer."""
_ASKED = 2_048  # numbers of the census in each turn
_CPU = torch.device("cpu")
T = TypeVar("T")
Batch = tuple[PrimeGrid, NDArray[np.int64]]


@dataclass(frozen=True)
class Case:
    """One size to measure, and how many steps the plain loop and the other engines make."""

    successors: int
    kernel: int
    primes: int
    threads: int
    dense_steps: int
    sparse_steps: int

    @property
    def config(self) -> RunConfig:
        """A run of this size."""
        return RunConfig(
            modulus=MODULUS,
            offsets=successor_window(self.successors),
            kernel=(self.kernel,),
            primes=self.primes,
        )


def cases(size: str, threads: int) -> list[Case]:
    """The cases of a size.

    Parameters
    ----------
    size
        `quick`: 32 and 64 columns, on one thread. `paper`: 5,000 columns, where a step of the plain loop
        takes seconds and is measured three times only.
    threads
        The threads of the cases of size `paper`.

    Examples
    --------
    >>> [case.primes for case in cases("quick", 2)]
    [32, 64]
    """
    if size == "quick":
        return [Case(8, 7, primes, 1, 30, 30) for primes in (32, 64)]
    return [Case(b, k, 5_000, threads, 3, 21) for b, k in ((8, 7), (16, 7), (24, 7), (16, 15), (24, 15))]


@dataclass(frozen=True)
class Measurement:
    """Median milliseconds of a step of each engine that can compute the case.

    `engine` is the one that `auto` takes; the ratios, the memory, the census and the parts of a step are its
    own. The floor is Adam alone on as many parameters. `peak_gb` is the largest memory of a process that
    trains with the engine, `census_share` the part of a whole run of ten epochs that the census takes."""

    successors: int
    kernel: int
    primes: int
    threads: int
    engine: str
    step_ms: Mapping[str, float]
    floor_ms: float
    engine_gb: float | None
    peak_gb: float | None
    census_share: float
    split_ms: Mapping[str, float]

    @property
    def speedup(self) -> float:
        """How many times as fast as the plain loop."""
        return self.speedup_of(self.engine)

    @property
    def over_floor(self) -> float:
        """The step's time as a multiple of the floor's."""
        return self.step_ms[self.engine] / self.floor_ms

    def speedup_of(self, engine: str) -> float:
        """How many times as fast as the plain loop an engine is."""
        return self.step_ms[BASELINE] / self.step_ms[engine]

    def to_dict(self) -> dict[str, Any]:
        """For JSON: `ENGINE_ms` for each engine, and `ENGINE_speedup` for those that `auto` does not take."""
        fields = asdict(self)
        for key in ("step_ms", "engine"):
            del fields[key]
        times = {f"{name}_ms": ms for name, ms in self.step_ms.items()}
        others = [name for name in self.step_ms if name not in (BASELINE, self.engine)]
        ratios = {"speedup": self.speedup, "over_floor": self.over_floor}
        return fields | times | ratios | {f"{name}_speedup": self.speedup_of(name) for name in others}


class PlainLoop:
    """The baseline: the usual training loop on the whole grid, with PyTorch's defaults."""

    def __init__(self, config: RunConfig) -> None:
        self._network = network_of(config)
        self._optimizer = torch.optim.Adam(self._network.parameters())
        self._loss = nn.CrossEntropyLoss()

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> None:
        self._optimizer.zero_grad()
        loss = self._loss(self._network(torch.from_numpy(grid.dense())), torch.from_numpy(labels))
        loss.backward()
        self._optimizer.step()


class Floor:
    """Adam alone on as many parameters, fused into one pass, its gradient read from memory. (An engine that
    never stores a gradient has less to read, but a forward and a backward pass to compute.)"""

    def __init__(self, parameters: int, threads: int) -> None:
        self._arrays = [flat_array(parameters) for _ in range(4)]  # weights, gradient, mean, square
        for array in self._arrays:
            array[:] = 1e-3  # pages that were never written would be read from cache
        self._ends = pieces(parameters, 8 * threads)
        self._workers = Workers(threads)

    def step(self) -> None:
        rates = adam_rates(1, RunConfig.learning_rate, RunConfig.weight_decay)
        parts = ([array[first:end] for array in self._arrays] for first, end in self._ends)
        self._workers.run((adam, *part, rates) for part in parts)


def measure(case: Case) -> Measurement:
    """Measure one case, in a process of its own as a run has: in a process that had held another case's
    arrays, steps took up to half as long again."""
    return replace(_in_a_fresh_process(_timed, case), peak_gb=_in_a_fresh_process(_peak, case))


def _in_a_fresh_process(function: Callable[[Case], T], case: Case) -> T:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        return fresh.submit(function, case).result()


class _Steps:
    """The steps of an engine on some batches, with the time of the parts of each."""

    def __init__(self, engine: Engine, batches: Sequence[Batch]) -> None:
        self.engine = engine
        self._batches = batches
        self._parts: list[dict[str, float]] = []
        self.step(0)  # compiles
        self._parts.clear()

    def step(self, i: int) -> None:
        self.engine.step(*self._batches[i])
        if isinstance(self.engine, Profiled):
            self._parts.append(dict(self.engine.step_seconds))

    def split_ms(self) -> dict[str, float]:
        names = self._parts[0] if self._parts else ()
        return {name: 1e3 * float(np.median([part[name] for part in self._parts])) for name in names}


def _timed(case: Case) -> Measurement:
    """Steps of all engines, of the plain loop and of the floor, and parts of a census, in turns."""
    config = case.config
    batches = _batches(config, case.sparse_steps)
    steps = {name: _Steps(engine, batches) for name, engine in _engines(case).items()}
    chosen = fastest(config, _CPU).name
    engine = steps[chosen].engine
    plain, floor = PlainLoop(config), Floor(_parameter_count(engine), case.threads)
    numbers = unseen(config, split(config))

    def plain_step(i: int) -> None:
        with torch_threads(case.threads):
            plain.step(*batches[i])

    turns: dict[str, Callable[[int], object]] = {name: found.step for name, found in steps.items()}
    turns["census"] = lambda i: ask(config, engine, numbers[i * _ASKED : (i + 1) * _ASKED])
    turns["floor"] = lambda i: floor.step()
    turns[BASELINE] = plain_step
    times = _in_turns(turns, dict.fromkeys(turns, case.sparse_steps) | {BASELINE: case.dense_steps})
    return Measurement(
        case.successors,
        case.kernel,
        case.primes,
        case.threads,
        engine=chosen,
        step_ms={name: times[name] for name in (BASELINE, *steps)},
        floor_ms=times["floor"],
        engine_gb=engine.bytes / 1e9 if isinstance(engine, Profiled) else None,
        peak_gb=None,
        census_share=_census_share(config, times[chosen], times["census"] / _ASKED, len(numbers)),
        split_ms=steps[chosen].split_ms(),
    )


def _engines(case: Case) -> dict[str, Engine]:
    """All registered engines that can compute a case, but for the one that the plain loop replaces."""
    return {
        name: spec.build(case.config, _CPU, case.threads)
        for name, spec in engines().items()
        if name != BASELINE and spec.objection(case.config, _CPU) is None
    }


def _parameter_count(engine: Engine) -> int:
    return sum(weight.numel() for weight in engine.weights().values())


def _census_share(config: RunConfig, step_ms: float, number_ms: float, unseen_numbers: int) -> float:
    """The census's share of the time of a run that does not stop early."""
    census = number_ms * unseen_numbers
    epoch = config.batches * step_ms + SELECTION_SIZE * number_ms
    return census / (config.epochs * epoch + census)


def _batches(config: RunConfig, count: int) -> list[Batch]:
    return [
        (encode(config, numbers), labels_of(config, numbers)) for numbers in split(config).training[:count]
    ]


def _peak(case: Case) -> float | None:
    """The largest memory of this process, in gigabytes, after two steps of the engine that `auto` takes. It
    is read from /proc, where that exists: `getrusage` would include the parent process."""
    engine = fastest(case.config, _CPU).build(case.config, _CPU, case.threads)
    for batch in _batches(case.config, 2):
        engine.step(*batch)
    table = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", table.read_text()) if table.exists() else None
    return int(found[1]) * 1024 / 1e9 if found else None


def _in_turns(turns: Mapping[str, Callable[[int], object]], counts: Mapping[str, int]) -> dict[str, float]:
    """The median milliseconds of each function, called in turns until each was called as often as it
    should."""
    seconds: dict[str, list[float]] = {name: [] for name in turns}
    for i in range(max(counts.values())):
        for name, turn in turns.items():
            if i < counts[name]:
                started = time.perf_counter()
                turn(i)
                seconds[name].append(time.perf_counter() - started)
    return {name: 1e3 * float(np.median(found)) for name, found in seconds.items()}
