"""The best accuracy and the least cross-entropy of a classifier that knows only the group of a number.

Its accuracy is highest when it answers with the most frequent class of the group, and its cross-entropy is
least when it answers with the frequencies of the classes inside the group: then it is the conditional entropy
H(class | group), the *loss floor*.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, log

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray


def most_correct(counts: IntArray, group: IntArray) -> int:
    """The largest number of correct answers.

    `counts` are the numbers of each class, `group` is the group of each class.

    >>> most_correct(np.array([5, 2, 4]), np.array([0, 1, 1]))
    9
    """
    largest = np.zeros(int(group.max()) + 1, dtype=np.int64)
    np.maximum.at(largest, group, counts)
    return int(largest.sum())


def least_loss(counts: IntArray | NDArray[np.float64], group: IntArray) -> float:
    """The loss floor H(class | group) in nats, where some class has numbers.

    It is the sum over the classes of n_c/n ln(n_g/n_c), n_g being the numbers of the group of c.

    >>> round(least_loss(np.array([5, 2, 2]), np.array([0, 1, 1])), 4)  # 4/9 ln 2
    0.3081
    """
    drawn = counts > 0
    numbers = counts[drawn]
    of_group = np.bincount(group, counts)[group[drawn]]
    return float((numbers * np.log(of_group / numbers)).sum() / numbers.sum())


def uniform_loss(sizes: Mapping[int, int]) -> float:
    """The loss floor on equally likely classes: (1/m) times the sum over the groups of g ln g.

    `sizes` maps g to the number of groups of g classes; nothing is listed, so m may be large.

    >>> round(uniform_loss({1: 9, 2: 1}), 4)  # 2/11 ln 2
    0.126
    """
    classes = sum(size * groups for size, groups in sizes.items())
    return fsum(size * groups / classes * log(size) for size, groups in sizes.items())
