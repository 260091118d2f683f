"""Partitions of the classes modulo q into groups of classes that cannot be distinguished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray

Groups = tuple[tuple[int, ...], ...]


class Partition(Protocol):
    """A partition of the classes modulo `modulus`; it is listed only by `labels`."""

    @property
    def modulus(self) -> int: ...

    @property
    def count(self) -> int:
        """The number of groups."""

    def labels(self) -> IntArray:
        """The group of each class; the numbering of the groups is arbitrary."""

    def sizes(self) -> Mapping[int, int]:
        """How many groups have each size."""


class Discrete:
    """Every class is a group of its own."""

    def __init__(self, modulus: int) -> None:
        self.modulus = modulus
        self.count = modulus

    def labels(self) -> IntArray:
        return np.arange(self.modulus, dtype=np.int64)

    def sizes(self) -> Mapping[int, int]:
        return {1: self.modulus}


class Listed:
    """A partition given by a label for each class.

    >>> Listed([0, 1, 0, 1]).count
    2
    """

    def __init__(self, labels: Iterable[int] | IntArray) -> None:
        self._labels = canonical(np.asarray(list(labels), dtype=np.int64))
        self.modulus = len(self._labels)
        self.count = int(self._labels.max(initial=-1)) + 1

    def labels(self) -> IntArray:
        return self._labels

    def sizes(self) -> Mapping[int, int]:
        return Counter(np.bincount(self._labels).tolist())


def canonical(labels: IntArray) -> IntArray:
    """The same partition, its groups numbered in the order of their first classes.

    >>> canonical(np.array([7, 7, 3, 7, 5])).tolist()
    [0, 0, 1, 0, 2]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse])


def combined(parts: Sequence[Partition]) -> IntArray:
    """The product of partitions for coprime moduli, as group of each class (Chinese remainder theorem).

    Two classes are in one group modulo the product iff they are for each modulus.

    >>> combined([Discrete(2), Listed([0, 1, 1])]).tolist()
    [0, 1, 2, 3, 2, 1]
    """
    modulus = 1
    for part in parts:
        modulus *= part.modulus
    classes = np.arange(modulus, dtype=np.int64)
    labels = np.zeros(modulus, dtype=np.int64)
    for part in parts:
        labels *= part.count  # stays below the modulus: a partition has no more groups than classes
        labels += part.labels()[classes % part.modulus]
    return canonical(labels)


def groups_of(labels: IntArray) -> Groups:
    """The groups as sorted classes, by their least class; the labels must be canonical.

    >>> groups_of(np.array([0, 1, 0, 2]))
    ((0, 2), (1,), (3,))
    """
    classes = np.argsort(labels, kind="stable").tolist()
    ends = np.cumsum(np.bincount(labels)).tolist()
    return tuple(tuple(classes[start:end]) for start, end in zip([0, *ends[:-1]], ends, strict=True))


def connected(adjacent: NDArray[np.bool_]) -> IntArray:
    """The connected component of each class, given which pairs of classes are joined.

    >>> connected(np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]], dtype=bool)).tolist()
    [0, 1, 0]
    """
    from scipy.sparse.csgraph import connected_components  # loading scipy takes longer than a prediction

    return canonical(np.asarray(connected_components(adjacent, directed=False)[1], dtype=np.int64))
