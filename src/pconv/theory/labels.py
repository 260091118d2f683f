"""Predictions for tasks whose label depends on n modulo m alone.

A reader of the window learns to which group of residues n belongs, and nothing more. Where all residues of a
group have one label, it can always be correct; elsewhere its best answer is the most frequent label.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.data.tasks import Task
from pconv.errors import InputError
from pconv.theory.best_reader import least_loss, most_correct
from pconv.theory.partition import connected
from pconv.theory.prediction import BasePrediction, Prediction

MAX_LABELLED_MODULUS = 10**6
"""The largest modulus of a task other than residue: the label of every residue is computed."""


class LabelPrediction(BasePrediction):
    """What a theory predicts about labels f(n mod m).

    Parameters
    ----------
    residues
        The prediction about the residues.
    label_of
        The label of each residue, from 0; -1 where it is not known, which leaves the residue out.
    classes
        The number of labels.

    Examples
    --------
    >>> from pconv.theory import predict
    >>> squares = np.array([r in (0, 1, 3, 4, 5, 9) for r in range(11)]).astype(int)
    >>> prediction = LabelPrediction(predict(11, range(9)), squares, 2)  # 1 is a square and 2 is not
    >>> prediction.solved, prediction.ceiling, prediction.groups
    (False, Fraction(10, 11), ((0, 1),))
    """

    def __init__(self, residues: Prediction, label_of: IntArray, classes: int) -> None:
        super().__init__(residues.theory, residues.problem)
        self.residues = residues
        self.label_of = label_of
        self._classes = classes
        if len(label_of) != self.modulus or not (label_of >= 0).any():
            raise InputError("labels", len(label_of), f"needs those of {self.modulus} residues")

    @property
    def classes(self) -> int:
        """The number of labels."""
        return self._classes

    @property
    def by_chance(self) -> bool:
        """False: the correct label may depend on the group of residues, which an answer does not show."""
        return False

    @property
    def same_everywhere(self) -> bool:
        """Only if all labels can be known: of the residues with one label some may be mixed, others not."""
        return self.solved

    @cached_property
    def _known(self) -> NDArray[np.bool_]:
        return np.asarray(self.label_of >= 0)

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray, IntArray]:
        """The distinct pairs (group of residues, label), and the pair of each known residue."""
        codes = self.residues.labels[self._known] * self.classes + self.label_of[self._known]
        pairs, place = np.unique(codes, return_inverse=True)
        return pairs // self.classes, pairs % self.classes, place

    def _pair_counts(self, counts: IntArray) -> IntArray:
        """How many numbers fall into each pair, given how many fall into each residue."""
        group, _, place = self._pairs
        return np.bincount(place, counts[self._known], minlength=len(group)).astype(np.int64)

    @cached_property
    def _uniform(self) -> IntArray:
        """The pair counts of one number in each residue."""
        return self._pair_counts(np.ones(self.modulus, dtype=np.int64))

    @cached_property
    def ceiling(self) -> Fraction:
        """The best accuracy when the residues are equally likely: the most frequent label of each group."""
        return Fraction(most_correct(self._uniform, self._pairs[0]), int(self._known.sum()))

    @cached_property
    def loss_floor(self) -> float:
        """The least cross-entropy when the residues are equally likely: H(label | group of residues)."""
        return least_loss(self._uniform, self._pairs[0])

    @property
    def solved(self) -> bool:
        """Whether every group of residues has one label."""
        return self.ceiling == 1

    def ceiling_on(self, counts: IntArray) -> float | None:
        total = int(counts[self._known].sum())
        return most_correct(self._pair_counts(counts), self._pairs[0]) / total if total else None

    def loss_floor_on(self, counts: IntArray) -> float | None:
        numbers = self._pair_counts(counts)
        return least_loss(numbers, self._pairs[0]) if numbers.any() else None

    def expected_on(self, counts: IntArray) -> tuple[float, float] | None:
        """Ceiling and loss floor where the residues of a group are equally likely; None without numbers.

        The groups are as frequent as among the numbers with these counts. `ceiling_on` is above this ceiling
        on few numbers: it is that of a reader who knows which residues they happen to have more of.
        """
        group = self._pairs[0]
        drawn = np.bincount(group, self._pair_counts(counts))
        if not drawn.any():
            return None
        expected = self._uniform * (drawn / np.bincount(group, self._uniform).clip(min=1))[group]
        most = np.zeros(len(drawn))
        np.maximum.at(most, group, expected)
        return float(most.sum() / drawn.sum()), least_loss(expected, group)

    @cached_property
    def pattern(self) -> NDArray[np.bool_]:
        """False where a cell must be empty: the two labels share no group of residues."""
        free = np.eye(self.classes, dtype=bool)
        group, label, _ = self._pairs
        for together in np.split(label, np.flatnonzero(np.diff(group)) + 1):
            if len(together) > 1:
                free[np.ix_(together, together)] = True
        return free

    @cached_property
    def labels(self) -> IntArray:
        """The group of each label: the connected components of the pattern."""
        return connected(self.pattern)

    def _repr_html_(self) -> str:
        facts = {
            "ceiling": f"{float(self.ceiling):.4f} on equally likely residues",
            "loss floor": f"{self.loss_floor:.4f} nats on equally likely residues",
        }
        return self._html("labels of n", "label", facts)


def for_task(prediction: Prediction, task: Task) -> BasePrediction:
    """What a prediction about residues means for the labels of a task.

    >>> from pconv.data.tasks import task_named
    >>> from pconv.theory import predict
    >>> for_task(predict(11, range(9)), task_named("divisibility")).solved
    True
    """
    if not task.of_residue:
        raise InputError("task", task.name, "is no function of n modulo m: readers predict it")
    if task.name == "residue":
        return prediction
    modulus = prediction.modulus
    if modulus > MAX_LABELLED_MODULUS:
        raise InputError(
            "modulus", modulus, f"must be at most {MAX_LABELLED_MODULUS} for the task {task.name}"
        )
    label_of = task.labels(np.arange(modulus, dtype=np.int64), modulus)
    return LabelPrediction(prediction, label_of, task.classes(modulus))
