"""The tasks: the labels that a network is trained to predict.

Theories apply to tasks whose label depends on n modulo m alone. A program adds one with the decorator
`register_task`::

    @register_task("half", "is n modulo m in the upper half?", classes=2)
    def half(residues, modulus):
        return 2 * residues >= modulus

With `of_residue=False` the function receives the numbers themselves, and no theory applies. An installed
package adds a task to every command with an entry point::

    [project.entry-points."pconv.tasks"]
    half = "my_package:half"
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

from pconv._arrays import IntArray
from pconv.config import MAX_CLASSES, MAX_PRIMES
from pconv.data.factorization import prime_powers
from pconv.data.primes import first_primes
from pconv.errors import InputError
from pconv.registry import Registry

Labeller = Callable[[IntArray, int], Any]
_ALL_DIVIDED = 2**40  # without a prime factor below 2^20, a smaller number is a prime


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
        The label is a function of n modulo m, so that theories apply.
    """

    name: str
    description: str
    count: Callable[[int], int]
    label: Labeller
    of_residue: bool = False

    def classes(self, modulus: int) -> int:
        """The number of labels; an error if the task is not defined for this modulus.

        >>> task_named("quadratic").classes(11), task_named("residue").classes(11)
        (2, 11)
        """
        count = self.count(modulus)
        if not 1 <= count <= MAX_CLASSES:
            raise InputError("task", self.name, f"has {count} classes, must be from 1 to {MAX_CLASSES}")
        return count

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


def prime_factor_count(numbers: IntArray) -> IntArray:
    """Omega(n): the number of prime factors of each n from 1 to 2^63 - 1, with multiplicity.

    >>> prime_factor_count(np.array([1, 2, 12, 2**40])).tolist()
    [0, 1, 3, 40]
    """
    from pconv.data.grid import prime_grid  # loads numba, which no theory needs

    numbers = np.asarray(numbers, dtype=np.int64)
    greatest = int(numbers.max(initial=1))
    primes = first_primes(MAX_PRIMES)
    primes = primes[: max(1, int(np.searchsorted(primes, isqrt(greatest), side="right")))]
    grid = prime_grid(numbers, [0], len(primes))
    number = np.repeat(np.arange(len(numbers)), np.diff(grid.indptr))  # the number that each entry belongs to
    exponents = grid.values.astype(np.int64)
    counts = np.bincount(number, exponents, minlength=len(numbers)).astype(np.int64)
    rest = numbers.copy()
    np.floor_divide.at(rest, number, primes[grid.indices] ** exponents)
    counts += rest > 1  # all primes up to the square root are divided out, so a rest is a prime ..
    for i in np.flatnonzero(rest >= _ALL_DIVIDED):  # .. unless the table of primes ended before the root
        counts[i] += sum(power.exponent for power in prime_powers(int(rest[i]))) - 1
    return counts


@register_task("omega", "how many prime factors has n, modulo m?", lambda modulus: modulus, of_residue=False)
def _omega(numbers: IntArray, modulus: int) -> IntArray:
    """With m = 2 this is Liouville's function, with a large m the number of prime factors itself."""
    return prime_factor_count(numbers) % modulus


def _two(modulus: int) -> int:
    if modulus != 2:
        raise InputError("modulus", modulus, "must be 2 for the task primality, which has no modulus")
    return 2


@register_task("primality", "is n a prime? 1 yes, 0 no (with -m 2)", _two, of_residue=False)
def _primality(numbers: IntArray, modulus: int) -> Any:
    return prime_factor_count(numbers) == 1
