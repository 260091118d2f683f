"""One confusion matrix against one prediction: the four parts of a verdict, each with its own figure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from pconv.errors import InputError
from pconv.evaluate.statistics import association, association_interval, lower_bound, upper_bound
from pconv.result import Evaluation
from pconv.theory.labels import Forecast

Table = NDArray[np.int64]


class Holds(StrEnum):
    """Whether a part of a prediction holds."""

    YES = "yes"
    NO = "no"
    OPEN = "open"  # the numbers asked are too few, or the figure was not recorded


@dataclass(frozen=True)
class Settings:
    """How far a network may be from a prediction, and how sure a statement has to be.

    Parameters
    ----------
    tolerance
        Share of a class's answers that may leave its group, of accuracy that may be missing, and of a group's
        answers that may be known beyond the prediction.
    level
        Probability of a wrong statement about a sample, for each part.
    """

    tolerance: float = 0.01
    level: float = 0.01

    def __post_init__(self) -> None:
        for name in ("tolerance", "level"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(name, getattr(self, name), "must be between 0 and 1")

    def loss_tolerance(self, classes: int) -> float:
        """Nats that the loss may be above the floor, by Fano's inequality.

        A calibrated network that leaves the groups in a share t of its answers has at most h(t) + t ln(m-1)
        nats more than the floor, h being the binary entropy.

        >>> round(Settings().loss_tolerance(11), 4)
        0.079
        """
        t = self.tolerance
        return -t * log(t) - (1 - t) * log(1 - t) + t * log(max(1, classes - 1))


@dataclass(frozen=True)
class Separated:
    """Every class: the share of its answers outside its group is within the tolerance."""

    holds: Holds
    worst_class: int  # the class with the largest share
    worst_rate: float
    low: float  # bounds on that share, simultaneous over the classes; equal to it on a census
    high: float
    leaked: int  # answers outside their groups, over all classes


@dataclass(frozen=True)
class Attained:
    """The accuracy is within the tolerance of the ceiling (on a sample: two one-sided tests)."""

    holds: Holds
    accuracy: float
    ceiling: float
    low: float  # bounds on the accuracy; equal to it on a census
    high: float

    @property
    def above(self) -> bool:
        """The accuracy is surely above what a reader of the groups can reach, by more than the tolerance."""
        return self.holds is Holds.NO and self.low > self.ceiling


@dataclass(frozen=True)
class GroupTest:
    """Do the answers inside one group of classes carry information on the class?

    `effect` is Cramér's V between class and answer, corrected for its bias: 0 if answers are independent of
    the class, q if a share q of them is known and the others are guesses, 1 if all are known.
    """

    classes: tuple[int, ...]
    size: int  # numbers of the group whose answer is in the group
    correct: int
    expected: float  # correct answers if answers were independent of the class
    effect: float
    low: float  # bounds on the effect, simultaneous over the groups
    high: float

    @property
    def gain(self) -> float:
        """Correct answers above chance, as a share of the group's; negative: below chance."""
        return (self.correct - self.expected) / max(1, self.size)


@dataclass(frozen=True)
class NothingBeyond:
    """Inside groups the answers carry no information on the class, above or below chance.

    It fails where some group's effect is surely above the tolerance, and holds where the share of all answers
    that is known beyond the groups is surely within it.
    """

    holds: Holds
    known: float  # share of all answers: the effect pooled over the groups, times their share of the numbers
    low: float
    high: float
    tolerance: float
    groups: tuple[GroupTest, ...]

    @property
    def above_chance(self) -> bool:
        """It fails, and more answers are correct than chance gives: the network knows more than predicted.

        Fewer correct answers than chance gives show no such knowledge. Numbers are drawn for training without
        replacement, so a network that has learned which class is more frequent among its training numbers is
        wrong more often than chance on the others.
        """
        if not self.groups:
            return self.holds is Holds.NO
        return any(group.low > self.tolerance and group.gain > 0 for group in self.groups)

    @property
    def strongest(self) -> GroupTest | None:
        """The group with the largest lower bound, if there is any."""
        return max(self.groups, key=lambda group: (group.low, group.effect), default=None)


@dataclass(frozen=True)
class LossAtFloor:
    """The held-out cross-entropy is within the tolerance of the floor H(class | group)."""

    holds: Holds
    loss: float | None  # None: not recorded
    low: float | None  # bounds on the loss; equal to it on a census
    high: float | None
    floor: float
    tolerance: float  # in nats

    @property
    def below(self) -> bool:
        """The loss is surely below what a reader of the groups can reach, by more than the tolerance."""
        return self.high is not None and self.high < self.floor - self.tolerance


@dataclass(frozen=True)
class Assessment:
    """The four parts for one set of numbers under one prediction."""

    size: int
    complete: bool  # all numbers there are: shares are facts about the domain, not estimates
    separated: Separated
    attained: Attained
    nothing_beyond: NothingBeyond
    loss: LossAtFloor

    @property
    def parts(self) -> dict[str, Holds]:
        """Whether each part holds."""
        return {
            "separated": self.separated.holds,
            "attained": self.attained.holds,
            "nothing_beyond": self.nothing_beyond.holds,
            "loss": self.loss.holds,
        }

    @property
    def accuracy(self) -> float:
        return self.attained.accuracy

    @property
    def ceiling(self) -> float:
        return self.attained.ceiling

    @property
    def leak_rate(self) -> float:
        """The share of all answers that leave their groups."""
        return self.separated.leaked / self.size

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Figures:
    """The ceiling and the loss floor of a prediction on some numbers, and the loss measured there.

    `loss_error` is the standard error of the loss of a sample; that of a census has none.
    """

    ceiling: float
    floor: float
    loss: float | None = None
    loss_error: float = 0.0


