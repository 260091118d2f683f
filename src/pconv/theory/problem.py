"""The problem that theories are about: a modulus, a window, and its columns."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pconv.config import MAX_NUMBER, MAX_PRIMES
from pconv.data.factorization import PrimePower, prime_powers
from pconv.data.primes import first_primes
from pconv.data.representations import ColumnContent
from pconv.errors import InputError
from pconv.window import canonical_offsets, successor_count


@dataclass(frozen=True, init=False)
class Problem:
    """Which classes modulo m can be distinguished by the columns of n+o, for o in `offsets`.

    Parameters
    ----------
    modulus
        The modulus m, at least 2.
    offsets
        The rows of the window: n+o for each offset o.
    primes
        The columns: the first N primes, a set of primes, or all of them (None).
    cap
        The largest exponent that a column shows; None: exponents are shown as they are.
    shows
        What columns show: exponents, residues modulo their primes, or something else.

    Examples
    --------
    >>> Problem(12, range(3)).factors
    (PrimePower(prime=2, exponent=2), PrimePower(prime=3, exponent=1))
    """

    modulus: int
    offsets: tuple[int, ...]
    primes: int | frozenset[int] | None = None
    cap: int | None = None
    shows: ColumnContent = ColumnContent.VALUATIONS

    def __init__(
        self,
        modulus: int,
        offsets: Iterable[int],
        primes: int | Iterable[int] | None = None,
        cap: int | None = None,
        shows: ColumnContent = ColumnContent.VALUATIONS,
    ) -> None:
        settings = {
            "modulus": _whole("modulus", modulus, 2, MAX_NUMBER),
            "offsets": canonical_offsets(offsets),
            "primes": _columns(primes),
            "cap": None if cap is None else _whole("cap", cap, 1, MAX_NUMBER),
            "shows": _shows(shows),
        }
        for name, value in settings.items():
            object.__setattr__(self, name, value)

    @property
    def rows(self) -> int:
        return len(self.offsets)

    @property
    def factors(self) -> tuple[PrimePower, ...]:
        """The prime powers that exactly divide the modulus."""
        return prime_powers(self.modulus)

    @property
    def consecutive(self) -> bool:
        """Whether the rows follow one another without a gap."""
        return self.offsets[-1] - self.offsets[0] + 1 == len(self.offsets)

    @property
    def successors(self) -> int | None:
        """B if the window is n and its B successors, else None."""
        return successor_count(self.offsets)

    def sees(self, prime: int) -> bool:
        """Whether the prime is among the columns."""
        if self.primes is None:
            return True
        if isinstance(self.primes, frozenset):
            return prime in self.primes
        return prime <= int(first_primes(self.primes)[-1])

    def levels(self, factor: PrimePower) -> int:
        """How many powers of the prime, up to p^a, the columns can show."""
        if self.shows is ColumnContent.DIGITS:
            digits = self.primes if isinstance(self.primes, int) else factor.exponent
            return min(factor.exponent, digits) if factor.prime == 2 else 0
        if self.shows is ColumnContent.OTHER or not self.sees(factor.prime):
            return 0
        if self.shows is ColumnContent.RESIDUES:
            return 1
        return factor.exponent if self.cap is None else min(factor.exponent, self.cap)

    @property
    def window(self) -> str:
        """The window in words.

        >>> Problem(7, range(9)).window, Problem(7, [-1, 0, 4]).window
        ('n..n+8', 'n-1, n, n+4')
        """
        if self.consecutive and self.rows > 2:
            return f"{row_name(self.offsets[0])}..{row_name(self.offsets[-1])}"
        if self.rows <= 8:
            return ", ".join(map(row_name, self.offsets))
        return f"the {self.rows} rows {row_name(self.offsets[0])}, ..., {row_name(self.offsets[-1])}"


def row_name(offset: int) -> str:
    """The row of an offset: n, n+3, n-2."""
    return f"n{offset:+d}" if offset else "n"


def _whole(name: str, value: Any, low: int, high: int) -> int:
    allowed = f"must be a whole number from {low} to {high}"
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(name, repr(value), allowed) from None
    if isinstance(value, bool) or not low <= number <= high:
        raise InputError(name, value, allowed)
    return number


def _shows(shows: Any) -> ColumnContent:
    if shows not in list(ColumnContent):
        raise InputError("shows", repr(shows), f"must be one of: {', '.join(ColumnContent)}")
    return ColumnContent(shows)


def _columns(primes: Any) -> int | frozenset[int] | None:
    if primes is None:
        return None
    if not isinstance(primes, Iterable):
        return _whole("primes", primes, 1, MAX_PRIMES)
    columns = frozenset(_whole("primes", p, 2, MAX_NUMBER) for p in primes)
    for number in columns:
        if prime_powers(number) != (PrimePower(number, 1),):
            raise InputError("primes", number, "is not a prime")
    return columns
