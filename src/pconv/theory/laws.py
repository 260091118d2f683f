"""Closed forms for what a window shows: the splitting law, the totient law and its corollaries.

docs/theory.md proves them. The statements of the paper about trained models are in
`pconv.theory.observations`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import fsum, prod

from pconv.data.factorization import PrimePower, prime_powers
from pconv.theory.best_reader import uniform_loss


def splitting_law(prime: int, levels: int, offsets: Iterable[int]) -> int:
    """Splitting law: how many signatures any set of offsets has at p, exponents cut at `levels`.

    It is 1 plus, for i = 1..levels and every class x modulo p^(i-1), the smaller of p-1 and the number of
    classes modulo p^i above x that some offset lies in. Nothing depends on the size of p.

    Parameters
    ----------
    prime
        The prime p.
    levels
        The largest exponent that columns show.
    offsets
        The rows of the window.

    Examples
    --------
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
    The classes modulo p^levels that contain some -o are groups of their own. Nothing depends on the size
    of p.

    Parameters
    ----------
    prime, levels, offsets
        As in `splitting_law`.

    Examples
    --------
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
    totient. Other offsets distinguish at most as many classes.

    Parameters
    ----------
    prime, exponent
        The prime power p^a.
    rows
        The number of rows.

    Examples
    --------
    Modulo 16 three rows distinguish 1 + 1 + 2 + 3 + 3 of 16 classes:

    >>> totient_law(2, 4, rows=3)
    10

    Modulo 8 the rows 0, 1, 2 distinguish 7 classes and the rows 0, 2, 4 only 5:

    >>> totient_law(2, 3, rows=3), splitting_law(2, 3, (0, 2, 4))
    (7, 5)
    """
    return sum(min(rows, PrimePower(prime, i).totient) for i in range(exponent + 1))


def consecutive_sizes(prime: int, exponent: int, rows: int) -> Counter[int]:
    """The splitting law's sizes in closed form, for consecutive rows: how many groups have each size.

    Let p^t <= rows < p^(t+1) with t < a, and rows = u p^t + r with 0 <= r < p^t. There are r groups of
    (p-u-1) p^(a-t-1) and p^t - r groups of (p-u) p^(a-t-1) classes, `rows` groups of (p-1) p^(a-i) classes
    for each i = t+2..a, and `rows` more groups of one class. If rows >= p^a, all groups have one class.

    Parameters
    ----------
    prime, exponent, rows
        As in `totient_law`.

    Examples
    --------
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
