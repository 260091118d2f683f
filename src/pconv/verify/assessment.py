"""One confusion matrix against one prediction: what leaks, what falls short, what goes beyond."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pconv.errors import InputError
from pconv.result import Evaluation
from pconv.theory.binomial import accuracy_range
from pconv.theory.merged import Forecast
from pconv.verify.statistics import (
    chance_of_agreement,
    chance_of_fewer,
    chance_of_more,
    holm,
    lower_bound,
    upper_bound,
)

MOST_NUMBERS = 10**9
"""A test size past this is no advice."""


@dataclass(frozen=True)
class Settings:
    """What counts as a leak, and how sure a statement has to be."""

    tolerance: float = 0.01  # share of answers that may leave the groups, and of accuracy that may be missing
    level: float = 0.01  # probability of calling a true theory refuted

    def __post_init__(self) -> None:
        for name in ("tolerance", "level"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(name, getattr(self, name), "must be between 0 and 1")


@dataclass(frozen=True)
class GroupTest:
    """Is the label right more often than chance, inside one group of classes that should look alike?"""

    classes: tuple[int, ...]
    size: int  # test numbers of the group whose answer is in the group
    right: int
    expected: float  # right answers on average, when labels are dealt out at random
    pvalue: float  # adjusted for all tests of the assessment


@dataclass(frozen=True)
class Assessment:
    """The statistics of one test set under one prediction."""

    size: int
    right: int
    ceiling: float
    leaked: int  # answers outside the group of the true class
    leak_bound: float  # what the true rate exceeds with probability at most the level
    leaks: bool  # the rate is above the tolerance, surely
    sealed: bool  # the rate is at most the tolerance, surely
    short: bool  # accuracy is below ceiling - tolerance, surely
    sharp: bool  # sampling moves the accuracy by less than the tolerance
    above_ceiling: float  # p-value, adjusted
    groups: tuple[GroupTest, ...]
    level: float

    @property
    def accuracy(self) -> float:
        return self.right / self.size

    @property
    def leak_rate(self) -> float:
        return self.leaked / self.size

    @property
    def beyond(self) -> bool:
        """The network knows more than the theory allows."""
        return self.above_ceiling <= self.level or bool(self.groups_beyond)

    @property
    def groups_beyond(self) -> tuple[GroupTest, ...]:
        return tuple(group for group in self.groups if group.pvalue <= self.level)

    def to_dict(self) -> dict[str, Any]:
        derived = {"accuracy": self.accuracy, "leak_rate": self.leak_rate, "beyond": self.beyond}
        return {**asdict(self), **derived}


def assess(evaluation: Evaluation, prediction: Forecast, ceiling: float, settings: Settings) -> Assessment:
    """All tests of one set of answers."""
    confusion = np.array(evaluation.confusion, dtype=np.int64)
    size, right = int(confusion.sum()), int(np.trace(confusion))
    leaked = int(confusion[~prediction.pattern].sum())
    mixed = prediction.mixed if prediction.by_chance else ()
    family = len(mixed) + 1
    draws = int(4 * family / settings.level)  # fine enough for Holm's smallest step
    tables = [confusion[np.ix_(group, group)] for group in mixed]
    above = chance_of_more(right, size, ceiling)
    adjusted = holm([above, *(chance_of_agreement(table, draws) for table in tables)])
    least = max(0.0, ceiling - settings.tolerance)
    return Assessment(
        size=size,
        right=right,
        ceiling=ceiling,
        leaked=leaked,
        leak_bound=upper_bound(leaked, size, settings.level),
        leaks=lower_bound(leaked, size, settings.level) > settings.tolerance,
        sealed=upper_bound(leaked, size, settings.level) <= settings.tolerance,
        short=chance_of_fewer(right, size, least) < settings.level,
        sharp=_sharp(ceiling, size, settings.tolerance),
        above_ceiling=adjusted[0],
        groups=tuple(
            GroupTest(group, int(t.sum()), int(np.trace(t)), _by_chance(t), p)
            for group, t, p in zip(mixed, tables, adjusted[1:], strict=True)
        ),
        level=settings.level,
    )


def _by_chance(table: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    return float(table.sum(axis=1) @ table.sum(axis=0) / max(1, table.sum()))


def _sharp(ceiling: float, size: int, tolerance: float) -> bool:
    return ceiling - accuracy_range(ceiling, size)[0] <= tolerance


def size_that_decides(assessment: Assessment, settings: Settings) -> int | None:
    """The test size at which these shares would give a verdict; None: not even 10^9 numbers would."""

    def decides(size: int) -> bool:
        leaked = round(assessment.leak_rate * size)
        if lower_bound(leaked, size, settings.level) > settings.tolerance:
            return True
        sealed = upper_bound(leaked, size, settings.level) <= settings.tolerance
        return sealed and _sharp(assessment.ceiling, size, settings.tolerance)

    size = max(1, assessment.size)
    while not decides(size):
        size = size * 5 // 4 + 1
        if size > MOST_NUMBERS:
            return None
    return size
