"""The four readers, and what each reaches on a domain: the Bayes accuracy and the loss floor.

A reader is given by its evidence, the part of the grid that it uses. It can do no better than to answer with
the most frequent label among the numbers with the same evidence, so its Bayes accuracy is counted. A reader
that sees more reaches at least as much.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pconv._arrays import IntArray
from pconv.errors import InputError
from pconv.theory.best_reader import least_loss, most_correct
from pconv.theory.readers.evidence import grid_evidence, likeliest, local_evidence
from pconv.theory.readers.limit import Density, density, limit_laws
from pconv.theory.readers.limit_law import Law
from pconv.theory.readers.sizes import own_size_evidence, size_evidence
from pconv.theory.readers.task_problem import TaskProblem

READERS = {
    "limit": "answers as is best for all integers, given what the columns show prime by prime",
    "local": "sees what the columns show of the label prime by prime, and knows the domain's frequencies",
    "size": "also sees how large the visible part of each row is, against the bound of the domain",
    "any": "sees the whole grid: only numbers with identical grids look alike",
}
"""The readers and what they see, each with all that the one before sees."""


@dataclass(frozen=True)
class Reading:
    """What a reader reaches on the numbers of a domain, each counted once.

    Parameters
    ----------
    reader
        The reader's name.
    accuracy
        Its accuracy on the domain: the best that its evidence allows; for `limit` that of its answers (ties
        are broken at random).
    loss_floor
        Its cross-entropy on the domain in nats: the least that its evidence allows, for `limit` that of its
        probabilities; None where it gives a label that occurs the probability 0.
    evidence_classes
        The number of different pieces of evidence on the domain.
    density
        Of `limit`: the Bayes accuracy among all integers.
    """

    reader: str
    accuracy: float
    loss_floor: float | None
    evidence_classes: int
    density: Density | None = None

    def to_dict(self) -> dict[str, Any]:
        """The reading as JSON; figures on the domain are counted, so `low` and `high` are the accuracy."""
        return {
            "accuracy": self.accuracy,
            "loss_floor": self.loss_floor,
            "kind": "exact",
            "low": self.accuracy,
            "high": self.accuracy,
            "evidence_classes": self.evidence_classes,
            "density": asdict(self.density) if self.density else None,
        }


class Readers:
    """The evidence and the readings of all readers of one problem; what is computed is kept.

    Parameters
    ----------
    problem
        The task, the columns and the domain.

    Examples
    --------
    >>> from pconv.config import RunConfig
    >>> readers = Readers(TaskProblem.of(RunConfig(modulus=3, task="mobius", limit=1_000, primes=4)))
    >>> [round(readers.reading(name).accuracy, 3) for name in READERS]
    [0.678, 0.879, 0.881, 1.0]
    """

    def __init__(self, problem: TaskProblem) -> None:
        self.problem = problem

    @cached_property
    def _local(self) -> IntArray:
        return local_evidence(self.problem)

    @cached_property
    def _grid(self) -> IntArray:
        return grid_evidence(self.problem)

    @cached_property
    def _size(self) -> IntArray:
        if not self.problem.representation.shows.of_primes:  # rows have no visible part that could be large
            return self._local
        if self.problem.splitting is not None:
            return own_size_evidence(self.problem, self._local)
        return size_evidence(self.problem, self._local, self._grid)

    @cached_property
    def limit_laws(self) -> Law:
        """The limit law of the label given each class of local evidence."""
        return limit_laws(self.problem, self._local)

    def evidence(self, reader: str) -> IntArray:
        """The class of evidence of each number of the domain."""
        found = {"limit": "_local", "local": "_local", "size": "_size", "any": "_grid"}
        if reader not in found:
            raise InputError("reader", reader, f"must be one of: {', '.join(READERS)}")
        return np.asarray(getattr(self, found[reader]))

    def pairs(self, reader: str) -> tuple[IntArray, IntArray, IntArray]:
        """The pairs of evidence and label that occur: evidence, label, and how many numbers have them."""
        codes = self.evidence(reader) * self.problem.classes + self.problem.labels
        pairs, counts = np.unique(codes, return_counts=True)
        return pairs // self.problem.classes, pairs % self.problem.classes, counts

    def reading(self, reader: str) -> Reading:
        """What a reader reaches."""
        evidence, label, counts = self.pairs(reader)
        classes, size = len(np.unique(evidence)), int(counts.sum())
        if reader != "limit":
            accuracy = most_correct(counts, evidence) / size
            return Reading(reader, accuracy, least_loss(counts, evidence), classes)
        laws = self.limit_laws
        best = likeliest(laws)
        chosen = (best / best.sum(axis=1, keepdims=True))[evidence, label]
        given = laws[evidence, label]
        loss = None if np.any(given <= 0) else float((counts * -np.log(given)).sum() / size)
        return Reading("limit", float(counts @ chosen / size), loss, classes, density(self.problem))

    def readings(self) -> dict[str, Reading]:
        """The readings of all readers."""
        return {reader: self.reading(reader) for reader in READERS}
