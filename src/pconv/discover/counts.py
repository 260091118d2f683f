"""The number of groups as a function of p, a and W, for runs modulo p^a with W consecutive rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import log2
from typing import NamedTuple

import numpy as np

from pconv._arrays import IntArray
from pconv.data.factorization import prime_powers
from pconv.discover.description import exception_bits
from pconv.discover.enumeration import Batch, Enumeration
from pconv.discover.formula import COUNT_VARIABLES, Formula
from pconv.discover.frames import Frames
from pconv.discover.observation import Observation
from pconv.discover.scoring import Law

MAX_SIZE = 7
"""The largest formulas of the search, in symbols."""
_SHOWN = 200  # laws that are kept for the ranking


class CountCase(NamedTuple):
    """Classes modulo p^a, read through W consecutive rows."""

    p: int
    a: int
    W: int


class Counted(NamedTuple):
    """A run, and the number of groups that it shows."""

    run_id: str
    case: CountCase
    groups: int


def counted(observations: Sequence[Observation]) -> list[Counted]:
    """The observations modulo a prime power with consecutive rows."""
    found = []
    for each in observations:
        modulus, offsets = each.case
        powers = prime_powers(modulus)
        consecutive = offsets[-1] - offsets[0] + 1 == len(offsets)
        if each.leaders and len(powers) == 1 and consecutive:
            found.append(Counted(each.run_id, CountCase(*powers[0], len(offsets)), each.groups))
    return found


def discover_counts(
    runs: Sequence[Counted], max_size: int = MAX_SIZE, on_size: Callable[[int, int], None] | None = None
) -> list[Law]:
    """The laws of the number of groups, the one that saves most bits first; of equals the smaller one.

    Parameters
    ----------
    runs
        The runs, by `counted`.
    max_size
        The largest formulas to try, in symbols.
    on_size
        Called with each size before it is searched, and with the largest.

    Examples
    --------
    >>> cases = [CountCase(p, 1, W) for p in (2, 3, 5, 7, 11, 13) for W in (1, 2, 4, 9)]
    >>> runs = [Counted("", case, min(case.p, case.W + 1)) for case in cases]
    >>> str(discover_counts(runs, 5)[0].formula)
    'min(a+W, p)'
    """
    if not runs:
        return []
    cases = sorted({run.case for run in runs})
    enumeration = Enumeration(count_frames(cases), COUNT_VARIABLES)
    scorer = _Scorer(runs, cases)
    found: list[Law] = []
    for size in range(1, max_size + 1):
        if on_size:
            on_size(size, max_size)
        own = scorer.final(enumeration, size) if size == max_size else scorer.grown(enumeration, size)
        found += sorted(own, key=lambda law: -law.saved)[:_SHOWN]
    return sorted(found, key=lambda law: -law.saved)


def count_frames(cases: Sequence[CountCase]) -> Frames:
    """The points of count laws: a base point for each case, with i from 0 to a."""
    free = {name: np.array([getattr(case, name) for case in cases]) for name in COUNT_VARIABLES.free}
    return Frames(free, {"i": [np.arange(case.a + 1) for case in cases]})


class _Scorer:
    """Scores formulas, given by their values at the cases, against the numbers of groups that runs show."""

    def __init__(self, runs: Sequence[Counted], cases: Sequence[CountCase]) -> None:
        self.groups = np.array([run.groups for run in runs])
        self.bits = np.array([run.case.a * log2(run.case.p) for run in runs])  # any number from 1 to p^a
        place = {case: i for i, case in enumerate(cases)}
        self.case = np.array([place[run.case] for run in runs])

    def grown(self, enumeration: Enumeration, size: int) -> list[Law]:
        """The laws of this size that save bits; larger formulas can then be built from them."""
        laws = []
        for block in enumeration.grow(size):
            if not block.frame:
                made = (enumeration.formula(i) for i in block.ids.tolist())
                laws += self._laws(block.found.values, size, list(made).__getitem__)
        return laws

    def final(self, enumeration: Enumeration, size: int) -> list[Law]:
        """The same for the largest size, of which nothing is kept."""
        laws = []
        for batch in enumeration.batches(size, closed=True):
            made = partial(_made, batch, enumeration)
            laws += self._laws(batch.found.values, size, made)
        return laws

    def _laws(self, values: IntArray, size: int, formula: Callable[[int], Formula]) -> list[Law]:
        explained = values[:, self.case] == self.groups
        exceptions = explained.shape[1] - explained.sum(axis=1)
        law_bits = size * COUNT_VARIABLES.symbol_bits
        saved = explained @ self.bits - law_bits - exception_bits(exceptions, explained.shape[1])
        return [Law(formula(i), explained[i], float(saved[i])) for i in np.flatnonzero(saved > 0).tolist()]


def _made(batch: Batch, enumeration: Enumeration, place: int) -> Formula:
    return Formula(batch.symbol, tuple(enumeration.formula(i) for i in batch.arguments[place].tolist()))
