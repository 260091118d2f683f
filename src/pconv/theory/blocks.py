"""The kinds of classes in a predicted confusion pattern, named as in the paper's figures."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from pconv._arrays import IntArray
from pconv.theory.partition import Partition
from pconv.theory.prediction import BasePrediction, Prediction


class Kind(StrEnum):
    """The kinds of classes in the predicted pattern of one component."""

    ZERO = "zero"  # class 0, identified
    LAST = "last"  # identified, and -o for an offset o of the window: the last B classes when it is 0..B
    OTHER = "other"  # identified otherwise
    MIXED = "mixed"  # with another class


def pattern_kinds(prediction: BasePrediction) -> list[Kind]:
    """The kind of each class: its kind in the components that are not solved.

    Labels of a task are only mixed or not.

    >>> from pconv.theory import predict
    >>> kinds = pattern_kinds(predict(22, range(9)))
    >>> [c for c in range(22) if kinds[c] == Kind.ZERO], [c for c in range(22) if kinds[c] == Kind.MIXED]
    ([0, 11], [1, 2, 12, 13])
    """
    if not isinstance(prediction, Prediction):
        alone = [len(group) == 1 for group in prediction.groups]
        return [Kind.OTHER if alone[label] else Kind.MIXED for label in prediction.labels]
    shown = unsolved_parts(prediction) or prediction.parts
    known = [class_kinds(part.labels(), prediction.problem.offsets) for part in shown]
    weight = list(Kind).index  # mixed in one component is mixed
    return [max((kinds[c % len(kinds)] for kinds in known), key=weight) for c in range(prediction.modulus)]


def unsolved_parts(prediction: BasePrediction) -> list[Partition]:
    """The components in which some classes are mixed; labels of a task have no components."""
    if not isinstance(prediction, Prediction):
        return []
    return [part for part in prediction.parts if part.count < part.modulus]


def class_kinds(labels: IntArray, offsets: tuple[int, ...]) -> list[Kind]:
    """The kind of each class modulo one component, given the group of each class.

    >>> [str(kind) for kind in class_kinds(np.array([0, 1, 1, 2]), (0, 1))]
    ['zero', 'mixed', 'mixed', 'last']
    """
    modulus = len(labels)
    window = {-offset % modulus for offset in offsets}
    alone = (np.bincount(labels)[labels] == 1).tolist()
    kinds = [Kind.LAST if c in window else Kind.OTHER for c in range(modulus)]
    kinds[0] = Kind.ZERO
    return [kind if identified else Kind.MIXED for kind, identified in zip(kinds, alone, strict=True)]
