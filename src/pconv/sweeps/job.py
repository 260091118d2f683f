"""One run as a worker computes it, here or on another machine. Nothing here knows the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pconv.config import RunConfig
from pconv.result import Epoch, RunResult
from pconv.store.files import SMALL, Weights

if TYPE_CHECKING:
    from pconv.training.trainer import Kept, Training


@dataclass(frozen=True)
class Job:
    """What a worker is given."""

    config: RunConfig
    threads: int | None  # None: as many as suit the network on the machine that computes it
    checkpoint: Path
    keep_weights: bool  # also where they are large
    save_after: float | None = None  # seconds of training after which a checkpoint is due
    census: bool = True  # ask every unseen number at the end
    snapshots: tuple[int, ...] = ()  # epochs whose weights are kept


class Progress(NamedTuple):
    """What a worker reports after an epoch."""

    run_id: str
    epoch: int
    accuracy: float


@dataclass(frozen=True)
class JobResult:
    """What a worker gives back: a result, or the reason why there is none."""

    result: RunResult | None = None
    weights: Weights | None = None
    snapshots: Mapping[int, Weights] = field(default_factory=dict)
    reason: str = ""


def compute(cell: Job, tell: Callable[[Progress], None] | None = None) -> JobResult:
    """Train the cell's network. What it raises is an outcome too: the worker lives on."""
    try:
        return _computed(cell, tell)
    except Exception as error:
        return JobResult(reason=f"{type(error).__name__}: {error}")


def _computed(cell: Job, tell: Callable[[Progress], None] | None) -> JobResult:
    from pconv.training.checkpoint import SAVE_AFTER, run_to_end
    from pconv.training.trainer import Training

    def on_epoch(epoch: Epoch) -> None:
        if tell:
            tell(Progress(cell.config.run_id, epoch.epoch, epoch.accuracy))

    training = Training(cell.config, threads=cell.threads, snapshots=cell.snapshots)
    due = SAVE_AFTER if cell.save_after is None else cell.save_after
    run_to_end(training, cell.checkpoint, on_epoch=on_epoch, save_after=due)
    kept, snapshots = weights_to_keep(training, cell.keep_weights)
    return JobResult(training.result(cell.census), kept, snapshots)


def weights_to_keep(training: Training, asked: bool) -> tuple[Weights | None, dict[int, Weights]]:
    """The weights that verdicts rest on and those of the snapshots, where they are small or asked for."""
    from pconv.models.weights import packed_weights

    assert training.chosen is not None
    if not asked and sum(w.nbytes for w in training.chosen.weights.values()) > SMALL:
        return None, {}

    def packed(kept: Kept) -> Weights:
        return Weights(*packed_weights(kept.weights, training.config, kept.epoch))

    return packed(training.chosen), {epoch: packed(kept) for epoch, kept in training.snapshots.items()}
