"""Predictions: the groups of classes that will be mixed, and the figures that follow from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum, lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv import _notebook_html as html
from pconv._arrays import IntArray
from pconv._text import format_groups
from pconv.config import MAX_CLASSES
from pconv.data.domain import Domain
from pconv.errors import InputError
from pconv.theory.best_reader import least_loss, most_correct, uniform_loss
from pconv.theory.binomial import accuracy_range
from pconv.theory.partition import Groups, Partition, combined, groups_of
from pconv.theory.problem import Problem

MAX_LISTED = 10**8
"""The largest modulus whose groups are listed in memory, which takes some ten bytes a class."""


@dataclass(frozen=True, eq=False)
class BasePrediction(ABC):
    """What a theory predicts about a problem, whether the classes are residues or labels of a task.

    Subclasses define the groups of classes and the best that a reader of the groups can reach. Everything
    else follows from these.
    """

    theory: str
    problem: Problem

    @property
    def modulus(self) -> int:
        return self.problem.modulus

    @property
    @abstractmethod
    def classes(self) -> int:
        """The number of classes."""

    @property
    @abstractmethod
    def by_chance(self) -> bool:
        """Whether an answer inside a group is correct by chance alone."""

    @property
    def same_everywhere(self) -> bool:
        """Whether all numbers of a class are predicted to be equally hard: a difference in accuracy between
        those near to and far from training numbers then suggests memory."""
        return True

    @property
    @abstractmethod
    def solved(self) -> bool:
        """Whether every class can be identified."""

    @property
    @abstractmethod
    def ceiling(self) -> Fraction:
        """The best accuracy when the residues are equally likely."""

    @property
    @abstractmethod
    def loss_floor(self) -> float:
        """The least cross-entropy when the residues are equally likely, in nats."""

    @property
    @abstractmethod
    def labels(self) -> IntArray:
        """The group of each class; groups are numbered by their least class."""

    @property
    @abstractmethod
    def pattern(self) -> NDArray[np.bool_]:
        """The predicted confusion pattern: False where a cell must be empty, True where it is free."""

    @abstractmethod
    def ceiling_on(self, counts: IntArray) -> float | None:
        """The best accuracy, given the numbers of each residue; None without any number."""

    @abstractmethod
    def loss_floor_on(self, counts: IntArray) -> float | None:
        """The least cross-entropy in nats, given the numbers of each residue; None without any number."""

    @cached_property
    def groups(self) -> Groups:
        """The groups, each sorted, ordered by their least class."""
        return groups_of(self.labels)

    @property
    def mixed(self) -> Groups:
        """The groups of more than one class."""
        return tuple(group for group in self.groups if len(group) > 1)

    @property
    def distinguishable(self) -> int:
        """The number of groups."""
        return len(self.groups)

    def domain_counts(self, domain: Domain | None = None) -> IntArray | None:
        """How many numbers of a domain fall into each residue; None where the domain is smaller than m."""
        if domain is None:
            domain = Domain(lowest_offset=min(0, self.problem.offsets[0]))
        if domain.limit <= self.modulus or domain.size < self.modulus:
            return None
        return domain.class_counts(self.modulus)

    def exact_ceiling(self, domain: Domain | None = None) -> float | None:
        """The best accuracy on a domain; None where the domain is smaller than m.

        Residues are not equally likely there, so this can differ from `ceiling`.
        """
        counts = self.domain_counts(domain)
        return None if counts is None else self.ceiling_on(counts)

    def exact_loss_floor(self, domain: Domain | None = None) -> float | None:
        """The least cross-entropy on a domain in nats; None where the domain is smaller than m."""
        counts = self.domain_counts(domain)
        return None if counts is None else self.loss_floor_on(counts)

    def accuracy_range(
        self, test_size: int, accuracy: float | None = None, confidence: float = 0.95
    ) -> tuple[float, float]:
        """The range in which the accuracy on a random sample will lie (exact binomial).

        Parameters
        ----------
        test_size
            The size of the sample.
        accuracy
            The probability of a correct answer; by default the ceiling.
        confidence
            The probability that the accuracy lies in the range.

        Examples
        --------
        >>> from pconv.theory import predict
        >>> [round(bound, 3) for bound in predict(11, range(9)).accuracy_range(1000)]
        [0.891, 0.927]
        """
        return accuracy_range(float(self.ceiling) if accuracy is None else accuracy, test_size, confidence)

    def to_dict(self, max_groups: int) -> dict[str, Any]:
        """The prediction as JSON; groups are null above `max_groups` classes."""
        return {
            "solved": self.solved,
            "groups": [list(group) for group in self.groups] if self.classes <= max_groups else None,
            "distinguishable": self.distinguishable,
            "ceiling": float(self.ceiling),
            "ceiling_fraction": str(self.ceiling),
            "loss_floor": self.loss_floor,
        }

    @abstractmethod
    def _repr_html_(self) -> str: ...

    def _html(self, subject: str, row: str, facts: dict[str, str]) -> str:
        """The facts and, where it is small enough, the pattern, whose rows are classes or labels."""
        picture = ""
        if self.classes <= html.MOST_CLASSES:
            facts = {**facts, "mixed": format_groups(self.mixed)}
            picture = html.pattern(f"Predicted (row: {row}, column: answer)", self.pattern.tolist())
        title = f"The theory '{self.theory}' of {subject} modulo {self.modulus} through {self.problem.window}"
        return html.title(title) + html.side_by_side(html.facts(facts), picture)


@dataclass(frozen=True)
class Prediction(BasePrediction):
    """What a theory predicts about the residues modulo m. Groups are listed only when they are needed.

    Parameters
    ----------
    theory
        The theory's name.
    problem
        The modulus, the window and its columns.
    parts
        Partitions of the residues for coprime moduli whose product is m; they combine as a product.

    Examples
    --------
    >>> from pconv.theory import predict
    >>> prediction = predict(11, range(9))
    >>> prediction.solved, prediction.distinguishable, prediction.ceiling
    (False, 10, Fraction(10, 11))
    >>> prediction.groups[:3]
    ((0,), (1, 2), (3,))
    """

    parts: Sequence[Partition]

    def __post_init__(self) -> None:
        moduli = [part.modulus for part in self.parts]
        if not prod(moduli) == lcm(*moduli) == self.modulus:
            needed = f"its partitions need coprime moduli whose product is {self.modulus}"
            raise InputError("theory", self.theory, needed)

    @property
    def classes(self) -> int:
        """The classes are the residues."""
        return self.modulus

    @property
    def by_chance(self) -> bool:
        return True

    @property
    def distinguishable(self) -> int:
        """The number of groups, without listing them."""
        return prod(part.count for part in self.parts)

    @property
    def solved(self) -> bool:
        return self.distinguishable == self.modulus

    @property
    def ceiling(self) -> Fraction:
        """The best accuracy when the classes are equally likely: one correct class a group."""
        return Fraction(self.distinguishable, self.modulus)

    @cached_property
    def loss_floor(self) -> float:
        """The least cross-entropy of a reader of the groups when the classes are equally likely, in nats.

        It is H(class | group) = (1/m) times the sum over the groups of g ln g, g being the size of a group,
        and adds up over the parts, so that no group is listed.
        """
        return fsum(uniform_loss(part.sizes()) for part in self.parts)

    @cached_property
    def labels(self) -> IntArray:
        if self.modulus > MAX_LISTED:
            raise InputError("modulus", self.modulus, f"groups are listed up to {MAX_LISTED}")
        return combined(self.parts)

    def group_of(self, residue: int) -> tuple[int, ...]:
        """The classes that will be mixed with this one, itself included."""
        return tuple(np.flatnonzero(self.labels == self.labels[residue % self.modulus]).tolist())

    @cached_property
    def pattern(self) -> NDArray[np.bool_]:
        if self.modulus > MAX_CLASSES:
            raise InputError("modulus", self.modulus, f"a pattern is drawn up to {MAX_CLASSES} classes")
        return np.asarray(self.labels[:, None] == self.labels[None, :])

    def ceiling_on(self, counts: IntArray) -> float | None:
        """The best accuracy: the sum over the groups of the largest class frequency."""
        total = int(counts.sum())
        return most_correct(counts, self.labels) / total if total else None

    def loss_floor_on(self, counts: IntArray) -> float | None:
        """The least cross-entropy H(class | group) in nats; None without any number.

        >>> from pconv.theory import predict
        >>> predict(4, [0]).groups
        ((0,), (1, 3), (2,))
        >>> round(predict(4, [0]).loss_floor_on(np.array([5, 1, 1, 1])), 4)  # 2/8 ln 2
        0.1733
        """
        return least_loss(counts, self.labels) if counts.any() else None

    def _repr_html_(self) -> str:
        facts = {
            "groups": f"{self.distinguishable:,} of {self.modulus:,} classes",
            "ceiling": f"{float(self.ceiling):.4f} on equally likely classes",
            "loss floor": f"{self.loss_floor:.4f} nats on equally likely classes",
        }
        return self._html("n", "class", facts)
