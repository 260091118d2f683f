"""One training, epoch by epoch: selection of the best epochs, snapshots, and the result."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
import torch
from llvmlite.binding import get_host_cpu_name
from torch import Tensor

from pconv import __version__
from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import VALIDATION_SIZE, split
from pconv.data.examples import class_count, encode, labels_of
from pconv.data.representations import representation_named
from pconv.engines.base import Engine
from pconv.engines.census import Answers, Progress, ask, take_census
from pconv.engines.registry import make_engine, usable_device
from pconv.engines.threads import default_threads, torch_threads
from pconv.errors import PconvError
from pconv.result import Environment, Epoch, Evaluation, RunResult, Snapshot
from pconv.training.batches import Batch, minibatches, train_batches
from pconv.training.definitions import digests


class Step(NamedTuple):
    """The argument of an `on_step` callback; the accuracy is that of the last finished epoch."""

    epoch: int
    step: int
    loss: float
    accuracy: float | None


StepCallback = Callable[[Step], None]
EpochCallback = Callable[[Epoch], None]


class TrainingDiverged(PconvError):
    """The loss is no longer a finite number."""


@dataclass(frozen=True)
class Best:
    """The epoch with the highest validation accuracy so far, by which the paper selects."""

    epoch: int
    validation: Evaluation
    test: Evaluation
    disjoint_test: Evaluation | None  # the test numbers whose windows share no number with a training window


@dataclass(frozen=True)
class Kept:
    """The weights after an epoch."""

    epoch: int
    weights: dict[str, Tensor]


@dataclass(frozen=True)
class KeptSnapshot(Kept):
    """The weights of a snapshot, empty where they are not kept, with the network's answers to the test
    numbers."""

    test: Evaluation


class Training:
    """A run in progress: call `run_epoch` until `done`, then `result`. `pconv.train` does all of it.

    Parameters
    ----------
    config
        What the run computes.
    engine, device, threads
        How it is computed; the defaults are likely the fastest here.
    snapshots
        Epochs whose answers are recorded besides the selected ones. Epochs that are not run are ignored.
    keeps_snapshots
        Keep their weights, too.

    Attributes
    ----------
    best
        The epoch with the highest validation accuracy, by which the paper selects.
    chosen
        The epoch with the lowest held-out loss; verdicts are based on its weights.

    Examples
    --------
    >>> training = Training(RunConfig(modulus=4, primes=8, batches=8, epochs=2, test_size=100))
    >>> while not training.done:
    ...     print("epoch", training.run_epoch().epoch)
    epoch 1
    epoch 2
    >>> training.result(census=False).test.size
    100
    """

    def __init__(
        self,
        config: RunConfig,
        *,
        engine: str = "auto",
        device: str = "cpu",
        threads: int | None = None,
        snapshots: Iterable[int] = (),
        keeps_snapshots: bool = True,
    ) -> None:
        self.config = config
        self.threads = threads or default_threads(config)
        # All training numbers in a dense representation would fill the memory: they are encoded by batch.
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
        self.keeps_snapshots = keeps_snapshots
        self._versions = {**versions(), **digests(config)}

    @property
    def done(self) -> bool:
        """All epochs are run, or with early stopping, validation accuracy has reached 1."""
        solved = self.best is not None and self.best.validation.accuracy == 1
        return len(self.epochs) == self.config.epochs or (self.config.early_stop and solved)

    @property
    def environment(self) -> Environment:
        """The engine, device, threads and versions of this run, and digests of what is not built in."""
        how = self.engine.name, str(self.device), self.threads, self._versions
        return Environment(*how, revision=self.engine.revision)

    def run_epoch(self, on_step: StepCallback | None = None) -> Epoch:
        """Trains on all batches once, in their order, then evaluates on the held-out numbers."""
        with torch_threads(self.threads):
            return self._run_epoch(on_step)

    def _run_epoch(self, on_step: StepCallback | None) -> Epoch:
        started = time.perf_counter()
        number = len(self.epochs) + 1
        accuracy = self.epochs[-1].accuracy if self.epochs else None

        def on_batch(step: int, loss: float) -> None:
            if on_step:
                on_step(Step(number, step, loss, accuracy))

        losses = train_batches(self.engine, self._batches(), on_batch)
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
        """The mean loss on the selection sample, whose first numbers are the validation numbers."""
        rest = self._ask(self._numbers.selection[VALIDATION_SIZE:])
        return float(np.concatenate([validation.losses, rest.losses]).mean())

    def _select(self, epoch: Epoch, validation: Answers) -> None:
        """Records the epoch if it is the best so far by either rule, or if it is a snapshot.

        The test numbers are evaluated at once, so that no weights have to be kept for them.
        """
        assert epoch.held_out_loss is not None
        earlier = [e.held_out_loss for e in self.epochs[:-1] if e.held_out_loss is not None]
        least = min(earlier, default=math.inf)
        better = self.best is None or epoch.accuracy > self.best.validation.accuracy
        chosen = epoch.held_out_loss < least
        wanted = epoch.epoch in self.wanted_snapshots
        test = self._ask(self._numbers.test) if better or wanted else None
        kept = wanted and self.keeps_snapshots
        weights = self.engine.weights() if chosen or kept else {}
        if better and test:
            disjoint_test = self._numbers.disjoint_test
            far = self._evaluation(test.where(disjoint_test)) if disjoint_test.any() else None
            self.best = Best(epoch.epoch, self._evaluation(validation), self._evaluation(test), far)
        if chosen:
            self.chosen = Kept(epoch.epoch, weights)
        if wanted and test:
            of_it = weights if kept else {}
            self.snapshots[epoch.epoch] = KeptSnapshot(epoch.epoch, of_it, self._evaluation(test))

    def result(self, census: bool = True, on_progress: Progress | None = None) -> RunResult:
        """The record of the run.

        Parameters
        ----------
        census
            Evaluate the network on every number it was not trained or selected on.
        on_progress
            Called during the census with the count of numbers so far and their total.
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

    def _examples(self, numbers: IntArray) -> Batch:
        return encode(self.config, numbers), labels_of(self.config, numbers)

    def _batches(self) -> Iterator[Batch]:
        if self._training is None:
            return map(self._examples, self._numbers.training)
        return minibatches(*self._training, self.config.batch_size)

    def _ask(self, numbers: IntArray) -> Answers:
        return ask(self.config, self.engine, numbers)

    def _evaluation(self, answers: Answers) -> Evaluation:
        return answers.evaluation(class_count(self.config))

    def _accuracy(self, answers: Answers) -> float:
        return self._evaluation(answers).accuracy


def versions() -> dict[str, str]:
    """The versions and the processor that may influence rounding."""
    return {
        "pconv": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),  # a plain str: unpickling torch's own type would import torch
        "numpy": np.__version__,
        "numba": numba.__version__,
        "cpu": get_host_cpu_name(),  # what numba compiles for: another one may round differently
    }
