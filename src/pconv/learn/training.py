"""One training: from a configuration to a result, epoch by epoch."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv import __version__
from pconv.arithmetic.domain import draw
from pconv.arithmetic.examples import class_count, grid_of, labels_of
from pconv.arithmetic.primes import IntArray
from pconv.arithmetic.representations import representation_named
from pconv.arithmetic.windows import PrimeGrid
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.learn.engine import Engine
from pconv.learn.engines import make_engine
from pconv.learn.threads import default_threads
from pconv.result import Environment, Epoch, Evaluation, RunResult

_CELLS_AT_ONCE = 2**23
"""Full grids are made for so many cells at a time."""


class Step(NamedTuple):
    """What a watcher is told after each step; the accuracy is that of the last finished epoch."""

    epoch: int
    step: int
    loss: float
    accuracy: float | None


Watcher = Callable[[Step], None]


@dataclass(frozen=True)
class Best:
    """The best epoch so far and the weights it left."""

    epoch: int
    validation: Evaluation
    weights: dict[str, Tensor]


def usable_device(name: str) -> torch.device:
    """The torch device of this name, if it is here and works."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError("device", name, f"must be a torch device that works here ({reason})") from None
    return device


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Torch's thread count is global to the process: borrow it and give it back."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Training:
    """A run under way: `run_epoch` until `done`, then `result`. `best` can be kept at any time."""

    def __init__(
        self, config: RunConfig, *, engine: str = "auto", device: str = "cpu", threads: int | None = None
    ) -> None:
        self.config = config
        self.threads = threads or default_threads(config)
        # A full grid of all training numbers would fill the memory: such a grid is made batch by batch.
        self._sparse = representation_named(config.representation).sparse
        self._numbers = draw(config)
        self._training = self._examples(self._numbers.training.ravel()) if self._sparse else None
        self.device = usable_device(device)
        self.engine: Engine = make_engine(config, engine, self.device, self.threads)
        self.losses: list[float] = []
        self.epochs: list[Epoch] = []
        self.best: Best | None = None

    @property
    def done(self) -> bool:
        """All epochs are run, or validation accuracy is exactly 1: no later epoch can be better."""
        solved = self.best is not None and self.best.validation.accuracy == 1
        return len(self.epochs) == self.config.epochs or (self.config.early_stop and solved)

    @property
    def environment(self) -> Environment:
        """How the run is computed."""
        return Environment(self.engine.name, str(self.device), self.threads, versions())

    def run_epoch(self, watch: Watcher | None = None) -> Epoch:
        """All batches once, in their order, then the validation numbers."""
        with torch_threads(self.threads):
            return self._run_epoch(watch)

    def _run_epoch(self, watch: Watcher | None) -> Epoch:
        started = time.perf_counter()
        number = len(self.epochs) + 1
        accuracy = self.epochs[-1].accuracy if self.epochs else None
        losses: list[float] = []
        for i in range(self.config.batches):
            losses.append(self.engine.step(*self._batch(i)))
            if watch:
                watch(Step(number, i + 1, losses[-1], accuracy))
        validation = self._evaluation(*self._answered(self._numbers.validation))
        if self.best is None or validation.accuracy > self.best.validation.accuracy:
            self.best = Best(number, validation, self.engine.weights())
        self.losses += losses
        epoch = Epoch(number, float(np.mean(losses)), validation.accuracy, time.perf_counter() - started)
        self.epochs.append(epoch)
        return epoch

    def result(self) -> RunResult:
        """The record of the run, judged on the test set at the best epoch's weights."""
        if self.best is None:
            raise RuntimeError("a run without a finished epoch has no result")
        with torch_threads(self.threads):
            self.engine.load_weights(self.best.weights)
            labels, answers = self._answered(self._numbers.test)
        gap = self._numbers.gap
        return RunResult(
            config=self.config,
            losses=tuple(self.losses),
            epochs=tuple(self.epochs),
            best_epoch=self.best.epoch,
            validation=self.best.validation,
            test=self._evaluation(labels, answers),
            gap=self._evaluation(labels[gap], answers[gap]) if gap.any() else None,
            environment=self.environment,
        )

    def _examples(self, numbers: IntArray) -> tuple[PrimeGrid, IntArray]:
        return grid_of(self.config, numbers), labels_of(self.config, numbers)

    def _batch(self, i: int) -> tuple[PrimeGrid, IntArray]:
        if self._training is None:
            return self._examples(self._numbers.training[i])
        grid, labels = self._training
        start, stop = i * self.config.batch_size, (i + 1) * self.config.batch_size
        return grid.part(start, stop), labels[start:stop]

    def _answered(self, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """The labels of the numbers, and the network's answers."""
        piece = len(numbers)
        if not self._sparse:
            piece = max(1, _CELLS_AT_ONCE // (self.config.rows * self.config.primes))
        grids = (grid_of(self.config, numbers[i : i + piece]) for i in range(0, len(numbers), piece))
        answers = [self.engine.logits(grid).argmax(axis=1) for grid in grids]
        return labels_of(self.config, numbers), np.concatenate(answers)

    def _evaluation(self, labels: IntArray, answers: IntArray) -> Evaluation:
        return Evaluation.from_lists(confusion_matrix(labels, answers, class_count(self.config)).tolist())


def confusion_matrix(labels: IntArray, answers: IntArray, classes: int) -> NDArray[np.int64]:
    """Entry (i, j): how many of class i were called j.

    >>> confusion_matrix(np.array([0, 1, 1]), np.array([0, 0, 1]), 2).tolist()
    [[1, 0], [1, 1]]
    """
    return np.bincount(labels * classes + answers, minlength=classes**2).reshape(classes, classes)


def versions() -> dict[str, str]:
    """What the run was computed with."""
    return {
        "pconv": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),  # a plain text: its own type loads torch wherever it is read
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def train(
    config: RunConfig,
    *,
    engine: str = "auto",
    device: str = "cpu",
    threads: int | None = None,
    watch: Watcher | None = None,
) -> RunResult:
    """Train one network from its configuration to its result."""
    training = Training(config, engine=engine, device=device, threads=threads)
    while not training.done:
        training.run_epoch(watch)
    return training.result()
