"""Which observations a law explains, and how many bits it saves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pconv.discover.description import saved_bits
from pconv.discover.evaluation import ClassFrames, Evaluator
from pconv.discover.formula import CLASS_VARIABLES, Formula
from pconv.discover.observation import ACCURACY, Observation
from pconv.discover.partitions import Leaders, partition_of
from pconv.errors import InputError


@dataclass(frozen=True)
class Law:
    """A formula and what it explains of the observations.

    Parameters
    ----------
    formula
        Classes are mixed iff its values agree, in every row and at every prime that it leaves free.
    explained
        For each observation whether the law reproduces it.
    saved
        How many bits shorter the observations are described with the law than without one.
    """

    formula: Formula
    explained: NDArray[np.bool_]
    saved: float

    @property
    def size(self) -> int:
        return self.formula.size

    @property
    def count(self) -> int:
        """How many of the observations it explains."""
        return int(self.explained.sum())


class Scorer:
    """Scores formulas against observations."""

    def __init__(self, observations: Sequence[Observation]) -> None:
        if not observations:
            raise InputError("runs", "none", "a search needs a run that has learned")
        self.observations = list(observations)
        self.cases = sorted({each.case for each in observations})
        self.frames = ClassFrames(self.cases)
        self.evaluator = Evaluator(self.frames)
        self.bits = np.array([each.bits for each in observations])
        place = dict(zip(self.cases, self.frames.slices, strict=True))
        self._classes = [place[each.case] for each in observations]
        self._partitions = [i for i, each in enumerate(observations) if each.leaders]
        own = [np.arange(self._classes[i].start, self._classes[i].stop) for i in self._partitions]
        self._points = np.concatenate([*own, np.empty(0, dtype=np.int64)])
        self._seen = np.array([c for i in self._partitions for c in observations[i].leaders], dtype=np.int16)
        self._starts = np.cumsum([0, *(len(points) for points in own)])[:-1]

    def law(self, formula: Formula) -> Law:
        """The law of a formula; an `InputError` where its values are too large to be exact."""
        return self.scored(formula, self.explained(partition_of(formula, self.evaluator)))

    def scored(self, formula: Formula, explained: NDArray[np.bool_]) -> Law:
        """The law of a formula that explains these observations."""
        return Law(formula, explained, saved_bits(formula, CLASS_VARIABLES, explained, self.bits))

    def explained(self, leaders: Leaders) -> NDArray[np.bool_]:
        """Which observations a partition of all classes of all cases reproduces."""
        found = np.zeros(len(self.observations), dtype=bool)
        if self._partitions:
            same = leaders[self._points] == self._seen
            found[self._partitions] = np.logical_and.reduceat(same, self._starts)
        for i, each in enumerate(self.observations):
            if each.labels:
                predicted = best_accuracy(leaders[self._classes[i]], each.labels, each.class_counts)
                found[i] = abs(predicted - each.accuracy) <= ACCURACY
        return found


def best_accuracy(leaders: Leaders, labels: Sequence[int], class_counts: Sequence[int]) -> float:
    """The accuracy of naming the most frequent label of each group.

    Parameters
    ----------
    leaders
        The partition of the classes.
    labels
        The label of each class.
    class_counts
        How many numbers are in each class.

    Examples
    --------
    >>> best_accuracy(np.array([0, 1, 1, 1], dtype=np.int16), [0, 1, 1, 0], [10, 10, 10, 10])
    0.75
    """
    table = np.zeros((len(leaders), max(labels) + 1), dtype=np.int64)
    np.add.at(table, (leaders, np.array(labels)), np.array(class_counts))
    return float(table.max(axis=1).sum() / sum(class_counts))
