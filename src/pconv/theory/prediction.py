"""A prediction: the groups of classes that will be mixed, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum, lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv import _notebook_html as html
from pconv._text import format_groups
from pconv.config import MAX_CLASSES
from pconv.data.domain import Domain
from pconv.data.primes import IntArray
from pconv.errors import InputError
from pconv.theory.best_reader import least_loss, most_right, uniform_loss
from pconv.theory.binomial import accuracy_range
from pconv.theory.partition import Groups, Partition, combined, groups_of
from pconv.theory.problem import Problem

MAX_LISTED = 10**8
"""Groups are listed in memory, some ten bytes a class."""


@dataclass(frozen=True)
class Prediction:
    """What a theory says about a question. Nothing is listed before it is asked for.

    `parts` are partitions for coprime moduli whose product is m; they combine as a product.

    >>> from pconv.theory import predict
    >>> says = predict(11, range(9))
    >>> says.solved, says.distinguishable, says.ceiling
    (False, 10, Fraction(10, 11))
    >>> says.groups[:3]
    ((0,), (1, 2), (3,))
    """

    theory: str
    problem: Problem
    parts: Sequence[Partition]

    def __post_init__(self) -> None:
        moduli = [part.modulus for part in self.parts]
        if not prod(moduli) == lcm(*moduli) == self.modulus:
            needed = f"its partitions need coprime moduli whose product is {self.modulus}"
            raise InputError("theory", self.theory, needed)

    @property
    def modulus(self) -> int:
        return self.problem.modulus

    @property
    def classes(self) -> int:
        """The classes to choose from are the residues."""
        return self.modulus

    @property
    def by_chance(self) -> bool:
        """Inside a group an answer is right by chance alone."""
        return True

    @property
    def distinguishable(self) -> int:
        """The number of groups: how many classes can be told apart."""
        return prod(part.count for part in self.parts)

    @property
    def solved(self) -> bool:
        """Whether every class is identified."""
        return self.distinguishable == self.modulus

    @property
    def ceiling(self) -> Fraction:
        """The best accuracy when the classes are equally likely: one right class a group."""
        return Fraction(self.distinguishable, self.modulus)

    @cached_property
    def loss_floor(self) -> float:
        """The least cross-entropy of a reader of the groups when the classes are equally likely, in nats.

        It is H(class | group) = (1/m) times the sum over the groups of g ln g, g being the size of a group,
        and adds up over the parts. Nothing is listed.
        """
        return fsum(uniform_loss(part.sizes()) for part in self.parts)

    @cached_property
    def labels(self) -> IntArray:
        """The group of each class; groups are numbered by their least class."""
        if self.modulus > MAX_LISTED:
            raise InputError("modulus", self.modulus, f"groups are listed up to {MAX_LISTED}")
        return combined(self.parts)

    @cached_property
    def groups(self) -> Groups:
        """The groups, each sorted, by their least class."""
        return groups_of(self.labels)

    @property
    def mixed(self) -> Groups:
        """The groups of more than one class."""
        return tuple(group for group in self.groups if len(group) > 1)

    def group_of(self, residue: int) -> tuple[int, ...]:
        """The classes that will be mixed with this one, itself included."""
        return tuple(np.flatnonzero(self.labels == self.labels[residue % self.modulus]).tolist())

    @cached_property
    def pattern(self) -> NDArray[np.bool_]:
        """The predicted confusion pattern: False where a cell must be empty, True where it is free."""
        if self.modulus > MAX_CLASSES:
            raise InputError("modulus", self.modulus, f"a pattern is drawn up to {MAX_CLASSES} classes")
        return np.asarray(self.labels[:, None] == self.labels[None, :])

    def domain_counts(self, domain: Domain | None = None) -> IntArray | None:
        """How many numbers of a domain fall into each class; None where the domain is smaller than m."""
        if domain is None:
            domain = Domain(lowest_offset=min(0, self.problem.offsets[0]))
        if domain.limit <= self.modulus or domain.size < self.modulus:
            return None
        return domain.class_counts(self.modulus)

    def ceiling_on(self, counts: IntArray) -> float | None:
        """The best accuracy of a reader of the groups on so many numbers of each class; None without any."""
        total = int(counts.sum())
        return most_right(counts, self.labels) / total if total else None

    def loss_floor_on(self, counts: IntArray) -> float | None:
        """The least cross-entropy of a reader of the groups on so many numbers of each class, in nats.

        None where there are no numbers.

        >>> from pconv.theory import predict
        >>> predict(4, [0]).groups
        ((0,), (1, 3), (2,))
        >>> round(predict(4, [0]).loss_floor_on(np.array([5, 1, 1, 1])), 4)  # 2/8 ln 2
        0.1733
        """
        return least_loss(counts, self.labels) if counts.any() else None

    def exact_ceiling(self, domain: Domain | None = None) -> float | None:
        """The best accuracy on a domain of a reader who sees the groups alone.

        Classes are not equally likely there: it is the sum over the groups of the largest class frequency.
        None where the domain is smaller than m.
        """
        counts = self.domain_counts(domain)
        return None if counts is None else self.ceiling_on(counts)

    def exact_loss_floor(self, domain: Domain | None = None) -> float | None:
        """The least cross-entropy on a domain of a reader who sees the groups alone, in nats.

        It is H(class | group) for a number drawn from the domain. None where the domain is smaller than m.
        """
        counts = self.domain_counts(domain)
        return None if counts is None else self.loss_floor_on(counts)

    def accuracy_range(
        self, test_size: int, accuracy: float | None = None, confidence: float = 0.95
    ) -> tuple[float, float]:
        """The range that accuracy on `test_size` numbers will fall into (exact binomial).

        `accuracy` is the chance of a right answer; without it, the ceiling on equally likely classes.
        """
        return accuracy_range(float(self.ceiling) if accuracy is None else accuracy, test_size, confidence)

    def _repr_html_(self) -> str:
        problem = self.problem
        told = {
            "told apart": f"{self.distinguishable:,} of {self.modulus:,} classes",
            "ceiling": f"{float(self.ceiling):.4f} on equally likely classes",
            "loss floor": f"{self.loss_floor:.4f} nats on equally likely classes",
        }
        picture = ""
        if self.modulus <= html.MOST_CLASSES:
            told["mixed"] = format_groups(self.mixed)
            picture = html.pattern("Predicted (row: class, column: answer)", self.pattern.tolist())
        title = f"The theory '{self.theory}' of n modulo {self.modulus} through {problem.window}"
        return html.title(title) + html.beside(html.facts(told), picture)

    def to_dict(self, max_groups: int) -> dict[str, Any]:
        """What one theory says, as JSON knows it; groups are null above `max_groups` classes."""
        listed = self.modulus <= max_groups
        return {
            "solved": self.solved,
            "groups": [list(group) for group in self.groups] if listed else None,
            "distinguishable": self.distinguishable,
            "ceiling": float(self.ceiling),
            "ceiling_fraction": str(self.ceiling),
            "loss_floor": self.loss_floor,
        }
