"""Certificates that two classes are mixed: two numbers whose windows can be compared by hand."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from pconv.data.representations import ColumnContent
from pconv.theory import signature
from pconv.theory.problem import Problem, row_name
from pconv.theory.signature import SignaturePartition, valuation
from pconv.theory.table import Table

SHOWN_ROWS = 32


@dataclass(frozen=True)
class Certificate:
    """Two numbers in different classes modulo m whose windows agree at every prime of m that can be seen.

    They agree in the full exponents (in the exponents as shown, where the problem caps them), not only in
    what matters modulo m; where residues are shown, in these.
    """

    problem: Problem
    first: int
    second: int

    @property
    def classes(self) -> tuple[int, int]:
        return self.first % self.problem.modulus, self.second % self.problem.modulus

    @property
    def primes(self) -> tuple[int, ...]:
        """The primes of m that are among the columns."""
        return tuple(f.prime for f in self.problem.factors if self.problem.sees(f.prime))

    def table(self) -> Table:
        """The two windows side by side: each row, and the exponents of the primes in it."""
        shown = self._shown_offsets()
        header = (
            "row",
            f"n = {self.first}",
            *map(str, self.primes),
            f"n = {self.second}",
            *map(str, self.primes),
        )
        rows = tuple(
            (
                row_name(offset),
                *(
                    str(cell)
                    for n in (self.first, self.second)
                    for cell in (n + offset, *self.shown(n + offset))
                ),
            )
            for offset in shown
        )
        left_out = self.problem.rows - len(shown)
        note = f" ({left_out} further rows agree as well)" if left_out else ""
        values = "residues modulo" if self.what == "residues" else "exponents of"
        return Table(f"{values} the primes of {self.problem.modulus} in both windows{note}", header, rows)

    @property
    def what(self) -> str:
        """What of the windows is compared: residues or exponents."""
        return "residues" if self.problem.shows is ColumnContent.RESIDUES else "exponents"

    def shown(self, number: int) -> tuple[int, ...]:
        """What the columns of the seen primes of m show of one row."""
        if self.problem.shows is ColumnContent.RESIDUES:
            return tuple(number % prime for prime in self.primes)
        return tuple(valuation(number, prime, self.problem.cap) for prime in self.primes)

    def _shown_offsets(self) -> tuple[int, ...]:
        offsets = self.problem.offsets
        if len(offsets) <= SHOWN_ROWS:
            return offsets
        nonzero = [offset for offset in offsets if any(self.shown(self.first + offset))]
        return tuple((nonzero or offsets)[:SHOWN_ROWS])

    def to_dict(self) -> dict[str, Any]:
        return {
            "numbers": [self.first, self.second],
            "classes": list(self.classes),
            "primes": list(self.primes),
            "table": self.table().to_dict(),
        }


def certificate(problem: Problem, residue: int | None = None) -> Certificate | None:
    """A certificate that a class, by default any, is mixed with another; None if it is identified.

    >>> found = certificate(Problem(11, range(9)))
    >>> found.first, found.second
    (1, 2)
    """
    for part in signature.parts(problem):
        start = part.mixed_class() if residue is None else residue
        if start is None:
            continue
        partner = next(
            (other for other in part.visibility(start).alike if other != start % part.modulus), None
        )
        if partner is not None:
            first = smallest_number(problem, start)
            return Certificate(problem, first, _look_alike(problem, part, first, partner))
    return None


def smallest_number(problem: Problem, residue: int) -> int:
    """The smallest n of this class whose whole window is positive."""
    least = max(1, 1 - problem.offsets[0])
    return least + (residue - least) % problem.modulus


def _look_alike(problem: Problem, part: SignaturePartition, first: int, partner: int) -> int:
    """A number in the class `partner` modulo p^a whose window is that of `first` at the other primes.

    Two numbers that agree modulo r^(k+1) have the same exponents of r in rows where `first` has at most k.
    """
    known = prod(
        factor.prime ** max(factor.exponent, 1 + _largest_exponent(problem, factor.prime, first))
        for factor in problem.factors
        if factor != part.factor
    )
    steps = (partner - first) * pow(known, -1, part.modulus) % part.modulus
    return first + int(known * steps)


def _largest_exponent(problem: Problem, prime: int, number: int) -> int:
    return max(valuation(number + offset, prime) for offset in problem.offsets)
