"""Classes that a network confuses, as connected groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv.result import Evaluation, Matrix

CONFUSED = 0.01
"""A class is confused with another that more than this share of its answers name."""
HALF = 0.5
"""Two classes look mixed when the total variation distance of their answers is at most this."""

Pairs = NDArray[np.bool_]
"""A property of each pair of classes."""


def mixed_groups(confusion: Matrix) -> list[list[int]]:
    """The connected groups of classes that are taken for one another; single classes are left out.

    >>> mixed_groups(((50, 0, 0), (0, 20, 30), (0, 0, 50)))
    [[1, 2]]
    """
    counts = np.array(confusion)
    group = components(counts > CONFUSED * counts.sum(axis=1, keepdims=True))
    found = [np.flatnonzero(group == label).tolist() for label in range(group.max() + 1)]
    return [classes for classes in found if len(classes) > 1]


def observed_mixing(answers: Evaluation) -> Pairs:
    """Which classes a network mixes, from its answers alone.

    Two classes are mixed when the distributions of their answers overlap by at least half (the sum of the
    smaller shares over all answers, 1 minus their distance), or when a chain of such classes joins them.

    >>> observed_mixing(Evaluation(((50, 0, 0), (0, 20, 30), (0, 25, 25)))).sum()
    np.int64(5)
    """
    group = components(answer_distances(np.array(answers.confusion)) <= HALF)
    return np.asarray(group[:, None] == group[None, :])


def answer_distances(counts: NDArray[Any]) -> NDArray[np.float64]:
    """The total variation distance between the answers of every pair of classes; 1 to a class without any.

    >>> answer_distances(np.array([[5, 0, 0], [0, 2, 2], [0, 1, 3]])).tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 0.25], [1.0, 0.25, 0.0]]
    """
    sizes = counts.sum(axis=1)
    shares = counts / np.maximum(1, sizes)[:, None]
    found = np.array([np.abs(shares - row).sum(axis=1) / 2 for row in shares])
    found[sizes == 0] = found[:, sizes == 0] = 1
    return found


def components(joined: Pairs) -> NDArray[np.int64]:
    """The number of each class's connected component, counted in the order of their first classes.

    >>> components(np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]], dtype=bool)).tolist()
    [0, 1, 0]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(csr_array(joined), directed=False)
    return np.asarray(labels, dtype=np.int64)
