"""One run as a worker computes it, here or on another machine. Nothing here knows the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pconv.config import RunConfig
from pconv.lab.files import SMALL, Weights
from pconv.result import Epoch, RunResult

if TYPE_CHECKING:
    from pconv.learn.training import Training


@dataclass(frozen=True)
class Cell:
    """What a worker is given."""

    config: RunConfig
    threads: int | None  # None: as many as suit the network on the machine that computes it
    checkpoint: Path
    keep_weights: bool  # also where they are large
    save_after: float | None = None  # seconds of training after which a checkpoint is due


class Progress(NamedTuple):
    """What a worker tells at an epoch's end."""

    run_id: str
    epoch: int
    accuracy: float


@dataclass(frozen=True)
class Outcome:
    """What a worker gives back: a result, or the reason why there is none."""

    result: RunResult | None = None
    weights: Weights | None = None
    reason: str = ""


def compute(cell: Cell, tell: Callable[[Progress], None] | None = None) -> Outcome:
    """Train the cell's network. What it raises is an outcome too: the worker lives on."""
    try:
        return _computed(cell, tell)
    except Exception as error:
        return Outcome(reason=f"{type(error).__name__}: {error}")


def _computed(cell: Cell, tell: Callable[[Progress], None] | None) -> Outcome:
    from pconv.learn.checkpoint import SAVE_AFTER, run_to_end
    from pconv.learn.training import Training

    def after_epoch(epoch: Epoch) -> None:
        if tell:
            tell(Progress(cell.config.run_id, epoch.epoch, epoch.accuracy))

    training = Training(cell.config, threads=cell.threads)
    due = SAVE_AFTER if cell.save_after is None else cell.save_after
    run_to_end(training, cell.checkpoint, after_epoch=after_epoch, save_after=due)
    return Outcome(training.result(), weights_to_keep(training, cell.keep_weights))


def weights_to_keep(training: Training, asked: bool) -> Weights | None:
    """The best epoch's weights, where they are small or asked for."""
    from pconv.learn.weights import packed_weights

    assert training.best is not None
    if not asked and sum(w.nbytes for w in training.best.weights.values()) > SMALL:
        return None
    return Weights(*packed_weights(training.best.weights, training.config, len(training.epochs)))
