"""What a reader predicts about the labels of a task, in the form that verdicts test."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import Domain
from pconv.theory.partition import connected
from pconv.theory.prediction import BasePrediction
from pconv.theory.readers.reading import Readers, Reading
from pconv.theory.readers.task_problem import TaskProblem


class ReaderPrediction(BasePrediction):
    """That a network reaches what a reader reaches on the domain, and no more.

    Parameters
    ----------
    theory
        The name under which it is tested.
    readers
        The readers of the problem.
    reader
        The reader's name.

    Examples
    --------
    >>> squarefree = TaskProblem.of(RunConfig(modulus=2, task="squarefree", limit=1_000, primes=4))
    >>> prediction = ReaderPrediction("local", Readers(squarefree), "local")
    >>> prediction.ceiling, round(prediction.loss_floor, 4)
    (Fraction(109, 111), 0.0817)
    """

    def __init__(self, theory: str, readers: Readers, reader: str) -> None:
        super().__init__(theory, readers.problem.problem)
        self.readers = readers
        self.reader = reader

    @cached_property
    def reading(self) -> Reading:
        return self.readers.reading(self.reader)

    @property
    def classes(self) -> int:
        return self.readers.problem.classes

    @property
    def by_chance(self) -> bool:
        """False: which label is likelier depends on the evidence, which an answer does not show."""
        return False

    @property
    def same_everywhere(self) -> bool:
        """False: the larger n, the more of it can be hidden."""
        return False

    @property
    def ceiling(self) -> Fraction:
        """The reader's accuracy on the domain."""
        size = len(self.readers.problem.numbers)
        return Fraction(self.reading.accuracy).limit_denominator(size)

    @property
    def loss_floor(self) -> float:
        """The reader's cross-entropy on the domain; infinite where `limit` excludes a label that occurs."""
        floor = self.reading.loss_floor
        return float("inf") if floor is None else floor

    @property
    def solved(self) -> bool:
        return self.reading.accuracy == 1

    @cached_property
    def pattern(self) -> NDArray[np.bool_]:
        """False where a cell must be empty: no evidence leaves the two labels open."""
        from scipy.sparse import csr_array  # slow to load

        evidence, label, _ = self.readers.pairs(self.reader)
        shape = int(evidence[-1]) + 1, self.classes
        occurs = csr_array((np.ones(len(label)), (evidence, label)), shape=shape)
        together = np.asarray((occurs.T @ occurs).todense()) > 0
        return np.asarray(together | np.eye(self.classes, dtype=bool))

    @cached_property
    def labels(self) -> IntArray:
        """The group of each label: the connected components of the pattern."""
        return connected(self.pattern)

    def ceiling_on(self, counts: IntArray) -> float | None:
        """That on the domain: numbers of each residue do not determine how often evidence occurs."""
        return self.reading.accuracy

    def loss_floor_on(self, counts: IntArray) -> float | None:
        return self.loss_floor

    def domain_counts(self, domain: Domain | None = None) -> IntArray | None:
        """How many numbers of the reader's domain have each label."""
        return np.bincount(self.readers.problem.labels, minlength=self.classes)

    def _repr_html_(self) -> str:
        facts = {
            "ceiling": f"{self.reading.accuracy:.4f} on the domain",
            "loss floor": f"{self.loss_floor:.4f} nats on the domain",
        }
        return self._html("labels of n", "label", facts)


@lru_cache(maxsize=2)  # tens of megabytes each
def _readers(problem: TaskProblem) -> Readers:
    return Readers(problem)


def predict_reader(config: RunConfig, reader: str, theory: str | None = None) -> ReaderPrediction:
    """What a reader predicts about a run; nothing is computed before it is needed.

    Parameters
    ----------
    config
        The run's configuration.
    reader
        The reader's name.
    theory
        The name under which it is tested; the reader's if not given.

    Examples
    --------
    >>> config = RunConfig(modulus=2, task="liouville", limit=1_000)
    >>> predict_reader(config, "any").solved
    True
    """
    return ReaderPrediction(theory or reader, _readers(TaskProblem.of(config)), reader)
