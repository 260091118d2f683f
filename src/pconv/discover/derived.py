"""Accuracy and loss from the partition: those of a reader of the groups, and those of the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from pconv.discover.observation import Observation


@dataclass(frozen=True)
class Derived:
    """Values that follow from the partitions of runs, and the observed ones."""

    predicted: tuple[float, ...]
    observed: tuple[float, ...]

    @property
    def differences(self) -> list[float]:
        """Observed minus predicted."""
        return [one - other for one, other in zip(self.observed, self.predicted, strict=True)]

    def to_dict(self) -> dict[str, Any]:
        found = self.differences
        if not found:
            return {"runs": 0, "median": None, "low": None, "high": None}
        return {"runs": len(found), "median": median(found), "low": min(found), "high": max(found)}


def accuracies(observations: Sequence[Observation]) -> Derived:
    """The accuracy of naming the most frequent class of each group, and the observed one.

    Runs in which every class is distinguished are left out: every reader of their groups is always right.
    """
    runs = [each for each in observations if each.leaders and each.groups < len(each.leaders)]
    return Derived(tuple(group_accuracy(each) for each in runs), tuple(each.accuracy for each in runs))


def losses(observations: Sequence[Observation]) -> Derived:
    """The loss of a reader of the groups, H(class given group), and the observed held-out loss."""
    mixed = [each for each in observations if each.leaders and each.groups < len(each.leaders)]
    runs = [(each, each.loss) for each in mixed if each.loss is not None]
    return Derived(tuple(group_loss(each) for each, _ in runs), tuple(loss for _, loss in runs))


def group_accuracy(each: Observation) -> float:
    """The sum over the groups of the share of the most frequent class."""
    most: dict[int, int] = {}
    for leader, count in zip(each.leaders, each.class_counts, strict=True):
        most[leader] = max(most.get(leader, 0), count)
    return sum(most.values()) / sum(each.class_counts)


def group_loss(each: Observation) -> float:
    """H(class given group), in nats."""
    counts = np.array(each.class_counts, dtype=np.float64)
    totals = np.bincount(each.leaders, counts)[list(each.leaders)]
    shares = counts / counts.sum()
    return float((shares * np.log(totals / counts)).sum())
