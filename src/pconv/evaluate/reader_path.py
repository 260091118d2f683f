"""Which reader a network is nearest to, epoch by epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

from pconv.result import RunResult
from pconv.theory.readers import READERS, Reading, predict_reader


@dataclass(frozen=True)
class ReaderPath:
    """The readings of all readers of a run, and the held-out losses of its epochs against them.

    Parameters
    ----------
    readings
        What each reader reaches on the domain.
    classes
        The number of labels.
    losses
        The held-out cross-entropy after each epoch whose loss was recorded, by epoch.
    accuracies
        The accuracy on the test numbers after each epoch whose answers were kept (`--snapshots`), by epoch.
    """

    readings: Mapping[str, Reading]
    classes: int
    losses: Mapping[int, float]
    accuracies: Mapping[int, float]

    @property
    def nearest(self) -> dict[int, str | None]:
        """For each epoch the reader whose loss is nearest; None if a guess is better."""
        return {
            epoch: nearest_reader(loss, self.readings) if loss <= log(self.classes) else None
            for epoch, loss in self.losses.items()
        }

    def passed(self, reader: str) -> int | None:
        """The first epoch whose held-out loss is below that of a reader; None if there is none."""
        floor = self.readings[reader].loss_floor
        below = [epoch for epoch, loss in self.losses.items() if floor is not None and loss < floor]
        return min(below, default=None)

    def to_dict(self) -> dict[str, Any]:
        """The path as JSON."""
        nearest = self.nearest
        epochs = [
            {
                "epoch": epoch,
                "held_out_loss": loss,
                "test_accuracy": self.accuracies.get(epoch),
                "nearest": nearest[epoch],
            }
            for epoch, loss in self.losses.items()
        ]
        return {
            "readers": {name: reading.to_dict() for name, reading in self.readings.items()},
            "epochs": epochs,
            "passed": {name: self.passed(name) for name in self.readings},
        }


def nearest_reader(loss: float, readings: Mapping[str, Reading]) -> str:
    """The reader whose loss is nearest to a network's; of two with the same loss, the one that sees less.

    >>> few = {name: Reading(name, 0.5, floor, 1) for name, floor in (("local", 0.3), ("size", 0.1))}
    >>> nearest_reader(0.25, few), nearest_reader(0.12, few)
    ('local', 'size')
    """
    finite = {name: each.loss_floor for name, each in readings.items() if each.loss_floor is not None}
    return min(finite, key=lambda name: abs(finite[name] - loss))


def reader_path(result: RunResult) -> ReaderPath:
    """Which reader the network of a run was nearest to after each epoch."""
    readers = predict_reader(result.config, "local").readers
    return ReaderPath(
        {name: readers.reading(name) for name in READERS},
        readers.problem.classes,
        {e.epoch: e.held_out_loss for e in result.epochs if e.held_out_loss is not None},
        {snapshot.epoch: snapshot.test.accuracy for snapshot in result.snapshots},
    )
