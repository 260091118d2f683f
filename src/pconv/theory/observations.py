"""The statements of the paper: Experimental Observations 1, 3 and 4, the Theorem and its Corollary.

They are about n and its B successors (B+1 rows), and describe what a trained model *does*; the laws of
`pconv.theory.laws` describe what the window *contains*. docs/theory.md shows how the two relate. Observation
2 needs no function: the classes modulo m are identified iff they are modulo every p^a of m.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from pconv._arrays import IntArray
from pconv.data.factorization import PrimePower


def observation_1(modulus: int, successors: int) -> frozenset[int]:
    """Experimental Observation 1: class 0 and the last B classes are always identified.

    >>> sorted(observation_1(11, 3))
    [0, 8, 9, 10]
    """
    return frozenset(range(max(0, modulus - successors), modulus)) | {0}


def observation_3(prime: int, successors: int) -> bool:
    """Experimental Observation 3: the classes modulo a prime p are identified iff p <= B+2.

    Otherwise 0 and the last B classes are identified and 1 .. p-B-1 are mixed with one another, which is what
    Observation 4 states for a power p^1, with j = 0.

    >>> observation_3(7, 5), observation_3(11, 5)
    (True, False)
    """
    return prime <= successors + 2


def observation_4(prime: int, exponent: int, successors: int) -> bool:
    """Experimental Observation 4: whether the classes modulo p^a are identified.

    They are when p^a <= B+2; otherwise iff p^a - B - 1 <= p^j, where j < a is the largest exponent for which
    the classes modulo p^j are identified.

    Parameters
    ----------
    prime, exponent
        The prime power p^a.
    successors
        The number B of successors.

    Examples
    --------
    >>> observation_4(3, 2, 5), observation_4(3, 3, 5)
    (True, False)
    """
    j = observation_4_exponent(prime, exponent, successors)
    return _observation_4_condition(prime**exponent, successors, prime**j)


def observation_4_exponent(prime: int, exponent: int, successors: int) -> int:
    """The j of Observation 4: the largest j < a for which the classes modulo p^j are identified.

    Parameters
    ----------
    prime, exponent, successors
        As in `observation_4`.

    Examples
    --------
    >>> observation_4_exponent(2, 4, successors=2)
    2
    """
    j = 0
    for i in range(1, exponent):
        if _observation_4_condition(prime**i, successors, prime**j):
            j = i
    return j


def _observation_4_condition(power: int, successors: int, known: int) -> bool:
    """Whether p^a is identified, where `known` is the largest lower power p^j that is."""
    return power <= successors + 2 or power - successors - 1 <= known


def observation_4_labels(prime: int, exponent: int, successors: int) -> IntArray:
    """The error pattern of Observation 4, as a label for each class modulo p^a.

    Class 0 and the last B are identified; classes 1 .. p^a-B-1 are mixed when they agree modulo p^j.

    Parameters
    ----------
    prime, exponent, successors
        As in `observation_4`.

    Examples
    --------
    >>> observation_4_labels(2, 4, successors=2).tolist()
    [4, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 5, 6]
    """
    power = PrimePower(prime, exponent).power
    classes = np.arange(power, dtype=np.int64)
    if observation_4(prime, exponent, successors):
        return classes
    spacing = prime ** observation_4_exponent(prime, exponent, successors)
    labels: IntArray = classes % spacing
    labels[0] = spacing
    last = power - successors
    labels[last:] = spacing + 1 + np.arange(successors)
    return labels


def observation_4_count(prime: int, exponent: int, successors: int) -> int:
    """How many groups the error pattern of Observation 4 has, without listing them.

    Parameters
    ----------
    prime, exponent, successors
        As in `observation_4`.

    Examples
    --------
    >>> observation_4_count(2, 4, successors=2)
    7
    """
    power = PrimePower(prime, exponent).power
    if observation_4(prime, exponent, successors):
        return power
    spacing = prime ** observation_4_exponent(prime, exponent, successors)
    return int(successors + 1 + min(spacing, power - successors - 1))


def observation_4_sizes(prime: int, exponent: int, successors: int) -> Counter[int]:
    """How many groups of the error pattern of Observation 4 have each size, without listing them.

    Parameters
    ----------
    prime, exponent, successors
        As in `observation_4`.

    Examples
    --------
    >>> dict(observation_4_sizes(2, 4, successors=2))
    {1: 3, 4: 1, 3: 3}
    """
    power = PrimePower(prime, exponent).power
    if observation_4(prime, exponent, successors):
        return Counter({1: power})
    spacing = prime ** observation_4_exponent(prime, exponent, successors)
    each, longer = divmod(power - successors - 1, spacing)
    sizes = Counter({1: successors + 1})
    sizes.update({each + 1: longer, each: spacing - longer})
    return Counter({size: groups for size, groups in sizes.items() if size and groups})


def theorem_exponent(prime: int, successors: int) -> int:
    """The i_0 of the Theorem: the unique i >= 0 with p^i < B+2 <= p^(i+1).

    >>> theorem_exponent(2, 8), theorem_exponent(11, 8)
    (3, 0)
    """
    i = 0
    while prime ** (i + 1) < successors + 2:
        i += 1
    return i


def theorem(prime: int, exponent: int, successors: int) -> bool:
    """The Theorem: whether the classes modulo p^i are identified.

    Yes for i <= i_0; for i = i_0 + 1 iff p^(i_0+1) - p^(i_0) - 1 <= B; no for i >= i_0 + 2. The paper asks
    for B >= 2; by the totient law it holds for every B >= 0.

    Parameters
    ----------
    prime, exponent
        The prime power p^i.
    successors
        The number B of successors.

    Examples
    --------
    >>> theorem(3, 2, 5), theorem(3, 2, 4), theorem(3, 3, 5)
    (True, False, False)
    """
    first = theorem_exponent(prime, successors)
    if exponent != first + 1:
        return exponent <= first
    return bool(prime ** (first + 1) - prime**first - 1 <= successors)


def corollary(exponent: int, successors: int) -> bool:
    """The Corollary: the classes modulo 2^i are identified iff i <= i_0 + 1.

    >>> corollary(4, successors=8), corollary(5, successors=8)
    (True, False)
    """
    return exponent <= theorem_exponent(2, successors) + 1
