"""The four parts of a verdict: whether each part of a prediction holds, and the figures that decide it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from math import log
from typing import Any, Self

from pconv.errors import InputError

GUESSING_WIDTH = 0.05
"""A training is on its initial plateau until the loss is this many nats below that of guessing."""


class Holds(StrEnum):
    """Whether a part of a prediction holds."""

    YES = "yes"
    NO = "no"
    OPEN = "open"  # too few numbers to decide, or the figure was not recorded


@dataclass(frozen=True)
class Settings:
    """How far a network may be from a prediction, and the error rate of statements about samples.

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
class Part:
    """A part of a prediction, tested on a set of answers."""

    holds: Holds

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The part that `dataclasses.asdict` wrote."""
        return cls(**{**data, "holds": Holds(data["holds"])})


@dataclass(frozen=True)
class Separated(Part):
    """Every class: the share of its answers outside its group is within the tolerance."""

    worst_class: int  # the class with the largest share
    worst_rate: float
    low: float  # bounds on that share, simultaneous over the classes; equal to it on a census
    high: float
    leaked: int  # answers outside their groups, over all classes


@dataclass(frozen=True)
class Attained(Part):
    """The accuracy is within the tolerance of the ceiling (on a sample: two one-sided tests).

    Bounds are equal to the figure on a census whose own ceiling and floor are known. That of labels, or one
    that is compared with a reader, has those of the domain, and bounds like a sample of it.
    """

    accuracy: float
    ceiling: float
    low: float  # bounds on the accuracy
    high: float

    @property
    def above(self) -> bool:
        """Whether the accuracy is above the ceiling by more than the tolerance, at the level required."""
        return self.holds is Holds.NO and self.low > self.ceiling


@dataclass(frozen=True)
class GroupTest:
    """Whether the answers inside one group of classes depend on the class.

    `effect` is the share of the answers that depends on the class: 0 if all are independent of it, q if a
    share q of them is known and the others are guesses of any distribution, 1 if all are known. Answers that
    confuse the classes of a group in a fixed way count as known: `gain` tells whether they are correct.
    """

    classes: tuple[int, ...]
    size: int  # numbers of the group whose answer is in the group
    correct: int
    expected: float  # correct answers if answers were independent of the class
    effect: float
    low: float  # bounds on the effect, simultaneous over the groups
    high: float

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The test that `dataclasses.asdict` wrote."""
        return cls(**{**data, "classes": tuple(data["classes"])})

    @property
    def gain(self) -> float:
        """Correct answers above chance, as a share of the group's; negative: below chance."""
        return (self.correct - self.expected) / max(1, self.size)


@dataclass(frozen=True)
class NothingBeyond(Part):
    """Inside groups the answers are independent of the class.

    Fails where the lower bound of some group's effect is above the tolerance, and holds where the upper bound
    of the share of all answers that is known beyond the groups is within it.
    """

    known: float  # share of all answers: the effect pooled over the groups, times their share of the numbers
    low: float
    high: float
    tolerance: float
    groups: tuple[GroupTest, ...]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        groups = tuple(GroupTest.from_dict(group) for group in data["groups"])
        return super().from_dict({**data, "groups": groups})

    @property
    def above_chance(self) -> bool:
        """Whether it fails with more correct answers than by chance: the network knows more than predicted.

        Fewer correct answers than by chance show no such knowledge. Training numbers are drawn without
        replacement, so a network that has learned which class is more frequent among them is wrong more
        often than by chance on the others.
        """
        if not self.groups:
            return self.holds is Holds.NO
        return any(group.low > self.tolerance and group.gain > 0 for group in self.groups)

    @property
    def strongest(self) -> GroupTest | None:
        """The group with the largest lower bound, if there is any."""
        return max(self.groups, key=lambda group: (group.low, group.effect), default=None)


@dataclass(frozen=True)
class LossAtFloor(Part):
    """The held-out cross-entropy is within the tolerance of the floor H(class | group)."""

    loss: float | None  # None: not recorded
    low: float | None  # bounds on the loss, as on the accuracy
    high: float | None
    floor: float
    tolerance: float  # in nats

    @property
    def below(self) -> bool:
        """Whether the loss is below the floor by more than the tolerance, at the level required."""
        return self.high is not None and self.high < self.floor - self.tolerance


@dataclass(frozen=True)
class Assessment:
    """The four parts of a prediction, tested on one set of numbers."""

    size: int
    complete: bool  # a census: shares are those of the domain, not estimates
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

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        return cls(
            size=data["size"],
            complete=data["complete"],
            separated=Separated.from_dict(data["separated"]),
            attained=Attained.from_dict(data["attained"]),
            nothing_beyond=NothingBeyond.from_dict(data["nothing_beyond"]),
            loss=LossAtFloor.from_dict(data["loss"]),
        )