def assess(
    evaluation: Evaluation,
    prediction: Forecast,
    figures: Figures,
    settings: Settings,
    complete: bool = False,
) -> Assessment:
    """All parts of a prediction, put to the test of one set of answers.

    Parameters
    ----------
    evaluation
        The confusion matrix of the numbers asked.
    prediction
        The groups of classes that will be mixed.
    figures
        The ceiling and the loss floor on these numbers, and their mean loss where it was recorded.
    settings
        Tolerance and level.
    complete
        The numbers are all there are (a census), so that shares are facts and not estimates.
    """
    confusion = np.array(evaluation.confusion, dtype=np.int64)
    return Assessment(
        size=int(confusion.sum()),
        complete=complete,
        separated=_separated(confusion, prediction, settings, complete),
        attained=_attained(confusion, figures.ceiling, settings, complete),
        nothing_beyond=_nothing_beyond(confusion, prediction, figures.ceiling, settings),
        loss=_loss_at_floor(figures, settings, prediction.classes),
    )


def _separated(confusion: Table, prediction: Forecast, settings: Settings, complete: bool) -> Separated:
    sizes = confusion.sum(axis=1)
    outside = np.where(prediction.pattern, 0, confusion).sum(axis=1)
    asked = np.flatnonzero(sizes)
    rates = outside[asked] / sizes[asked]
    worst = int(asked[rates.argmax()])
    if complete:
        low = high = float(rates.max())
    else:
        level = settings.level / len(asked)  # Bonferroni: simultaneous over the classes
        low = max(lower_bound(int(outside[c]), int(sizes[c]), level) for c in asked)
        high = max(upper_bound(int(outside[c]), int(sizes[c]), level) for c in asked)
    holds = _within(low, high, 0.0, settings.tolerance)
    return Separated(holds, worst, float(rates.max()), low, high, int(outside.sum()))


def _attained(confusion: Table, ceiling: float, settings: Settings, complete: bool) -> Attained:
    size, correct = int(confusion.sum()), int(np.trace(confusion))
    low = high = correct / size
    if not complete:
        low = lower_bound(correct, size, settings.level)
        high = upper_bound(correct, size, settings.level)
    holds = _within(low, high, ceiling - settings.tolerance, ceiling + settings.tolerance)
    return Attained(holds, correct / size, ceiling, low, high)


def _within(low: float, high: float, least: float, most: float) -> Holds:
    """Whether a figure between `low` and `high` lies between `least` and `most`."""
    if least <= low and high <= most:
        return Holds.YES
    return Holds.NO if high < least or low > most else Holds.OPEN


def _nothing_beyond(
    confusion: Table, prediction: Forecast, ceiling: float, settings: Settings
) -> NothingBeyond:
    if not prediction.by_chance:
        return _not_above(confusion, ceiling, settings)
    size = int(confusion.sum())
    tables = [confusion[np.ix_(group, group)] for group in prediction.mixed]
    level = settings.level / (len(tables) + 1)  # Bonferroni: the groups, and all of them together
    groups = tuple(
        _group_test(group, table, level) for group, table in zip(prediction.mixed, tables, strict=True)
    )
    inside = sum(group.size for group in groups)
    effect, low, high = association_interval([association(table) for table in tables], level)
    known, least, most = (share * inside / size for share in (effect, low, high))
    if any(group.low > settings.tolerance for group in groups):
        holds = Holds.NO
    else:
        holds = Holds.YES if most <= settings.tolerance else Holds.OPEN
    return NothingBeyond(holds, known, least, most, settings.tolerance, groups)


def _group_test(group: tuple[int, ...], table: Table, level: float) -> GroupTest:
    expected = float(table.sum(axis=1) @ table.sum(axis=0) / max(1, table.sum()))
    effect, low, high = association_interval([association(table)], level)
    return GroupTest(group, int(table.sum()), int(np.trace(table)), expected, effect, low, high)


def _not_above(confusion: Table, ceiling: float, settings: Settings) -> NothingBeyond:
    """The accuracy above the ceiling, where chance inside groups is not known: labels of several residues."""
    size, correct = int(confusion.sum()), int(np.trace(confusion))
    bounds = lower_bound(correct, size, settings.level), upper_bound(correct, size, settings.level)
    known, low, high = (max(0.0, share - ceiling) for share in (correct / size, *bounds))
    holds = _within(low, high, 0.0, settings.tolerance)
    return NothingBeyond(holds, known, low, high, settings.tolerance, ())


def _loss_at_floor(figures: Figures, settings: Settings, classes: int) -> LossAtFloor:
    floor, tolerance = figures.floor, settings.loss_tolerance(classes)
    if figures.loss is None:
        return LossAtFloor(Holds.OPEN, None, None, None, floor, tolerance)
    margin = figures.loss_error * float(special.ndtri(1 - settings.level))
    low, high = figures.loss - margin, figures.loss + margin
    holds = _within(low, high, floor - tolerance, floor + tolerance)
    return LossAtFloor(holds, figures.loss, low, high, floor, tolerance)
