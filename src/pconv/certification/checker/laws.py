"""The columns of a prime, the classes that show them, and draws, from first principles.

Columns are found digit by digit: n = d + p n' makes a multiple of p of the rows with p | d+o, and these are
rows (d+o)/p of n'.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_DIGITS = 2**40  # the largest power of a prime that is drawn at once


class Shown(NamedTuple):
    """A column, the least residue of the integers that show it, and their share of all integers."""

    residue: int
    entries: tuple[float, ...]
    share: Fraction


class Rules(NamedTuple):
    """What the columns show: exponents up to a cap (None: all), or residues modulo their primes."""

    offsets: tuple[int, ...]
    cap: int | None
    residues: bool

    def columns(self, prime: int, exponent: int) -> list[Shown]:
        """The columns whose highest entry is `exponent`, by residue; of residues, all have the exponent 0.

        >>> [shown.entries for shown in Rules((0, 1), None, False).columns(3, 1)]
        [(1.0, 0.0), (0.0, 1.0)]
        """
        if self.residues:
            if exponent:
                return []
            rows = [[(n + offset) % prime / prime for offset in self.offsets] for n in range(prime)]
            return [Shown(n, tuple(row), Fraction(1, prime)) for n, row in enumerate(rows)]
        if self.cap is not None and exponent > self.cap:
            return []
        return sorted(self._deeper(prime, exponent, dict(enumerate(self.offsets)), 0, 0, {}))

    def _deeper(
        self, prime: int, exponent: int, alive: dict[int, int], depth: int, known: int, ended: dict[int, int]
    ) -> Iterator[Shown]:
        digits = {-offset % prime for offset in alive.values()}
        if depth == exponent:
            last = self.cap == exponent
            free = Fraction(1) if last else Fraction(prime - len(digits), prime)
            entries = {**ended, **dict.fromkeys(alive, depth)}
            if free:
                column = tuple(float(entries[row]) for row in range(len(self.offsets)))
                yield Shown(known, column, free / prime**depth)
            return
        for digit in digits:
            hit = {row: (o + digit) // prime for row, o in alive.items() if (o + digit) % prime == 0}
            missed = {row: depth for row in alive if row not in hit}
            yield from self._deeper(
                prime, exponent, hit, depth + 1, known + digit * prime**depth, {**ended, **missed}
            )

    def column_of(self, number: int, prime: int) -> tuple[float, ...]:
        """The column of one integer, by trial division."""
        rows = [number + offset for offset in self.offsets]
        if self.residues:
            return tuple(row % prime / prime for row in rows)
        return tuple(float(_exponent(row, prime, self.cap)) for row in rows)

    def classes(self, prime: int, power: int, entries: Sequence[float]) -> NDArray[np.bool_]:
        """Which classes modulo p^a integers with a column can have, by trying each class.

        Parameters
        ----------
        prime
            The prime p.
        power
            The power p^a.
        entries
            The column.
        """
        most = _exponent(power, prime, self.cap)
        if self.residues:
            found = [
                all(
                    ((c + o) % prime) / prime == entry for o, entry in zip(self.offsets, entries, strict=True)
                )
                for c in range(power)
            ]
        else:
            found = [
                all(
                    _exponent(c + o, prime, most) == min(entry, most)
                    for o, entry in zip(self.offsets, entries, strict=True)
                )
                for c in range(power)
            ]
        return np.array(found)


def _exponent(number: int, prime: int, cap: int | None) -> int:
    exponent = 0
    while exponent != cap and number % prime == 0:
        number //= prime
        exponent += 1
    return exponent


def first_primes(count: int) -> list[int]:
    """The first primes, by trial division.

    >>> first_primes(5)
    [2, 3, 5, 7, 11]
    """
    found: list[int] = []
    number = 2
    while len(found) < count:
        for p in found:
            if p * p > number:
                found.append(number)
                break
            if number % p == 0:
                break
        else:
            found.append(number)
        number += 1
    return found


def draws(
    rules: Rules, primes: Sequence[int], modulus: int, seed: int, batch: int, size: int
) -> NDArray[np.float64]:
    """The grids of a batch of the main sample, (size, rows, columns), as docs/certify.md describes.

    Parameters
    ----------
    rules
        What the columns show.
    primes
        The columns.
    modulus
        The modulus m.
    seed
        The seed of the sample.
    batch
        The number of the batch.
    size
        Draws in a batch.
    """
    generator = np.random.Generator(np.random.PCG64([seed, 1, batch]))
    grids = np.zeros((size, len(rules.offsets), len(primes)))
    classes = (batch * size + np.arange(size)) % modulus
    for place, p in enumerate(primes):
        piece = p
        while piece * p <= _DIGITS:
            piece *= p
        own = 1
        while modulus % (own * p) == 0:
            own *= p
        n = classes % own + own * generator.integers(0, piece, size=size, dtype=np.int64)
        for row, offset in enumerate(rules.offsets):
            if rules.residues:
                grids[:, row, place] = (n + offset) % p / p
                continue
            power = p
            while power <= own * piece:
                grids[:, row, place] += (n + offset) % power == 0
                power *= p
        if not rules.residues:
            ends = np.zeros(size, dtype=bool)
            for offset in rules.offsets:
                ends |= (n + offset) % (own * piece) == 0
            for i in np.flatnonzero(ends):
                key = [seed, 1, batch, place, int(i)]
                grids[i, :, place] = _prolonged(rules, p, int(n[i]), own * piece, piece, key)
            if rules.cap is not None:
                grids[:, :, place] = np.minimum(grids[:, :, place], rules.cap)
    return grids


def _prolonged(rules: Rules, p: int, number: int, modulus: int, piece: int, key: list[int]) -> list[int]:
    generator = np.random.Generator(np.random.PCG64(key))
    while any((number + offset) % modulus == 0 for offset in rules.offsets):
        number += modulus * int(generator.integers(0, piece, dtype=np.int64))
        modulus *= piece
    return [_exponent(number + offset, p, None) for offset in rules.offsets]
