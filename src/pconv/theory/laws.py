"""Closed forms: the splitting law, the totient law, and the statements of the paper.

The paper treats n and its B successors (B+1 rows) and calls its findings Experimental Observations; they
say what the trained model *does*. The two laws say what the window *contains*. docs/theory.md proves them and
how the two relate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import fsum, prod

import numpy as np

from pconv._arrays import IntArray
from pconv.data.factorization import PrimePower, prime_powers
from pconv.theory.best_reader import uniform_loss


def splitting_law(prime: int, levels: int, offsets: Iterable[int]) -> int:
    """Splitting law: how many signatures any set of offsets has at p, exponents cut at `levels`.

    It is 1 plus, for i = 1..levels and every class x modulo p^(i-1), the smaller of p-1 and the number of
    classes modulo p^i above x that some offset lies in. Nothing depends on the size of p.

    >>> splitting_law(5, 2, (0, 1, 2)), splitting_law(2, 3, (0, 2, 4))
    (7, 5)
    """
    rows = tuple(offsets)
    count = 1
    for level in range(1, levels + 1):
        hit = {offset % prime**level for offset in rows}
        above = Counter(residue % prime ** (level - 1) for residue in hit)
        count += sum(min(prime - 1, count) for count in above.values())
    return count


def splitting_sizes(prime: int, levels: int, offsets: Iterable[int]) -> Counter[int]:
    """Splitting law: how many groups modulo p^levels have each size, for any set of offsets.

    Above a class x modulo p^(i-1) that contains some -o lie p classes modulo p^i. Those of them that contain
    no -o form one group together, which has (p - k) p^(levels-i) classes where k of the p contain some -o.
    The classes modulo p^levels that contain some -o stand alone. Nothing depends on the size of p.

    >>> dict(splitting_sizes(2, 4, (0, 1, 2)))  # {1, 5, 9, 13}, three pairs, six classes alone
    {4: 1, 2: 3, 1: 6}
    """
    rows = tuple(offsets)
    sizes: Counter[int] = Counter()
    for level in range(1, levels + 1):
        hit = {offset % prime**level for offset in rows}
        above = Counter(residue % prime ** (level - 1) for residue in hit)
        for count in above.values():
            if count < prime:
                sizes[(prime - count) * prime ** (levels - level)] += 1
    sizes[1] += len({offset % prime**levels for offset in rows})
    return sizes


def totient_law(prime: int, exponent: int, rows: int) -> int:
    """Totient law: how many classes modulo p^a a window of consecutive rows distinguishes.

    It is the splitting law in closed form: the sum of min(rows, phi(p^i)) over i = 0..a, phi being Euler's
    totient. Modulo 16 three rows tell 1 + 1 + 2 + 3 + 3 of 16 classes apart:

    >>> totient_law(2, 4, rows=3)
    10

    Other offsets tell at most as many apart: modulo 8 the rows 0, 2, 4 tell 5, where 0, 1, 2 tell 7.
    """
    return sum(min(rows, PrimePower(prime, i).totient) for i in range(exponent + 1))


def consecutive_sizes(prime: int, exponent: int, rows: int) -> Counter[int]:
    """The splitting law's sizes in closed form, for consecutive rows: how many groups have each size.

    Let p^t <= rows < p^(t+1) with t < a, and rows = u p^t + r with 0 <= r < p^t. There are r groups of
    (p-u-1) p^(a-t-1) and p^t - r groups of (p-u) p^(a-t-1) classes, `rows` groups of (p-1) p^(a-i) classes
    for each i = t+2..a, and `rows` more classes stand alone. If rows >= p^a, all classes stand alone.

    >>> dict(consecutive_sizes(2, 4, rows=3)), dict(consecutive_sizes(11, 1, rows=9))
    ({4: 1, 2: 3, 1: 6}, {2: 1, 1: 9})
    """
    if rows >= prime**exponent:
        return Counter({1: prime**exponent})
    t = 0
    while prime ** (t + 1) <= rows:
        t += 1
    turns, rest = divmod(rows, prime**t)
    below = prime ** (exponent - t - 1)
    sizes: Counter[int] = Counter()
    sizes[(prime - turns) * below] += prime**t - rest
    sizes[(prime - turns - 1) * below] += rest
    for level in range(t + 2, exponent + 1):
        sizes[(prime - 1) * prime ** (exponent - level)] += rows
    sizes[1] += rows
    return Counter({size: groups for size, groups in sizes.items() if size and groups})


def solved_by_totients(modulus: int, rows: int) -> bool:
    """Corollary of the totient law: m is solved iff phi(p^a) <= rows for every p^a that exactly divides it.

    >>> solved_by_totients(16, rows=8), solved_by_totients(16, rows=7)
    (True, False)
    """
    return all(factor.totient <= rows for factor in prime_powers(modulus))


def ceiling_by_totients(modulus: int, rows: int) -> Fraction:
    """Corollary of the totient law: the best accuracy on equally likely classes modulo m.

    >>> ceiling_by_totients(16, rows=3)
    Fraction(5, 8)
    """
    count = prod(totient_law(p, a, rows) for p, a in prime_powers(modulus))
    return Fraction(count, modulus)


def loss_floor_by_totients(modulus: int, rows: int) -> float:
    """The loss floor on equally likely classes modulo m, for consecutive rows: the sum of those of the p^a.

    Modulo a prime p > W it is (p-W)/p ln(p-W): W classes are identified, and the others form one group.

    >>> round(loss_floor_by_totients(11, rows=9), 4), loss_floor_by_totients(11, rows=10)
    (0.126, 0.0)
    """
    return fsum(uniform_loss(consecutive_sizes(p, a, rows)) for p, a in prime_powers(modulus))


def observation_1(modulus: int, successors: int) -> frozenset[int]:
    """Experimental Observation 1: class 0 and the last B classes are always identified.

    >>> sorted(observation_1(11, 3))
    [0, 8, 9, 10]
    """
    return frozenset(range(max(0, modulus - successors), modulus)) | {0}


def observation_2(solved_components: Iterable[bool]) -> bool:
    """Experimental Observation 2: the classes modulo m are identified iff they are modulo every p^a of m."""
    return all(solved_components)


def observation_3(prime: int, successors: int) -> bool:
    """Experimental Observation 3: the classes modulo a prime p are identified iff p <= B+2.

    Otherwise 0 and the last B classes are identified and 1 .. p-B-1 are mixed with one another, which is what
    Observation 4 says of a power p^1, with j = 0.

    >>> observation_3(7, 5), observation_3(11, 5)
    (True, False)
    """
    return prime <= successors + 2


def observation_4(prime: int, exponent: int, successors: int) -> bool:
    """Experimental Observation 4: whether the classes modulo p^a are identified.

    They are when p^a <= B+2; otherwise iff p^a - B - 1 <= p^j, where j < a is the largest exponent for which
    the classes modulo p^j are identified.

    >>> observation_4(3, 2, 5), observation_4(3, 3, 5)
    (True, False)
    """
    j = observation_4_exponent(prime, exponent, successors)
    return _observation_4_condition(prime**exponent, successors, prime**j)


def observation_4_exponent(prime: int, exponent: int, successors: int) -> int:
    """The j of Observation 4: the largest j < a for which the classes modulo p^j are identified.

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
