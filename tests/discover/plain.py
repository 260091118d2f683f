"""Formulas evaluated one number at a time in plain Python: a slow reference for the arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd

from sympy import primefactors, totient

from pconv.discover.formula import Formula, bound_by

Ranges = Mapping[str, list[int]]

AGGREGATES: dict[str, Callable[..., int]] = {"sum": sum, "min": min, "max": max}


def valuation(x: int, q: int) -> int:
    if abs(q) < 2:
        return 0
    if x == 0:
        return 64
    count = 0
    while x % q == 0:
        x, count = x // q, count + 1
    return count


def radical(x: int) -> int:
    product = 1 if x else 0
    for p in primefactors(abs(x)):
        product *= int(p)
    return product


FUNCTIONS: dict[str, Callable[..., int]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "//": lambda x, y: x // y if y else 0,
    "%": lambda x, y: x % y if y else x,
    "^": lambda x, y: x**y if y >= 0 else 0,
    "<": lambda x, y: int(x < y),
    "=": lambda x, y: int(x == y),
    "gcd": gcd,
    "v": valuation,
    "min": min,
    "max": max,
    "rad": radical,
    "phi": lambda x: int(totient(abs(x))) if x else 0,
}


def value(formula: Formula, variables: Mapping[str, int], ranges: Ranges) -> int:
    """The value of a formula for values of its variables and the ranges of those that aggregates bind."""
    if formula.symbol.isdigit():
        return int(formula.symbol)
    if not formula.arguments:
        return variables[formula.symbol]
    if bound := bound_by(formula.symbol):
        [body] = formula.arguments
        kind = AGGREGATES[formula.symbol.partition("_")[0]]
        return int(kind(value(body, {**variables, bound: each}, ranges) for each in ranges[bound]))
    return int(FUNCTIONS[formula.symbol](*(value(each, variables, ranges) for each in formula.arguments)))


def groups(formula: Formula, modulus: int, offsets: tuple[int, ...]) -> list[int]:
    """The first class of each class's group: classes are alike iff all values agree."""
    ranges = {"o": list(offsets), "p": [int(p) for p in primefactors(modulus)]}
    free = sorted(formula.names & {"o", "p"})
    found: list[tuple[int, ...]] = []
    for n in range(modulus):
        points: list[dict[str, int]] = [{"n": n, "m": modulus}]
        for name in free:
            points = [{**point, name: each} for point in points for each in ranges[name]]
        found.append(tuple(value(formula, point, ranges) for point in points))
    return [found.index(each) for each in found]
