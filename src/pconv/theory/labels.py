"""A prediction for labels that depend on n modulo m alone: residues of one label need not be told apart.

A reader sees which group of residues n belongs to, and nothing more. Where all residues of a group have one
label it can be right; elsewhere it can do no better than to name the most frequent label of the group.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv import _notebook_html as html
from pconv._text import format_groups
from pconv.data.domain import Domain
from pconv.data.primes import IntArray
from pconv.data.tasks import Task
from pconv.errors import InputError
from pconv.theory.best_reader import least_loss, most_right
from pconv.theory.binomial import accuracy_range
from pconv.theory.partition import Groups, canonical, groups_of
from pconv.theory.prediction import Prediction
from pconv.theory.problem import Problem

MAX_LABELLED_MODULUS = 10**6
"""Every residue's label is looked up."""


@dataclass(frozen=True, eq=False)
class LabelPrediction:
    """What a theory says about the labels f(n mod m), with the names that a `Prediction` has.

    >>> from pconv.data.tasks import task_named
    >>> from pconv.theory import predict
    >>> says = merged(predict(11, range(9)), task_named("quadratic"))  # 1 is a square modulo 11 and 2 is not
    >>> says.solved, says.ceiling, says.groups
    (False, Fraction(10, 11), ((0, 1),))
    >>> merged(predict(11, range(9)), task_named("divisibility")).solved
    True
    """

    residues: Prediction
    label_of: IntArray  # of each residue; -1: not known, the residue is left out of everything
    classes: int

    def __post_init__(self) -> None:
        if len(self.label_of) != self.residues.modulus or not (self.label_of >= 0).any():
            raise InputError("labels", len(self.label_of), f"needs those of {self.residues.modulus} residues")

    @property
    def theory(self) -> str:
        return self.residues.theory

    @property
    def problem(self) -> Problem:
        return self.residues.problem

    @property
    def by_chance(self) -> bool:
        """Not so: which label is right may depend on the group of residues, and answers do not tell that."""
        return False

    @cached_property
    def _known(self) -> NDArray[np.bool_]:
        return np.asarray(self.label_of >= 0)

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray, IntArray]:
        """Each (group of residues, label) once, and which of them each known residue belongs to."""
        codes = self.residues.labels[self._known] * self.classes + self.label_of[self._known]
        pairs, place = np.unique(codes, return_inverse=True)
        return pairs // self.classes, pairs % self.classes, place

    def _numbers(self, counts: IntArray) -> IntArray:
        """How many numbers each pair has, of so many in each residue."""
        group, _, place = self._pairs
        return np.bincount(place, counts[self._known], minlength=len(group)).astype(np.int64)

    @property
    def _once(self) -> IntArray:
        """One number of each residue."""
        return np.ones(len(self.label_of), dtype=np.int64)

    @cached_property
    def ceiling(self) -> Fraction:
        """The best accuracy when the residues are equally likely: the most frequent label of each group."""
        return Fraction(most_right(self._numbers(self._once), self._pairs[0]), int(self._known.sum()))

    @cached_property
    def loss_floor(self) -> float:
        """The least cross-entropy when the residues are equally likely: H(label | group of residues)."""
        return least_loss(self._numbers(self._once), self._pairs[0])

    @property
    def solved(self) -> bool:
        """Whether every group of residues has one label."""
        return self.ceiling == 1

    def ceiling_on(self, counts: IntArray) -> float | None:
        """The best accuracy on so many numbers of each residue; None where there is none."""
        total = int(counts[self._known].sum())
        return most_right(self._numbers(counts), self._pairs[0]) / total if total else None

    def loss_floor_on(self, counts: IntArray) -> float | None:
        """The least cross-entropy on so many numbers of each residue, in nats; None where there is none."""
        numbers = self._numbers(counts)
        return least_loss(numbers, self._pairs[0]) if numbers.any() else None

    def exact_ceiling(self, domain: Domain | None = None) -> float | None:
        """The best accuracy on a domain; None where the domain is smaller than m."""
        counts = self.residues.domain_counts(domain)
        return None if counts is None else self.ceiling_on(counts)

    def exact_loss_floor(self, domain: Domain | None = None) -> float | None:
        """The least cross-entropy on a domain, in nats; None where the domain is smaller than m."""
        counts = self.residues.domain_counts(domain)
        return None if counts is None else self.loss_floor_on(counts)

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
        """The group of each label: a chain of labels, each of which can be mixed with the next, is one."""
        group = np.arange(self.classes)
        for one, other in np.argwhere(self.pattern):
            group[group == group[other]] = group[one]
        return canonical(group)

    @cached_property
    def groups(self) -> Groups:
        """The groups of labels, each sorted, by their least label."""
        return groups_of(self.labels)

    @property
    def mixed(self) -> Groups:
        """The groups of more than one label."""
        return tuple(group for group in self.groups if len(group) > 1)

    @property
    def distinguishable(self) -> int:
        """The number of groups of labels."""
        return len(self.groups)

    def accuracy_range(
        self, test_size: int, accuracy: float | None = None, confidence: float = 0.95
    ) -> tuple[float, float]:
        """The range that accuracy on `test_size` numbers will fall into (exact binomial)."""
        return accuracy_range(float(self.ceiling) if accuracy is None else accuracy, test_size, confidence)

    def _repr_html_(self) -> str:
        told = {
            "ceiling": f"{float(self.ceiling):.4f} on equally likely residues",
            "loss floor": f"{self.loss_floor:.4f} nats on equally likely residues",
        }
        picture = ""
        if self.classes <= html.MOST_CLASSES:
            told["mixed"] = format_groups(self.mixed)
            picture = html.pattern("Predicted (row: label, column: answer)", self.pattern.tolist())
        problem = self.problem
        title = f"The theory '{self.theory}' of labels of n modulo {problem.modulus} through {problem.window}"
        return html.title(title) + html.beside(html.facts(told), picture)

    def to_dict(self, max_groups: int) -> dict[str, Any]:
        """What one theory says, as JSON knows it; groups are null above `max_groups` labels."""
        return {
            "solved": self.solved,
            "groups": [list(group) for group in self.groups] if self.classes <= max_groups else None,
            "distinguishable": self.distinguishable,
            "ceiling": float(self.ceiling),
            "ceiling_fraction": str(self.ceiling),
            "loss_floor": self.loss_floor,
        }


Forecast = Prediction | LabelPrediction
"""What a theory says about the classes of a task."""


def merged(prediction: Prediction, task: Task) -> Forecast:
    """What a prediction about residues means for a task of them."""
    if not task.of_residue:
        raise InputError("task", task.name, "is no function of n modulo m, so no theory applies")
    if task.name == "residue":
        return prediction
    modulus = prediction.modulus
    if modulus > MAX_LABELLED_MODULUS:
        raise InputError(
            "modulus", modulus, f"must be at most {MAX_LABELLED_MODULUS} for the task {task.name}"
        )
    label_of = task.labels(np.arange(modulus, dtype=np.int64), modulus)
    return LabelPrediction(prediction, label_of, task.classes(modulus))
