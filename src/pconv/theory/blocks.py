"""The blocks of a predicted confusion pattern, named as in the paper's figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import gcd

import numpy as np

from pconv.arithmetic.primes import IntArray
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
    offsets = prediction.question.offsets
    return tuple(
        ComponentBlocks(part.modulus, prediction.modulus // part.modulus, _part_blocks(part, offsets))
        for part in prediction.parts
    )


def _part_blocks(part: Partition, offsets: tuple[int, ...]) -> tuple[Block, ...]:
    labels = part.labels()
    alone = np.bincount(labels)[labels] == 1
    window = np.zeros(part.modulus, dtype=bool)
    window[[-offset % part.modulus for offset in offsets]] = True
    zero = np.arange(part.modulus) == 0
    members = {
        Kind.ZERO: alone & zero,
        Kind.LAST: alone & window & ~zero,
        Kind.OTHER: alone & ~window & ~zero,
        Kind.MIXED: ~alone,
    }
    return tuple(
        Block(kind, tuple(np.flatnonzero(chosen).tolist()), _spacing(labels) if kind is Kind.MIXED else 0)
        for kind, chosen in members.items()
        if chosen.any()
    )


def _spacing(labels: IntArray) -> int:
    """The greatest common divisor of all differences inside groups."""
    order = np.argsort(labels, kind="stable")
    same_group = np.diff(labels[order]) == 0
    return gcd(*np.diff(order)[same_group].tolist())
