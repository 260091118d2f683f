"""The law of signatures in one line, and the groups computed from it literally.

What a row n+o shows at all primes of m together is gcd(n+o, m). So two classes are mixed iff
gcd(c+o, m) = gcd(c'+o, m) for every row o. Where columns show less, the part of m that they can show takes
the place of m.
"""

from __future__ import annotations

from math import gcd, prod

from pconv.data.representations import Shows
from pconv.errors import InputError
from pconv.theory.partition import Groups
from pconv.theory.problem import Question


def visible_part(question: Question) -> int:
    """The divisor of m that the columns can show: the product of p^min(a, cap) over the primes among them.

    Where columns show residues it is the product of the primes of m among them.

    >>> visible_part(Question(360, range(3))), visible_part(Question(360, range(3), primes=2, cap=1))
    (360, 6)
    """
    if question.shows is Shows.OTHER:
        raise InputError("shows", question.shows, "is nothing that the signature theory speaks of")
    return prod(factor.prime ** question.levels(factor) for factor in question.factors)


def law_of(question: Question) -> str:
    """Which classes are mixed, in one sentence.

    >>> law_of(Question(16, range(3)))
    "Two classes c and c' modulo 16 are mixed iff gcd(c+o, 16) = gcd(c'+o, 16) for every row n+o of n..n+2."
    """
    m, shown = question.modulus, visible_part(question)
    two, rows = f"Two classes c and c' modulo {m}", f"for every row n+o of {question.window}"
    if shown == 1:
        return f"All classes modulo {m} are mixed: no prime of {m} is among the columns."
    if question.shows is Shows.RESIDUES:
        return f"{two} are mixed iff c+o and c'+o agree modulo {shown} {rows}, that is, iff c and c' do."
    because = "" if shown == m else f": {shown} is the part of {m} that the columns show"
    return f"{two} are mixed iff gcd(c+o, {shown}) = gcd(c'+o, {shown}) {rows}{because}."


def gcd_groups(question: Question) -> Groups:
    """The groups by the letter of the law, class by class: a plain reference for `predict`, and slow.

    >>> gcd_groups(Question(16, range(3)))[:3]
    ((0,), (1, 5, 9, 13), (2, 10))
    """
    shown = visible_part(question)
    alike: dict[tuple[int, ...], list[int]] = {}
    for c in range(question.modulus):
        rows = (c + offset for offset in question.offsets)
        if question.shows is Shows.RESIDUES:
            key = tuple(row % shown for row in rows)
        else:
            key = tuple(gcd(row, shown) for row in rows)
        alike.setdefault(key, []).append(c)
    return tuple(map(tuple, alike.values()))
