"""One run as a worker computes it, here or on another machine, without access to the store."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pconv.config import RunConfig
from pconv.errors import PconvError
from pconv.result import RunResult
from pconv.store.files import SMALL, Weights
from pconv.training.options import RunOptions

if TYPE_CHECKING:
    from pconv.engines.census import Progress as CensusProgress
    from pconv.training.trainer import Kept, Step, Training

log = logging.getLogger(__name__)

_REPORT_EVERY = 2.0  # seconds, within an epoch


@dataclass(frozen=True)
class Job:
    """The input of a worker: a run, its options, and the file of its checkpoint."""

    config: RunConfig
    options: RunOptions = field(default_factory=RunOptions)
    checkpoint: Path | None = None


class Progress(NamedTuple):
    """How far a run is: the last finished epoch, what is done besides training epochs, if anything, and the
    share of the epoch that is running, or of the census."""

    run_id: str
    epoch: int = 0
    accuracy: float | None = None
    stage: str = ""
    share: float = 0.0
    census: float | None = None  # None: it has not begun

    @property
    def epochs(self) -> float:
        """The finished epochs and the part of the one that is running."""
        return self.epoch + self.share


@dataclass(frozen=True)
class ComputedRun:
    """A run that is computed and not stored yet; its weights only where they are to be kept."""

    result: RunResult
    weights: Weights | None = None
    snapshots: Mapping[int, Weights] = field(default_factory=dict)


@dataclass(frozen=True)
class FailedRun:
    """The reason why a run has no result."""

    reason: str


JobResult = ComputedRun | FailedRun
"""The output of a worker."""


def compute(job: Job, on_progress: Callable[[Progress], None] | None = None) -> JobResult:
    """Computes a job. An exception is returned as a `FailedRun`, so that the worker process survives it.

    Parameters
    ----------
    job
        The run, its options and its checkpoint.
    on_progress
        Called when the loops are compiled, after the first step, every two seconds and after every epoch of
        the training, and during the census.
    """
    try:
        return _compute(job, on_progress)
    except Exception as error:
        return FailedRun(f"{type(error).__name__}: {error}")


def _compute(job: Job, on_progress: Callable[[Progress], None] | None) -> ComputedRun:
    from pconv.training.loop import run_to_end

    reported: float | None = None  # when a step was reported last

    def report(stage: str = "", share: float = 0.0, census: float | None = None) -> None:
        if on_progress:
            last = training.epochs[-1] if training and training.epochs else None
            epoch, accuracy = (last.epoch, last.accuracy) if last else (0, None)
            on_progress(Progress(job.config.run_id, epoch, accuracy, stage, share, census))

    def on_step(step: Step) -> None:
        nonlocal reported
        now = time.monotonic()
        if reported is None or now - reported >= _REPORT_EVERY:
            reported = now
            report(share=step.step / job.config.batches)

    training: Training | None = None
    with _log_heard(report):
        training = new_training(job.config, job.options, job.checkpoint)
    run_to_end(
        training,
        job.checkpoint,
        on_step=on_step,
        on_epoch=lambda _: report(),
        save_after=job.options.save_after,
        save_last=job.options.census,
    )
    return collect(
        training,
        job.options.census,
        job.options.keep_weights,
        lambda done, total: report(f"census {done:,} of {total:,}", census=done / total),
    )


@contextmanager
def _log_heard(report: Callable[[str], None]) -> Iterator[None]:
    """Reports what the library logs, such as that it compiles the training loops."""
    log, handler = logging.getLogger("pconv"), logging.Handler()
    before = log.level
    handler.emit = lambda record: report(record.getMessage())  # type: ignore[method-assign]
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


def new_training(config: RunConfig, options: RunOptions, checkpoint: Path | None = None) -> Training:
    """A training of this run with the options that concern it.

    If it can go on from its checkpoint with another number of threads than that of the options, it has that
    of the checkpoint: with `--jobs` the number changes from one command to the next.

    Parameters
    ----------
    config
        The run.
    options
        How it is computed, and what is kept of it.
    checkpoint
        The file of its checkpoint, if it may have one.
    """
    from pconv.training.checkpoint import other_threads

    training = _training(config, options, options.threads)
    threads = other_threads(checkpoint, training) if checkpoint else None
    if threads is None:
        return training
    log.info("run %s goes on with the threads of its checkpoint: %d", config.run_id, threads)
    del training  # two at a time may not fit into memory
    return _training(config, options, threads)


def _training(config: RunConfig, options: RunOptions, threads: int | None) -> Training:
    from pconv.training.trainer import Training

    return Training(
        config,
        engine=options.engine,
        device=options.device,
        threads=threads,
        snapshots=options.snapshots,
        keeps_snapshots=not options.snapshots or keeps_weights(config, options),
    )


def keeps_weights(config: RunConfig, options: RunOptions) -> bool:
    """Whether the weights of a run will be stored, by its options or because they are small."""
    from pconv.models.registry import weight_shapes

    try:
        shapes = None if options.keep_weights else weight_shapes(config)
    except PconvError:  # a run that cannot be computed: whoever tries reports why
        return False
    return shapes is None or sum(prod(shape) * kind.itemsize for shape, kind in shapes.values()) <= SMALL


def collect(
    training: Training, census: bool, keep_weights: bool, on_census: CensusProgress | None = None
) -> ComputedRun:
    """The result of a finished training, and the weights to be stored with it.

    Parameters
    ----------
    training
        A training that is done. Its snapshots are taken out of it.
    census
        Evaluate the network on every unseen number.
    keep_weights
        Keep the weights of the chosen epoch and of the snapshots also where they exceed 50 MB.
    on_census
        Called during the census with the count of numbers so far and their total.
    """
    result = training.result(census, on_census)
    assert training.chosen is not None
    if not keep_weights and sum(w.nbytes for w in training.chosen.weights.values()) > SMALL:
        return ComputedRun(result)
    snapshots = {}
    for epoch in list(training.snapshots):  # in memory once: as tensors, or as the bytes of the file
        snapshots[epoch] = _packed(training.snapshots.pop(epoch), training.config)
    return ComputedRun(result, _packed(training.chosen, training.config), snapshots)


def _packed(kept: Kept, config: RunConfig) -> Weights:
    from pconv.models.weights import packed_weights

    return Weights(*packed_weights(kept.weights, config, kept.epoch))
