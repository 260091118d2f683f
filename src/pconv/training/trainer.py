"""One training: from a configuration to a result, epoch by epoch."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
import torch
from llvmlite.binding import get_host_cpu_name
from torch import Tensor

from pconv import __version__
from pconv.config import RunConfig
from pconv.data.domain import VALIDATION_SIZE, split
from pconv.data.examples import class_count, encode, labels_of
from pconv.data.grid import PrimeGrid
from pconv.data.primes import IntArray
from pconv.data.representations import representation_named
from pconv.engines.base import Engine
from pconv.engines.census import Answers, Progress, ask, take_census
from pconv.engines.registry import make_engine, usable_device
from pconv.engines.threads import default_threads, torch_threads
from pconv.errors import PconvError
from pconv.result import Environment, Epoch, Evaluation, RunResult, Snapshot


class Step(NamedTuple):
    """What a watcher is told after each step; the accuracy is that of the last finished epoch."""

    epoch: int
    step: int
    loss: float
    accuracy: float | None


StepCallback = Callable[[Step], None]
EpochCallback = Callable[[Epoch], None]


class TrainingDiverged(PconvError):
    """The loss is no longer a finite number, and no later step can repair it."""


@dataclass(frozen=True)
class Best:
    """The epoch with the highest validation accuracy so far: the paper's rule."""

    epoch: int
    validation: Evaluation
    test: Evaluation
    disjoint_test: Evaluation | None  # the test numbers whose windows share no number with a training window


@dataclass(frozen=True)
class Kept:
    """The weights that an epoch left."""

    epoch: int
    weights: dict[str, Tensor]


@dataclass(frozen=True)
class KeptSnapshot(Kept):
    """Weights that were asked for, with their answers to the test numbers."""

    test: Evaluation


