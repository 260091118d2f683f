"""The blocks of a predicted confusion pattern, named as in the paper's figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import gcd

import numpy as np

from pconv.data.primes import IntArray
from pconv.theory.labels import Forecast, LabelPrediction
from pconv.theory.partition import Partition
from pconv.theory.prediction import Prediction


class Kind(StrEnum):
    """What a class is in the pattern of one component."""

    ZERO = "zero"  # class 0, identified
    LAST = "last"  # identified, and -o for an offset o of the window: the last B classes when it is 0..B
    OTHER = "other"  # identified otherwise
    MIXED = "mixed"  # looks like another class


@dataclass(frozen=True)
class Block:
    """The classes of one kind modulo a component p^a.

    Inside a mixed block all free cells lie on diagonals `spacing` apart (1: anywhere); 0 for other kinds.
    """

    kind: Kind
    classes: tuple[int, ...]
    spacing: int


@dataclass(frozen=True)
class ComponentBlocks:
    """The blocks modulo one component; the whole pattern shows them once for each class of the cofactor."""

    modulus: int
    copies: int
    blocks: tuple[Block, ...]


def blocks_of(prediction: Prediction) -> tuple[ComponentBlocks, ...]:
    """The blocks of every component.

    >>> from pconv.theory import predict
    >>> [[str(b.kind) for b in part.blocks] for part in blocks_of(predict(22, range(9)))]
    [['zero', 'last'], ['zero', 'last', 'mixed']]
    >>> blocks_of(predict(22, range(9)))[1].copies
    2
    """
    offsets = prediction.problem.offsets
    return tuple(
        ComponentBlocks(part.modulus, prediction.modulus // part.modulus, _part_blocks(part, offsets))
        for part in prediction.parts
    )


def pattern_kinds(prediction: Forecast) -> list[Kind]:
    """What each class modulo m is in the components that are not solved: their blocks, once for each copy.

    >>> from pconv.theory import predict
    >>> kinds = pattern_kinds(predict(22, range(9)))
    >>> [c for c in range(22) if kinds[c] == Kind.ZERO], [c for c in range(22) if kinds[c] == Kind.MIXED]
    ([0, 11], [1, 2, 12, 13])
    """
    if isinstance(prediction, LabelPrediction):  # labels have no rows of their own
        alone = [len(group) == 1 for group in prediction.groups]
        return [Kind.OTHER if alone[label] else Kind.MIXED for label in prediction.labels]
    shown = unsolved_parts(prediction) or prediction.parts
    known = [class_kinds(part.labels(), prediction.problem.offsets) for part in shown]
    weight = list(Kind).index  # mixed in one component is mixed
    return [max((kinds[c % len(kinds)] for kinds in known), key=weight) for c in range(prediction.modulus)]


def unsolved_parts(prediction: Forecast) -> list[Partition]:
    """The components in which some classes look alike; labels of a task are not made of components."""
    if isinstance(prediction, LabelPrediction):
        return []
    return [part for part in prediction.parts if part.count < part.modulus]


def class_kinds(labels: IntArray, offsets: tuple[int, ...]) -> list[Kind]:
    """What each class is, given the group of each.

    >>> [str(kind) for kind in class_kinds(np.array([0, 1, 1, 2]), (0, 1))]
    ['zero', 'mixed', 'mixed', 'last']
    """
    modulus = len(labels)
    window = {-offset % modulus for offset in offsets}
    alone = (np.bincount(labels)[labels] == 1).tolist()
    kinds = [Kind.LAST if c in window else Kind.OTHER for c in range(modulus)]
    kinds[0] = Kind.ZERO
    return [kind if identified else Kind.MIXED for kind, identified in zip(kinds, alone, strict=True)]


def _part_blocks(part: Partition, offsets: tuple[int, ...]) -> tuple[Block, ...]:
    labels = part.labels()
    members: dict[Kind, list[int]] = {kind: [] for kind in Kind}
    for c, kind in enumerate(class_kinds(labels, offsets)):
        members[kind].append(c)
    return tuple(
        Block(kind, tuple(classes), _spacing(labels) if kind is Kind.MIXED else 0)
        for kind, classes in members.items()
        if classes
    )


def _spacing(labels: IntArray) -> int:
    """The greatest common divisor of all differences inside groups."""
    order = np.argsort(labels, kind="stable")
    same_group = np.diff(labels[order]) == 0
    return gcd(*np.diff(order)[same_group].tolist())
