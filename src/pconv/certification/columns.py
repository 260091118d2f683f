"""The values that the column of one prime takes, each with its exact share of all integers.

Let x be a class modulo p^i that contains -o for some row o, and let k be the number of classes modulo p^(i+1)
above x that do. The n of x in none of these k classes have one column: min(v_p(x+o), i) in row o, whose
highest entry is i. They are the share (p-k) / p^(i+1) of all integers. These are all columns with highest
entry i (docs/certify.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv.data.representations import ColumnContent
from pconv.theory.signature import valuation


class ColumnValue(NamedTuple):
    """The numbers that show one value of a column: n ≡ residue modulo p^power, next digit not in `hit`.

    `hit` is None where the next digit is free.
    """

    residue: int
    power: int
    hit: frozenset[int] | None

    def share(self, prime: int) -> Fraction:
        """The share of all integers that show this value.

        >>> ColumnValue(0, 1, frozenset({0})).share(3)
        Fraction(2, 9)
        """
        if self.hit is None:
            return Fraction(1, prime**self.power)
        return Fraction(prime - len(self.hit), prime ** (self.power + 1))

    def first_digit(self, prime: int) -> int:
        """The smallest next digit that is allowed."""
        return next(digit for digit in range(prime) if self.hit is None or digit not in self.hit)

    def member(self, prime: int) -> int:
        """The smallest n >= 0 that shows this value.

        >>> ColumnValue(0, 1, frozenset({0})).member(3)
        3
        """
        return int(self.residue + self.first_digit(prime) * prime**self.power)


@dataclass(frozen=True)
class Level:
    """The values of a column with one highest exponent.

    Parameters
    ----------
    exponent
        The highest exponent in the column; 0 where the column shows residues.
    values
        By increasing residue.
    entries
        What the column shows, (values, rows).
    shares
        The share of all integers that show each value.
    """

    exponent: int
    values: tuple[ColumnValue, ...]
    entries: NDArray[np.float32]
    shares: tuple[Fraction, ...]

    @cached_property
    def share(self) -> Fraction:
        """The share of all integers with a value of this level."""
        return sum(self.shares, Fraction(0))

    @cached_property
    def density(self) -> float:
        """The share of all integers per value."""
        return float(self.share / len(self.shares))


@dataclass(frozen=True)
class PrimeColumn:
    """The column of a prime: what it shows of each row.

    Parameters
    ----------
    prime
        The prime p.
    offsets
        The rows of the window.
    shows
        Exponents of p, or residues modulo p.
    cap
        The largest exponent that is shown; None: no limit.

    Examples
    --------
    >>> column = PrimeColumn(3, (0, 1))
    >>> [(level.exponent, level.entries.astype(int).tolist()) for level in (column.level(0), column.level(1))]
    [(0, [[0, 0]]), (1, [[1, 0], [0, 1]])]
    >>> column.level(1).shares
    (Fraction(2, 9), Fraction(2, 9))
    """

    prime: int
    offsets: tuple[int, ...]
    shows: ColumnContent = ColumnContent.VALUATIONS
    cap: int | None = None
    _levels: list[Level] = field(default_factory=list, compare=False, repr=False)

    def level(self, index: int) -> Level | None:
        """The level of this index, by increasing exponent; exponents that are never the highest have none.

        None past the last level of a column that has finitely many.
        """
        while len(self._levels) <= index:
            found = self._next_level()
            if found is None:
                return None
            self._levels.append(found)
        return self._levels[index]

    def _next_level(self) -> Level | None:
        if self.shows is ColumnContent.RESIDUES:
            return (
                None if self._levels else self._level(0, [ColumnValue(x, 1, None) for x in range(self.prime)])
            )
        for exponent in count(self._levels[-1].exponent + 1 if self._levels else 0):
            if self.cap is not None and exponent > self.cap:
                return None
            values = self._values(exponent)
            if values:
                return self._level(exponent, values)
        return None

    def _values(self, exponent: int) -> list[ColumnValue]:
        p, power = self.prime, self.prime**exponent
        classes = sorted({-offset % power for offset in self.offsets})
        if exponent == self.cap:
            return [ColumnValue(x, exponent, None) for x in classes]
        digits: dict[int, set[int]] = {x: set() for x in classes}
        for offset in self.offsets:
            above = -offset % (p * power)
            digits[above % power].add(above // power)
        return [ColumnValue(x, exponent, frozenset(hit)) for x, hit in digits.items() if len(hit) < p]

    def _level(self, exponent: int, values: list[ColumnValue]) -> Level:
        entries = np.array([self.entries(value) for value in values], dtype=np.float32)
        return Level(exponent, tuple(values), entries, tuple(value.share(self.prime) for value in values))

    def entries(self, value: ColumnValue) -> tuple[float, ...]:
        """What the rows show."""
        rows = [value.residue + offset for offset in self.offsets]
        if self.shows is ColumnContent.RESIDUES:
            return tuple(row % self.prime / self.prime for row in rows)
        return tuple(valuation(row, self.prime, value.power) for row in rows)

    def representative(self, entries: NDArray[np.float32]) -> ColumnValue:
        """The value that is shown as these entries."""
        exponent = 0 if self.shows is ColumnContent.RESIDUES else int(entries.max())
        for index in count():
            level = self.level(index)
            if level is None or level.exponent > exponent:
                raise ValueError(f"no column of {self.prime} shows {entries.tolist()}")
            if level.exponent == exponent:
                place = np.flatnonzero((level.entries == entries).all(axis=1))
                return level.values[int(place[0])]
        raise AssertionError("levels are counted without end")
