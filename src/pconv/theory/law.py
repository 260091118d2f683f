"""The law of signatures in one line, and the groups computed from it literally.

What a row n+o shows at all primes of m together is gcd(n+o, m). So two classes are mixed iff
gcd(c+o, m) = gcd(c'+o, m) for every row o. Where columns show less, the part of m that they can show takes
the place of m.
"""

from __future__ import annotations

from math import gcd, prod

from pconv.data.representations import ColumnContent
from pconv.errors import InputError
from pconv.theory.partition import Groups
from pconv.theory.problem import Problem


def visible_part(problem: Problem) -> int:
    """The divisor of m that the columns can show: the product of p^min(a, cap) over the primes among them.

    Where columns show residues it is the product of the primes of m among them.

    >>> visible_part(Problem(360, range(3))), visible_part(Problem(360, range(3), primes=2, cap=1))
    (360, 6)
    """
    if not problem.shows.of_primes:
        raise InputError("shows", problem.shows, "the signature theory does not apply to it")
    return prod(factor.prime ** problem.levels(factor) for factor in problem.factors)


def law_of(problem: Problem) -> str:
    """Which classes are mixed, in one sentence.

    >>> law_of(Problem(16, range(3)))
    "Two classes c and c' modulo 16 are mixed iff gcd(c+o, 16) = gcd(c'+o, 16) for every row n+o of n..n+2."
    """
    m, shown = problem.modulus, visible_part(problem)
    two, rows = f"Two classes c and c' modulo {m}", f"for every row n+o of {problem.window}"
    if shown == 1:
        return f"All classes modulo {m} are mixed: no prime of {m} is among the columns."
    if problem.shows is ColumnContent.RESIDUES:
        return f"{two} are mixed iff c+o and c'+o agree modulo {shown} {rows}, that is, iff c and c' do."
    because = "" if shown == m else f": {shown} is the part of {m} that the columns show"
    return f"{two} are mixed iff gcd(c+o, {shown}) = gcd(c'+o, {shown}) {rows}{because}."


def gcd_groups(problem: Problem) -> Groups:
    """The groups computed literally from the law: a slow reference for `predict`.

    >>> gcd_groups(Problem(16, range(3)))[:3]
    ((0,), (1, 5, 9, 13), (2, 10))
    """
    shown = visible_part(problem)
    alike: dict[tuple[int, ...], list[int]] = {}
    for c in range(problem.modulus):
        rows = (c + offset for offset in problem.offsets)
        if problem.shows is ColumnContent.RESIDUES:
            key = tuple(row % shown for row in rows)
        else:
            key = tuple(gcd(row, shown) for row in rows)
        alike.setdefault(key, []).append(c)
    return tuple(map(tuple, alike.values()))
