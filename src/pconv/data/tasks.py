"""The tasks: the labels that a network is trained to predict.

A label is a function of n modulo m, or a function that splits over the primes (see `pconv.data.splitting`),
or any other function of n. A program adds a task with the decorator `register_task`::

    @register_task("half", "is n modulo m in the upper half?", classes=2)
    def half(residues, modulus):
        return 2 * residues >= modulus

With `of_residue=False` the function receives the numbers themselves. `register_splitting_task` adds a
function that splits over the primes. An installed package adds a task to every command with an entry point::

    [project.entry-points."pconv.tasks"]
    half = "my_package:half"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pconv._arrays import IntArray
from pconv.config import MAX_CLASSES
from pconv.data import arithmetic
from pconv.data.primes import first_primes
from pconv.data.splitting import Splitting
from pconv.errors import InputError
from pconv.registry import Registry

Labeller = Callable[[IntArray, int], Any]


@dataclass(frozen=True)
class Task:
    """A labelling of numbers.

    Parameters
    ----------
    name
        As in a run's configuration.
    description
        One line.
    count
        The function from m to the number of labels.
    label
        The function from numbers (residues, with `of_residue`) and m to labels.
    of_residue
        The label is a function of n modulo m.
    splitting
        The function from m to how the label splits over the primes, if it does.
    modulus
        The m that is meant where none is given; None: it has to be given.
    names
        The function from m to the names of the labels; by default they are the numbers 0, 1, ... .
    """

    name: str
    description: str
    count: Callable[[int], int]
    label: Labeller
    of_residue: bool = False
    splitting: Callable[[int], Splitting] | None = None
    modulus: int | None = None
    names: Callable[[int], Sequence[str]] | None = None

    def classes(self, modulus: int) -> int:
        """The number of labels; an error if the task is not defined for this modulus.

        >>> task_named("quadratic").classes(11), task_named("residue").classes(11)
        (2, 11)
        """
        count = self.count(modulus)
        if not 1 <= count <= MAX_CLASSES:
            raise InputError("task", self.name, f"has {count} classes, must be from 1 to {MAX_CLASSES}")
        return count

    def label_names(self, modulus: int) -> tuple[str, ...]:
        """What each label means.

        >>> task_named("mobius").label_names(3), task_named("omega-distinct").label_names(3)
        (('-1', '0', '+1'), ('0', '1', '2 or more'))
        """
        count = self.classes(modulus)
        names = tuple(self.names(modulus)) if self.names else tuple(map(str, range(count)))
        if len(names) != count:
            raise InputError("task", self.name, f"has {len(names)} names of labels for {count} classes")
        return names

    def labels(self, numbers: IntArray, modulus: int) -> IntArray:
        """The label of each number, from 0.

        >>> task_named("omega").labels(np.array([1, 7, 12]), 1000).tolist()
        [0, 1, 3]
        """
        numbers = np.asarray(numbers, dtype=np.int64)
        given = numbers % modulus if self.of_residue else numbers
        labels = np.asarray(self.label(given, modulus)).astype(np.int64)
        if labels.shape != numbers.shape:
            raise InputError("task", self.name, f"gives {labels.shape} labels for {numbers.shape} numbers")
        return self._checked(labels, modulus)

    def split(self, modulus: int) -> Splitting | None:
        """How the label splits over the primes, if it does; an error if a state has a label out of range."""
        if self.splitting is None:
            return None
        splitting = self.splitting(modulus)
        self._checked(np.asarray(splitting.label(np.arange(splitting.states))).astype(np.int64), modulus)
        return splitting

    def _checked(self, labels: IntArray, modulus: int) -> IntArray:
        count = self.classes(modulus)
        for label in (int(labels.min()), int(labels.max())) if labels.size else ():
            if not 0 <= label < count:
                raise InputError("task", self.name, f"gives the label {label}, must be from 0 to {count - 1}")
        return labels


_tasks = Registry("task", Task, "pconv.tasks")


def tasks() -> Registry[Task]:
    """All tasks by name, the built-in ones first.

    >>> list(tasks())[:5]
    ['residue', 'divisibility', 'quadratic', 'omega', 'primality']
    """
    return _tasks


def task_named(name: str) -> Task:
    """The task of this name."""
    return _tasks.named(name)


def register_task(
    name: str, description: str, classes: int | Callable[[int], int], of_residue: bool = True
) -> Callable[[Labeller], Task]:
    """Decorator that adds a task, given as a function from an array of numbers and m to labels.

    Parameters
    ----------
    name
        The task's name.
    description
        One line.
    classes
        The number of labels, or a function from m to it.
    of_residue
        The label depends on n modulo m alone: the function receives residues, and theories apply.

    Examples
    --------
    >>> @register_task("half", "whether n modulo m is in the upper half", classes=2)
    ... def half(residues, modulus):
    ...     return 2 * residues // modulus
    >>> half.labels(np.array([23, 28]), 10).tolist()
    [0, 1]
    """
    count = classes if callable(classes) else lambda modulus: classes

    def add(label: Labeller) -> Task:
        return _tasks.add(Task(name, description, count, label, of_residue))

    return add


@register_task("residue", "the class of n modulo m", classes=lambda modulus: modulus)
def _residue(residues: IntArray, modulus: int) -> IntArray:
    return residues


@register_task("divisibility", "does m divide n? 1 yes, 0 no", classes=2)
def _divisibility(residues: IntArray, modulus: int) -> Any:
    return residues == 0


@register_task("quadratic", "is n a square modulo m? 1 yes, 0 no", classes=2)
def _quadratic(residues: IntArray, modulus: int) -> Any:
    square = np.zeros(modulus, dtype=bool)
    roots = np.arange(modulus, dtype=np.int64)
    square[roots * roots % modulus] = True
    return square[residues]


def register_splitting_task(
    name: str,
    description: str,
    splitting: Callable[[int], Splitting],
    classes: int | Callable[[int], int],
    modulus: int | None = None,
    names: Sequence[str] | Callable[[int], Sequence[str]] | None = None,
) -> Task:
    """Adds a task whose label splits over the primes.

    Parameters
    ----------
    name, description
        The task's name, and one line.
    splitting
        The function from m to the states of prime powers and how they combine.
    classes
        The number of labels, or a function from m to it.
    modulus
        The m that is meant where none is given.
    names
        The names of the labels, or a function from m to them.

    Examples
    --------
    >>> cubes = Splitting(2, lambda p, e: e >= 3, np.maximum, lambda state: 1 - state)
    >>> task = register_splitting_task("cubefree", "is n free of cubes? (with -m 2)", lambda m: cubes, 2, 2)
    >>> task.labels(np.array([4, 24]), 2).tolist()
    [1, 0]
    """
    count = classes if callable(classes) else lambda modulus: classes
    named = names if callable(names) or names is None else lambda modulus: names
    task = Task(
        name,
        description,
        count,
        lambda numbers, modulus: splitting(modulus).labels(numbers),
        splitting=splitting,
        modulus=modulus,
        names=named,
    )
    return _tasks.add(task)


def _only(modulus: int, name: str) -> Callable[[int], int]:
    """The number of labels of a task that has no modulus: -m is that number."""

    def count(given: int) -> int:
        if given != modulus:
            allowed = f"must be {modulus} for the task {name}, which has no modulus"
            raise InputError("modulus", given, allowed)
        return modulus

    return count


def _or_more(modulus: int) -> list[str]:
    return [*map(str, range(modulus - 1)), f"{modulus - 1} or more"]


def _divisors(modulus: int) -> list[str]:
    return [*map(str, range(1, modulus)), f"{modulus} or more"]


def _least_factors(modulus: int) -> list[str]:
    return [*map(str, first_primes(modulus - 1).tolist()), "later or none"]


def _same(modulus: int) -> int:
    return modulus


_YES_NO = ("no", "yes")

register_splitting_task(
    "omega", "how many prime factors has n, modulo m?", arithmetic.factor_count, _same, modulus=20
)
register_splitting_task(
    "primality",
    "is n a prime? 1 yes, 0 no (with -m 2)",
    lambda m: arithmetic.PRIMALITY,
    _only(2, "primality"),
    2,
    _YES_NO,
)
register_splitting_task(
    "omega-distinct",
    "how many different prime factors has n? m-1 means m-1 or more",
    arithmetic.distinct_count,
    _same,
    8,
    _or_more,
)
register_splitting_task(
    "mobius",
    "Moebius' function of n: 0 for -1, 1 for 0, 2 for +1 (with -m 3)",
    lambda m: arithmetic.MOBIUS,
    _only(3, "mobius"),
    3,
    ("-1", "0", "+1"),
)
register_splitting_task(
    "squarefree",
    "is n free of squares? 1 yes, 0 no (with -m 2)",
    lambda m: arithmetic.SQUAREFREE,
    _only(2, "squarefree"),
    2,
    _YES_NO,
)
register_splitting_task(
    "liouville",
    "Liouville's function of n: 0 for +1, 1 for -1 (with -m 2)",
    lambda m: arithmetic.LIOUVILLE,
    _only(2, "liouville"),
    2,
    ("+1", "-1"),
)
register_splitting_task(
    "smoothness",
    "are all prime factors of n at most m? 1 yes, 0 no",
    arithmetic.smoothness,
    2,
    97,
    _YES_NO,
)
register_splitting_task(
    "least-factor",
    "which prime is the least factor of n? 0 for 2, 1 for 3, ..; m-1 means a later one, or n = 1",
    arithmetic.least_factor,
    _same,
    9,
    _least_factors,
)
register_splitting_task(
    "divisors",
    "how many divisors has n? 0 for one, 1 for two, ..; m-1 means m or more",
    arithmetic.divisor_count,
    _same,
    16,
    _divisors,
)
