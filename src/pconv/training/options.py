"""The options of a run that its configuration does not have: they never change what is computed."""

from __future__ import annotations

from dataclasses import dataclass

SAVE_AFTER = 10.0
"""Seconds of training after which a checkpoint is written; shorter runs are as quickly trained again."""


@dataclass(frozen=True)
class RunOptions:
    """How a run is computed, and what is recorded and kept of it.

    Parameters
    ----------
    engine, device
        What computes the run; `auto` is the engine that is likely the fastest here.
    threads
        By default as many as suit the network on the machine that computes it.
    census
        Evaluate the network on every unseen number at the end.
    snapshots
        Epochs whose answers to the test numbers are recorded, and whose weights are kept as those of the run
        are. Epochs that are not run are ignored.
    keep_weights
        Keep weights in the store also where they exceed 50 MB.
    save_after
        Seconds of training between two checkpoints.
    """

    engine: str = "auto"
    device: str = "cpu"
    threads: int | None = None
    census: bool = True
    snapshots: tuple[int, ...] = ()
    keep_weights: bool = False
    save_after: float = SAVE_AFTER
