"""Design: the window that a network needs to identify every class modulo m.

A window solves p^a iff, in every class modulo p^(a-1), its offsets miss at most one of the p classes modulo
p^a above it (docs/theory.md). So a window that solves p^a has at least phi(p^a) rows, consecutive or not,
and phi(p^a) consecutive rows do: the consecutive window is as short as any.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

from pconv.config import MAX_PRIMES
from pconv.data.factorization import PrimePower, prime_powers
from pconv.data.primes import first_primes
from pconv.theory import signature
from pconv.theory.problem import Problem
from pconv.window import MAX_ROWS

_EXHAUSTIVE = 5_000
"""The most choices of rows that are tried exhaustively."""


@dataclass(frozen=True)
class Design:
    """A window that identifies every class modulo m.

    Parameters
    ----------
    modulus
        The modulus m.
    factors
        Its prime powers.
    offsets
        The rows of the window; None where it has more rows than a network can have, or where the pool does
        not solve m.
    minimal
        Whether no smaller set of offsets (from the pool, if one was given) solves m.
    """

    modulus: int
    factors: tuple[PrimePower, ...]
    offsets: tuple[int, ...] | None
    minimal: bool

    @property
    def rows(self) -> int:
        """The fewest rows of any window that solves m."""
        return fewest_rows(self.modulus)

    @property
    def successors(self) -> int:
        """The smallest B that solves m."""
        return self.rows - 1

    @property
    def primes(self) -> int | None:
        """The fewest columns N that hold every prime of m; None where N would be past the table of primes."""
        largest = self.factors[-1].prime
        table = first_primes(MAX_PRIMES)
        return int(table.searchsorted(largest)) + 1 if largest <= table[-1] else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "modulus": self.modulus,
            "successors": self.successors,
            "rows": self.rows,
            "primes": self.primes,
            "offsets": None if self.offsets is None else list(self.offsets),
            "minimal": self.minimal,
            "components": [
                {"prime": f.prime, "exponent": f.exponent, "rows": f.totient} for f in self.factors
            ],
        }


def fewest_rows(modulus: int) -> int:
    """The fewest rows that solve m, of any shape: the largest phi(p^a).

    >>> fewest_rows(25), fewest_rows(30)
    (20, 4)
    """
    return max(factor.totient for factor in prime_powers(modulus))


def design_window(modulus: int, pool: Iterable[int] | None = None) -> Design:
    """The smallest window that solves m; with a pool, few of its offsets that do.

    >>> design_window(25).successors
    19
    >>> design_window(6, pool=[0, 3, 6, 7, 9]).offsets
    (0, 7)
    """
    problem = Problem(modulus, (0,) if pool is None else pool)
    rows = fewest_rows(modulus)
    if pool is None:
        offsets = tuple(range(rows)) if rows <= MAX_ROWS else None
        return Design(modulus, problem.factors, offsets, minimal=True)
    return Design(modulus, problem.factors, *_few_offsets(problem, rows))


def _few_offsets(problem: Problem, fewest: int) -> tuple[tuple[int, ...] | None, bool]:
    """The greedy choice, or a smaller one by exhaustive search of a small pool; and whether it is minimal."""
    pool = problem.offsets
    if not solves(problem.factors, pool):
        return None, False
    chosen = greedy_offsets(problem.factors, pool)
    for size in range(fewest, len(chosen)):
        if comb(len(pool), size) > _EXHAUSTIVE:
            return chosen, False
        for smaller in combinations(pool, size):
            if solves(problem.factors, smaller):
                return smaller, True
    return chosen, True


def solves(factors: Iterable[PrimePower], offsets: tuple[int, ...]) -> bool:
    """Whether these offsets identify every class modulo each p^a."""
    parts = (signature.SignaturePartition(factor, offsets, factor.exponent) for factor in factors)
    return all(part.solved for part in parts)


def greedy_offsets(factors: tuple[PrimePower, ...], pool: tuple[int, ...]) -> tuple[int, ...]:
    """Adds the offset that is useful to the most components, until every class modulo m is identified.

    An offset is useful to p^a if it hits a new class modulo p^a and fewer than p-1 are hit in its class
    modulo p^(a-1). The total gain is a monotone submodular function of the offsets, so the greedy choice is
    never longer than 1 + ln(number of components) times the shortest.
    """
    hit: dict[tuple[PrimePower, int], set[int]] = {}
    chosen: list[int] = []
    # Gains only fall, so one pass over the pool for each gain is the greedy order.
    for wanted in range(len(factors), 0, -1):
        for offset in pool:
            useful = _useful(factors, offset, hit)
            if len(useful) == wanted:
                for fibre in useful:
                    hit.setdefault(fibre, set()).add(offset % fibre[0].power)
                chosen.append(offset)
    return tuple(sorted(chosen))


def _useful(
    factors: tuple[PrimePower, ...], offset: int, hit: dict[tuple[PrimePower, int], set[int]]
) -> list[tuple[PrimePower, int]]:
    """The (p^a, class modulo p^(a-1)) in which this offset hits a class that is still needed."""
    fibres = [(factor, offset % (factor.power // factor.prime)) for factor in factors]
    return [
        fibre
        for fibre in fibres
        if len(seen := hit.get(fibre, set())) < fibre[0].prime - 1 and offset % fibre[0].power not in seen
    ]
