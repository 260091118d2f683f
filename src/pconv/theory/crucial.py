"""Crucial experiments: the problems on which two theories disagree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pconv.theory.binomial import numbers_to_decide
from pconv.theory.prediction import Prediction
from pconv.theory.problem import Problem
from pconv.theory.registry import Theory
from pconv.window import successor_window


@dataclass(frozen=True)
class Disagreement:
    """A problem, the predictions of two theories, and the classes whose groups differ.

    `test_numbers` decide between the two ceilings at the required confidence; None where the ceilings are
    equal, so that only the confusion pattern can decide.
    """

    problem: Problem
    first: Prediction
    second: Prediction
    classes: tuple[int, ...]
    test_numbers: int | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "modulus": self.problem.modulus,
            "successors": self.problem.successors,
            "offsets": list(self.problem.offsets),
            "rows": self.problem.rows,
            "classes": list(self.classes),
            "ceilings": {one.theory: float(one.ceiling) for one in (self.first, self.second)},
            "ceiling_fractions": {one.theory: str(one.ceiling) for one in (self.first, self.second)},
            "test_numbers": self.test_numbers,
        }


def crucial_experiments(
    first: Theory, second: Theory, problems: Iterable[Problem], confidence: float = 0.95
) -> Iterator[Disagreement]:
    """The problems on which two theories disagree, in the order given.

    Parameters
    ----------
    first, second
        The theories.
    problems
        The problems to search; `smallest_first` gives the smallest moduli first.
    confidence
        The confidence at which `Disagreement.test_numbers` decide between the ceilings.

    Examples
    --------
    >>> from pconv.theory import theories
    >>> pair = theories()["signature"], theories()["paper"]
    >>> found = next(crucial_experiments(*pair, smallest_first(100, range(2, 11))))
    >>> found.problem.modulus, found.problem.successors, found.test_numbers
    (16, 2, 76)
    """
    for problem in problems:
        one, other = first.predict(problem), second.predict(problem)
        if one is None or other is None or (one.solved and other.solved):
            continue
        classes = differing_classes(one, other)
        if classes:
            needed = numbers_to_decide(float(one.ceiling), float(other.ceiling), confidence)
            yield Disagreement(problem, one, other, classes, needed)


def smallest_first(max_modulus: int, successor_counts: Iterable[int]) -> Iterator[Problem]:
    """The problems (m, B), the smallest m first, then the smallest B."""
    windows = [successor_window(count) for count in sorted(set(successor_counts))]
    return (Problem(modulus, window) for modulus in range(2, max_modulus + 1) for window in windows)


def differing_classes(first: Prediction, second: Prediction) -> tuple[int, ...]:
    """The classes that the two predictions put into different groups.

    A class is in the same group of both iff that group has as many classes in either as in their meet.
    """
    meet = first.labels * second.distinguishable + second.labels
    _, inverse, sizes = np.unique(meet, return_inverse=True, return_counts=True)
    shared = sizes[inverse]
    same = np.ones(first.modulus, dtype=bool)
    for labels in (first.labels, second.labels):
        same &= np.bincount(labels)[labels] == shared
    return tuple(np.flatnonzero(~same).tolist())
