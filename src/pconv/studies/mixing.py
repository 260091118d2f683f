"""Classes that a network confuses, as connected groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pconv.result import Evaluation, Matrix

CONFUSED = 0.01
"""A class is confused with another that more than this share of its answers name."""
OVERLAP = 0.5
"""Two classes look mixed when their answers have more than this share in common."""

Pairs = NDArray[np.bool_]
"""A property of each pair of classes."""


def mixed_groups(confusion: Matrix) -> list[list[int]]:
    """The connected groups of classes that are taken for one another; single classes are left out.

    >>> mixed_groups(((50, 0, 0), (0, 20, 30), (0, 0, 50)))
    [[1, 2]]
    """
    counts = np.array(confusion)
    group = _components(counts > CONFUSED * counts.sum(axis=1, keepdims=True))
    found = [np.flatnonzero(group == label).tolist() for label in range(group.max() + 1)]
    return [classes for classes in found if len(classes) > 1]


def observed_mixing(answers: Evaluation) -> Pairs:
    """Which classes a network mixes, from its answers alone.

    Two classes are mixed when the distributions of their answers overlap by more than half (the sum of the
    smaller shares over all answers), or when a chain of such classes joins them.

    >>> observed_mixing(Evaluation(((50, 0, 0), (0, 20, 30), (0, 25, 25)))).sum()
    np.int64(5)
    """
    counts = np.array(answers.confusion, dtype=np.float64)
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    overlap = np.array([np.minimum(row, shares).sum(axis=1) for row in shares])
    group = _components(overlap > OVERLAP)
    return np.asarray(group[:, None] == group[None, :])


def _components(joined: Pairs) -> NDArray[np.int32]:
    """The number of each class's connected component, counted in the order of their first classes."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(csr_array(joined), directed=False)
    return np.asarray(labels)
