"""Every meaning once, the smallest formula of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from pconv.discover.enumeration import Enumeration
from pconv.discover.evaluation import ClassFrames, WindowCase
from pconv.discover.formula import AGGREGATES, CLASS_VARIABLES, CONSTANTS, Formula, bound_by
from pconv.discover.laws import distinct_laws, equivalent_formulas, probe_for
from pconv.discover.operations import operations
from pconv.discover.parser import parse
from tests.discover import plain

PROBE = (WindowCase(6, (0, 2)), WindowCase(4, (-1, 0)), WindowCase(9, (1,)))


def every_formula(size: int) -> Iterator[Formula]:
    """All formulas of a size, without any deduplication."""
    if size == 1:
        yield from map(Formula, (*CLASS_VARIABLES.names, *map(str, CONSTANTS)))
        return
    unary = [name for name, each in operations().items() if each.arity == 1]
    unary += [f"{kind}_{bound}" for kind, bound in product(AGGREGATES, CLASS_VARIABLES.bound)]
    for name, argument in product(unary, every_formula(size - 1)):
        if bound_by(name) in (None, *argument.names) or str(argument) == "1":
            yield Formula(name, (argument,))
    for first in range(1, size - 1):
        binary = [name for name, each in operations().items() if each.arity == 2]
        pairs = product(every_formula(first), every_formula(size - 1 - first))
        yield from (Formula(name, pair) for pair, name in product(pairs, binary))


def partitions(formula: Formula) -> tuple[int, ...]:
    return tuple(leader for case in PROBE for leader in plain.groups(formula, *case))


def test_the_laws_are_those_of_brute_force() -> None:
    smallest: dict[tuple[int, ...], int] = {}
    for size in (1, 2, 3):
        for formula in every_formula(size):
            smallest.setdefault(partitions(formula), size)
    found = [(partitions(law), law.size) for law in distinct_laws(3, PROBE)]
    assert len(found) == len(set(found))
    assert dict(found) == smallest


def test_windows_that_the_probe_lacks_are_added() -> None:
    """One case each, with many classes, unless it is large: then laws that differ there alone are one."""
    long = tuple(range(25))
    cases = [WindowCase(m, window) for m in (3, 11, 18, 30) for window in ((0, 1), (0, 9), long)]
    known = probe_for([])
    assert probe_for(cases)[len(known) :] == (WindowCase(11, (0, 9)), WindowCase(11, long))
    assert probe_for([WindowCase(17, long), WindowCase(19, (0, 9))]) == known


def test_values_are_kept_once() -> None:
    enumeration = Enumeration(ClassFrames(PROBE), CLASS_VARIABLES)
    for size in (1, 2, 3):
        list(enumeration.grow(size))
    written = [str(enumeration.formula(i)) for i in range(len(enumeration.nodes))]
    assert "n+o" in written
    assert not {"o+n", "n*1", "rad(1)", "min(n, n)"} & set(written)


@pytest.mark.parametrize(("law", "same"), [("n % p", "n % rad(m)"), ("n", "o-n")])
def test_other_forms_of_a_law(law: str, same: str) -> None:
    others = [str(other) for other in equivalent_formulas(parse(law), 4)]
    assert same in others
    assert law not in others
