"""What readers are about: the labels of a task, what the columns show, and the numbers of a domain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import Domain
from pconv.data.primes import first_primes
from pconv.data.representations import ColumnContent, Representation, representation_named
from pconv.data.splitting import Splitting
from pconv.data.tasks import Task, task_named
from pconv.errors import InputError
from pconv.theory.problem import Problem

_DIGITS = 50  # a number ends in so many binary zeros with a probability of less than 10^-15


@dataclass(frozen=True)
class TaskProblem:
    """The labels of a task on a domain, and the grids that a reader of them sees.

    Parameters
    ----------
    task
        The task; its labels are predicted.
    modulus
        The m of the task.
    offsets
        The rows of the window.
    columns
        The number of columns.
    representation
        What the columns show.
    domain
        The numbers, each counted once.

    Examples
    --------
    >>> TaskProblem.of(RunConfig(modulus=3, task="mobius", limit=100)).labels[:4].tolist()  # mu(n) + 1
    [2, 0, 0, 1]
    """

    task: Task
    modulus: int
    offsets: tuple[int, ...]
    columns: int
    representation: Representation
    domain: Domain

    @classmethod
    def of(cls, config: RunConfig) -> TaskProblem:
        """The problem of a run."""
        return cls(
            task_named(config.task),
            config.modulus,
            config.offsets,
            config.primes,
            representation_named(config.representation),
            Domain.of(config),
        )

    def without_task(self, *offsets: int) -> TaskProblem:
        """The same columns and domain with these rows: what all tasks share is cached under it."""
        return replace(self, task=task_named("residue"), modulus=2, offsets=offsets)

    @property
    def problem(self) -> Problem:
        """The modulus, the window and its columns, without task and domain."""
        shown = self.representation
        return Problem(self.modulus, self.offsets, self.columns, shown.cap, shown.shows)

    @property
    def classes(self) -> int:
        """The number of labels."""
        return self.task.classes(self.modulus)

    @property
    def numbers(self) -> IntArray:
        return self.domain.members

    @cached_property
    def labels(self) -> IntArray:
        """The label of each number of the domain."""
        return self.task.labels(self.numbers, self.modulus)

    @cached_property
    def splitting(self) -> Splitting | None:
        """How the label splits over the primes, if it does."""
        return self.task.split(self.modulus)

    def check_own_row(self) -> None:
        """Raises InputError if the label splits over the primes of n, and the window does not show n."""
        if self.lacks_own_row:
            allowed = f"must contain 0: the task {self.task.name} is about the row n itself"
            raise InputError("offsets", ",".join(map(str, self.offsets)), allowed)

    @property
    def lacks_own_row(self) -> bool:
        """Whether the label depends on the prime factors of n, which the window does not show."""
        return self.task.splitting is not None and 0 not in self.offsets

    @property
    def cap(self) -> int | None:
        """The largest exponent of a prime that a row shows; None: no limit."""
        shows = self.representation.shows
        if shows is ColumnContent.DIGITS:  # the exponent of 2; so many digits are never all 0
            return self.columns if self.columns < _DIGITS else None
        return 1 if shows is ColumnContent.RESIDUES else self.representation.cap

    @cached_property
    def primes(self) -> IntArray:
        """The primes whose exponents a row shows: those of the columns; binary digits show that of 2."""
        shows = self.representation.shows
        return first_primes(self.columns if shows.of_primes else int(shows is ColumnContent.DIGITS))

    def visible_parts(self, offset: int) -> IntArray:
        """For the row n+o of each number of the domain: the product of the p^e that it shows.

        >>> problem = TaskProblem.of(RunConfig(modulus=2, primes=2, limit=100))  # columns 2 and 3
        >>> problem.visible_parts(1)[19:22].tolist()  # of 21 = 3 * 7, 22 = 2 * 11 and 23
        [3, 2, 1]
        """
        first = int(self.numbers[0]) + offset
        products = visible_products(first, int(self.numbers[-1]) + offset + 1, self.primes, self.cap)
        return np.asarray(products[self.numbers + (offset - first)])


def visible_products(start: int, end: int, primes: IntArray, cap: int | None = None) -> IntArray:
    """For each number from `start` to `end` - 1 the product of its prime powers at some primes.

    Parameters
    ----------
    start, end
        The numbers.
    primes
        The primes, ascending.
    cap
        Exponents above it count as it; None: no limit.

    Examples
    --------
    >>> visible_products(12, 16, np.array([2, 3])).tolist()
    [12, 1, 2, 3]
    >>> visible_products(12, 16, np.array([2, 3]), cap=1).tolist()
    [6, 1, 2, 3]
    """
    products = np.ones(end - start, dtype=np.int64)
    for prime in primes[primes < end].tolist():
        power, level = prime, 1
        while power < end and (cap is None or level <= cap):
            products[-start % power :: power] *= prime
            power, level = power * prime, level + 1
    return products
