"""What is counted about a network's answers: all that is not right for sure, with exact weights.

Answers that are sure and the best for their grid need not be counted: what they contribute is known from the
law of the grids. A weight is a whole number: a grid's share of all integers over a common denominator, or 1
for a grid that was drawn.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.certification.groups import GroupTable
from pconv.certification.rounding import SureAnswers

LISTED = 100
"""The most wrong grids that a certificate lists."""


class WrongGrid(NamedTuple):
    """A grid whose answer is right for none of the integers that show it."""

    weight: int
    order: tuple[int, int]  # block and place in it, or 0 and the number of the draw
    answer: int


class Exceptions(NamedTuple):
    """The grids of a chunk whose answers are not sure, or not the best."""

    places: IntArray
    answers: IntArray  # -1: not sure
    groups: IntArray


def exceptions(table: GroupTable, groups: IntArray, found: SureAnswers) -> Exceptions:
    """The exceptions among the answers to some grids.

    Parameters
    ----------
    table
        The groups and their labels.
    groups
        The group of each grid.
    found
        The answers.
    """
    best = table.counts[groups, found.answers] == table.best[groups]
    places = np.flatnonzero(~(best & found.sure))
    answers = np.where(found.sure[places], found.answers[places], -1)
    return Exceptions(places, answers, groups[places])


@dataclass
class Tally:
    """Sums over the exceptions found so far.

    Parameters
    ----------
    wrong, short, unsure
        How many grids have an answer that is right for none of their integers; right for some, but not the
        best; not sure.
    wrong_weight, unsure_weight
        Their weights.
    lost
        The weight of sure answers by how far they are below the best one.
    open
        The weight of unsure answers by how far the worst one is below the best one.
    heaviest
        The wrong grids of largest weight, in the order of enumeration where equal.
    digest
        A chain of SHA-256 over all exceptions.
    """

    wrong: int = 0
    short: int = 0
    unsure: int = 0
    wrong_weight: int = 0
    unsure_weight: int = 0
    lost: dict[Fraction, int] = field(default_factory=dict)
    open: dict[Fraction, int] = field(default_factory=dict)
    heaviest: list[WrongGrid] = field(default_factory=list)
    digest: str = ""

    def plus(
        self, table: GroupTable, found: Exceptions, weights: NDArray[Any], orders: list[tuple[int, int]]
    ) -> Tally:
        """The tally with the exceptions of a chunk. This one does not change, so that an interrupt at any
        moment leaves a state to continue from.

        Parameters
        ----------
        table
            The groups and their labels.
        found
            The exceptions.
        weights
            The weight of each, as Python's whole numbers.
        orders
            The block and the place of each.
        """
        sums = replace(self, lost=dict(self.lost), open=dict(self.open), heaviest=list(self.heaviest))
        sums._add(table, found, weights, orders)
        return sums

    def _add(
        self, table: GroupTable, found: Exceptions, weights: NDArray[Any], orders: list[tuple[int, int]]
    ) -> None:
        for answer, group, weight, order in zip(
            found.answers.tolist(), found.groups.tolist(), weights.tolist(), orders, strict=True
        ):
            counts = table.counts[group]
            size, best = int(counts.sum()), int(counts.max())
            self.digest = hashlib.sha256(f"{self.digest} {order[0]} {order[1]} {answer}".encode()).hexdigest()
            if answer < 0:
                share = Fraction(best - int(counts.min()), size)
                self.open[share] = self.open.get(share, 0) + weight
                self.unsure += 1
                self.unsure_weight += weight
                continue
            right = int(counts[answer])
            share = Fraction(best - right, size)
            self.lost[share] = self.lost.get(share, 0) + weight
            if right:
                self.short += 1
            else:
                self.wrong += 1
                self.wrong_weight += weight
                self._list(WrongGrid(weight, order, answer))

    def _list(self, grid: WrongGrid) -> None:
        if len(self.heaviest) < LISTED or grid.weight > self.heaviest[-1].weight:
            self.heaviest.append(grid)
            self.heaviest.sort(key=lambda one: (-one.weight, one.order))
            del self.heaviest[LISTED:]

    @property
    def shortfall(self) -> Fraction:
        """The weight that sure answers lose against the best ones."""
        return sum((share * weight for share, weight in self.lost.items()), Fraction(0))

    @property
    def doubt(self) -> Fraction:
        """The weight that unsure answers lose at most."""
        return sum((share * weight for share, weight in self.open.items()), Fraction(0))

    def to_dict(self) -> dict[str, Any]:
        """For a partial file."""
        return {
            **{name: getattr(self, name) for name in ("wrong", "short", "unsure", "digest")},
            "wrong_weight": str(self.wrong_weight),
            "unsure_weight": str(self.unsure_weight),
            "lost": {str(share): str(weight) for share, weight in self.lost.items()},
            "open": {str(share): str(weight) for share, weight in self.open.items()},
            "heaviest": [[str(one.weight), list(one.order), one.answer] for one in self.heaviest],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_dict`; a `ValueError` for values of another form."""
        return cls(
            **{name: _whole(data[name]) for name in ("wrong", "short", "unsure")},
            wrong_weight=int(data["wrong_weight"]),
            unsure_weight=int(data["unsure_weight"]),
            lost={Fraction(share): int(weight) for share, weight in data["lost"].items()},
            open={Fraction(share): int(weight) for share, weight in data["open"].items()},
            heaviest=[
                WrongGrid(int(weight), (_whole(block), _whole(place)), _whole(answer))
                for weight, (block, place), answer in data["heaviest"]
            ],
            digest=str(data["digest"]),
        )


def _whole(value: Any) -> int:
    """A count, which JSON has as a number."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value
