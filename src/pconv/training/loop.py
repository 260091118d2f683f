"""The loop over epochs: from a new training, or from its checkpoint, to the last epoch."""

from __future__ import annotations

import time
from pathlib import Path

from pconv.training.checkpoint import resume, save_checkpoint
from pconv.training.options import SAVE_AFTER
from pconv.training.trainer import EpochCallback, StepCallback, Training

_SAVING = 0.05  # of the time, at most, goes into saving: where one save takes longer, the next is later


def run_to_end(
    training: Training,
    checkpoint: Path | None = None,
    *,
    on_step: StepCallback | None = None,
    on_epoch: EpochCallback | None = None,
    save_after: float = SAVE_AFTER,
    save_last: bool = False,
) -> None:
    """Runs all epochs that are left.

    Parameters
    ----------
    training
        A new training, or one between two epochs.
    checkpoint
        A file to resume from, if it exists, and to save to between epochs.
    on_step
        Called after every step with a `Step`.
    on_epoch
        Called after every epoch with its `Epoch`; an exception it raises ends the training.
    save_after
        Seconds of training between two checkpoints; 0: one after every epoch, however long that takes.
    save_last
        Save after the last epoch, too, if that is due: the caller goes on with something that takes long.
    """
    if checkpoint:
        resume(checkpoint, training)
    saved, due = time.monotonic(), save_after
    while not training.done:
        epoch = training.run_epoch(on_step)
        if on_epoch:
            on_epoch(epoch)
        started = time.monotonic()
        if checkpoint and (save_last or not training.done) and started - saved >= due:
            save_checkpoint(checkpoint, training)
            saved = time.monotonic()
            due = max(save_after, (saved - started) / _SAVING) if save_after else 0.0