class Training:
    """A run under way: `run_epoch` until `done`, then `result`.

    Parameters
    ----------
    config
        What the run computes.
    engine, device, threads
        How it is computed; by default what is likely the fastest here.
    snapshots
        Epochs whose weights are kept besides the selected ones. Epochs that are not run are ignored.

    Attributes
    ----------
    best
        The epoch with the highest validation accuracy, the paper's rule.
    chosen
        The epoch with the lowest held-out loss; verdicts rest on its weights.
    """

    def __init__(
        self,
        config: RunConfig,
        *,
        engine: str = "auto",
        device: str = "cpu",
        threads: int | None = None,
        snapshots: Iterable[int] = (),
    ) -> None:
        self.config = config
        self.threads = threads or default_threads(config)
        # A full grid of all training numbers would fill the memory: such a grid is made batch by batch.
        self._sparse = representation_named(config.representation).sparse
        self._numbers = split(config)
        self._training = self._examples(self._numbers.training.ravel()) if self._sparse else None
        self.device = usable_device(device)
        self.engine: Engine = make_engine(config, engine, self.device, self.threads)
        self.losses: list[float] = []
        self.epochs: list[Epoch] = []
        self.best: Best | None = None
        self.chosen: Kept | None = None
        self.snapshots: dict[int, KeptSnapshot] = {}
        self.wanted_snapshots = frozenset(snapshots)

    @property
    def done(self) -> bool:
        """All epochs are run, or validation accuracy is exactly 1: no later epoch can be better."""
        solved = self.best is not None and self.best.validation.accuracy == 1
        return len(self.epochs) == self.config.epochs or (self.config.early_stop and solved)

    @property
    def environment(self) -> Environment:
        """How the run is computed."""
        how = self.engine.name, str(self.device), self.threads, versions()
        return Environment(*how, revision=self.engine.revision)

    def run_epoch(self, on_step: StepCallback | None = None) -> Epoch:
        """All batches once, in their order, then the validation numbers."""
        with torch_threads(self.threads):
            return self._run_epoch(on_step)

    def _run_epoch(self, on_step: StepCallback | None) -> Epoch:
        started = time.perf_counter()
        number = len(self.epochs) + 1
        accuracy = self.epochs[-1].accuracy if self.epochs else None
        losses: list[float] = []
        for i in range(self.config.batches):
            losses.append(self.engine.step(*self._batch(i)))
            if on_step:
                on_step(Step(number, i + 1, losses[-1], accuracy))
        loss = float(np.mean(losses))
        self._check_finite("loss", loss)
        validation = self._ask(self._numbers.validation)
        seconds = time.perf_counter() - started  # without the selection sample: comparable with the paper
        held_out_loss = self._held_out_loss(validation)
        self._check_finite("held-out loss", held_out_loss)  # the last step may be the one too large
        epoch = Epoch(number, loss, self._accuracy(validation), seconds, held_out_loss)
        self.losses += losses
        self.epochs.append(epoch)
        self._select(epoch, validation)
        return epoch

    def _check_finite(self, what: str, loss: float) -> None:
        if not math.isfinite(loss):
            raise TrainingDiverged(
                f"run {self.config.run_id} diverged: the {what} of epoch {len(self.epochs) + 1} is not a "
                f"finite number (--learning-rate {self.config.learning_rate:g})"
            )

    def _held_out_loss(self, validation: Answers) -> float:
        """On the selection sample, which starts with the validation numbers."""
        rest = self._ask(self._numbers.selection[VALIDATION_SIZE:])
        return float(np.concatenate([validation.losses, rest.losses]).mean())

    def _select(self, epoch: Epoch, validation: Answers) -> None:
        """Record the epoch if it is the best so far by either rule, or if a snapshot of it is wanted.

        The test numbers are asked at once, so that no weights have to be kept for them.
        """
        assert epoch.held_out_loss is not None
        earlier = [e.held_out_loss for e in self.epochs[:-1] if e.held_out_loss is not None]
        least = min(earlier, default=math.inf)
        better = self.best is None or epoch.accuracy > self.best.validation.accuracy
        chosen = epoch.held_out_loss < least
        wanted = epoch.epoch in self.wanted_snapshots
        test = self._ask(self._numbers.test) if better or wanted else None
        weights = self.engine.weights() if chosen or wanted else {}
        if better and test:
            disjoint_test = self._numbers.disjoint_test
            far = self._evaluation(test.where(disjoint_test)) if disjoint_test.any() else None
            self.best = Best(epoch.epoch, self._evaluation(validation), self._evaluation(test), far)
        if chosen:
            self.chosen = Kept(epoch.epoch, weights)
        if wanted and test:
            self.snapshots[epoch.epoch] = KeptSnapshot(epoch.epoch, weights, self._evaluation(test))

    def result(self, census: bool = True, on_progress: Progress | None = None) -> RunResult:
        """The record of the run.

        Parameters
        ----------
        census
            Ask the network every number it was not trained or selected on.
        on_progress
            Called with the numbers of the census answered so far, and how many there are.
        """
        if self.best is None or self.chosen is None:
            raise RuntimeError("a run without a finished epoch has no result")
        counted = None
        if census:
            with torch_threads(self.threads):
                self.engine.load_weights(self.chosen.weights)
                counted = take_census(self.config, self.engine, self.chosen.epoch, on_progress=on_progress)
        return RunResult(
            config=self.config,
            losses=tuple(self.losses),
            epochs=tuple(self.epochs),
            best_epoch=self.best.epoch,
            validation=self.best.validation,
            test=self.best.test,
            disjoint_test=self.best.disjoint_test,
            environment=self.environment,
            census=counted,
            snapshots=tuple(Snapshot(kept.epoch, kept.test) for kept in self.snapshots.values()),
        )

    def _examples(self, numbers: IntArray) -> tuple[PrimeGrid, IntArray]:
        return encode(self.config, numbers), labels_of(self.config, numbers)

    def _batch(self, i: int) -> tuple[PrimeGrid, IntArray]:
        if self._training is None:
            return self._examples(self._numbers.training[i])
        grid, labels = self._training
        start, stop = i * self.config.batch_size, (i + 1) * self.config.batch_size
        return grid.part(start, stop), labels[start:stop]

    def _ask(self, numbers: IntArray) -> Answers:
        return ask(self.config, self.engine, numbers)

    def _evaluation(self, answers: Answers) -> Evaluation:
        return answers.evaluation(class_count(self.config))

    def _accuracy(self, answers: Answers) -> float:
        return self._evaluation(answers).accuracy


def versions() -> dict[str, str]:
    """What the run was computed with."""
    return {
        "pconv": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),  # a plain text: its own type loads torch wherever it is read
        "numpy": np.__version__,
        "numba": numba.__version__,
        "cpu": get_host_cpu_name(),  # what numba compiles for: another one may round differently
    }


def train(
    config: RunConfig,
    *,
    engine: str = "auto",
    device: str = "cpu",
    threads: int | None = None,
    on_step: StepCallback | None = None,
    on_epoch: EpochCallback | None = None,
    census: bool = True,
) -> RunResult:
    """Train one network from its configuration to its result.

    Parameters
    ----------
    config
        What the run computes.
    engine, device, threads
        How it is computed; by default what is likely the fastest here.
    watch
        Called after every step with a `Step`.
    on_epoch
        Called after every epoch with its `Epoch`; an exception it raises ends the training.
    census
        Ask the network every unseen number of the domain at the end.

    Examples
    --------
    >>> config = RunConfig(
    ...     modulus=4, offsets=[0, 1], primes=8, batches=8, epochs=2, limit=20_000, test_size=100
    ... )
    >>> result = train(config, on_epoch=lambda epoch: print("epoch", epoch.epoch))
    epoch 1
    epoch 2
    >>> result.census.size  # 19,999 numbers, of which 2,048 were trained on and 10,000 selected on
    7951
    """
    training = Training(config, engine=engine, device=device, threads=threads)
    while not training.done:
        epoch = training.run_epoch(on_step)
        if on_epoch:
            on_epoch(epoch)
    return training.result(census)
