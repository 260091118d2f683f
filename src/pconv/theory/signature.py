"""The signature theory: which classes modulo a prime power a window cannot distinguish.

Let v(x) be the exponent of p in x, cut at `levels`. Class c has the signature (v(c+o)) over the offsets o,
and two classes look alike iff their signatures agree. Everything here follows the digits of c to the base p:

    n modulo p determines which rows are multiples of p. If none is, the signature is all zero.
    Otherwise write n = r + p*n'. The rows o with p | r+o become n+o = p * (n' + (o+r)/p): the same problem
    again, one level lower, with the offsets (o+r)/p.

Only residues that hit some row are followed, so nothing depends on the size of p.

Where columns show residues modulo p in place of exponents, any row shows n modulo p, and none shows more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice

import numpy as np

from pconv._arrays import IntArray
from pconv.data.factorization import PrimePower
from pconv.data.representations import ColumnContent
from pconv.theory.laws import consecutive_sizes, splitting_law, splitting_sizes, totient_law
from pconv.theory.problem import Problem

Offsets = tuple[int, ...]

SHOWN = 6
"""The most classes of a group that are listed in a `Visibility`."""


def valuation(number: int, prime: int, cap: int | None = None) -> int:
    """The exponent of a prime in a number.

    Parameters
    ----------
    number
        The number; 0 needs a cap, which is then its exponent.
    prime
        The prime.
    cap
        The largest exponent returned; None: no limit.

    Examples
    --------
    >>> valuation(24, 2), valuation(24, 2, 1), valuation(0, 2, 5)
    (3, 1, 5)
    """
    exponent = 0
    while exponent != cap and number % prime == 0:
        number //= prime
        exponent += 1
    return exponent


@dataclass(frozen=True)
class Visibility:
    """What a window shows of one class modulo a prime power.

    n modulo p^depth is known, through `rows`: those that are multiples of p^depth. `size` classes modulo p^a
    share the signature; `alike` are the first few of them.
    """

    depth: int
    rows: Offsets
    size: int
    alike: tuple[int, ...]


@dataclass(frozen=True)
class SignaturePartition:
    """The classes modulo p^a, grouped by signature.

    >>> SignaturePartition(PrimePower(11, 1), tuple(range(9)), 1).count
    10
    """

    factor: PrimePower
    offsets: Offsets
    levels: int

    @property
    def modulus(self) -> int:
        return self.factor.power

    @property
    def solved(self) -> bool:
        return self.count == self.modulus

    @cached_property
    def count(self) -> int:
        """The number of groups; consecutive rows have a closed form."""
        if self._consecutive:
            return totient_law(self.factor.prime, self.levels, len(self.offsets))
        return splitting_law(self.factor.prime, self.levels, self.offsets)

    @property
    def _consecutive(self) -> bool:
        return self.offsets[-1] - self.offsets[0] + 1 == len(self.offsets)

    def labels(self) -> IntArray:
        return _labels(self.factor, self.levels, self.offsets)[0]

    def sizes(self) -> Mapping[int, int]:
        """How many groups have each size: those modulo p^levels, times the classes that lie above each.

        >>> dict(SignaturePartition(PrimePower(11, 1), tuple(range(9)), 1).sizes())
        {2: 1, 1: 9}
        """
        if self._consecutive:
            seen = consecutive_sizes(self.factor.prime, self.levels, len(self.offsets))
        else:
            seen = splitting_sizes(self.factor.prime, self.levels, self.offsets)
        above = self.modulus // self.factor.prime**self.levels
        return {size * above: groups for size, groups in seen.items()}

    def signature(self, number: int) -> tuple[int, ...]:
        """What the window of a number shows at p, cut at what matters modulo p^a.

        >>> SignaturePartition(PrimePower(2, 4), (0, 1, 2), 4).signature(14)
        (1, 0, 4)
        """
        return tuple(valuation(number + offset, self.factor.prime, self.levels) for offset in self.offsets)

    def visibility(self, number: int) -> Visibility:
        """What the window shows of the class of n, found without listing the groups.

        >>> SignaturePartition(PrimePower(2, 4), (0, 1, 2), 4).visibility(3)
        Visibility(depth=2, rows=(1,), size=2, alike=(3, 11))
        """
        p, a = self.factor
        offsets, digits, known = self.offsets, number % self.modulus, 0
        for depth in range(self.levels):
            hit = _rows_hit(p, offsets)
            digit = digits % p
            if digit not in hit:
                size = (p - len(hit)) * p ** (a - depth - 1)
                return _visibility(p, depth, offsets, known, size, (d for d in count() if d % p not in hit))
            known += p**depth * digit
            offsets, digits = hit[digit], digits // p
        return _visibility(p, self.levels, offsets, known, p ** (a - self.levels), count())

    def mixed_class(self) -> int | None:
        """A class of a group of several, found without listing the groups; None if all are identified.

        >>> SignaturePartition(PrimePower(11, 1), tuple(range(9)), 1).mixed_class()
        1
        """
        return _mixed(self.factor, self.levels, self.offsets)


class ResiduePartition(SignaturePartition):
    """The classes modulo p^a, grouped by their residue modulo p^levels.

    Columns of residues have one level; binary digits have their number at p = 2, and none elsewhere.

    >>> ResiduePartition(PrimePower(3, 2), (0, 1), 1).labels().tolist()
    [0, 1, 2, 0, 1, 2, 0, 1, 2]
    """

    @property
    def _known(self) -> int:
        """The power of p modulo which n is shown."""
        return int(self.factor.prime**self.levels)

    @cached_property
    def count(self) -> int:
        return self._known

    def labels(self) -> IntArray:
        return np.arange(self.modulus) % self._known

    def sizes(self) -> Mapping[int, int]:
        return {self.modulus // self._known: self._known}

    def signature(self, number: int) -> tuple[int, ...]:
        return tuple((number + offset) % self._known for offset in self.offsets)

    def visibility(self, number: int) -> Visibility:
        size = self.modulus // self._known
        return _visibility(self.factor.prime, self.levels, (), number % self._known, size, count())

    def mixed_class(self) -> int | None:
        return None if self.solved else 0


def parts(problem: Problem) -> tuple[SignaturePartition, ...]:
    """The partitions modulo the prime powers of m, which combine by the Chinese remainder theorem."""
    kind = SignaturePartition if problem.shows is ColumnContent.VALUATIONS else ResiduePartition
    return tuple(kind(factor, problem.offsets, problem.levels(factor)) for factor in problem.factors)


def _labels(factor: PrimePower, levels: int, offsets: Offsets) -> tuple[IntArray, int]:
    """The group of each class modulo p^a, and the number of groups."""
    labels = np.zeros(factor.power, dtype=np.int64)
    if levels == 0:
        return labels, 1
    p = factor.prime
    hit = _rows_hit(p, offsets)
    used = 1 if len(hit) < p else 0  # the classes that hit nothing share label 0
    for digit, below in hit.items():
        inner, labelled = _labels(PrimePower(p, factor.exponent - 1), levels - 1, below)
        labels[digit::p] = inner + used
        used += labelled
    return labels, used


def _rows_hit(prime: int, offsets: Offsets) -> dict[int, Offsets]:
    """For each residue of n that makes some row a multiple of p: the offsets of such rows, a level down."""
    hit: dict[int, list[int]] = {}
    for offset in offsets:
        digit = -offset % prime
        hit.setdefault(digit, []).append((offset + digit) // prime)
    return {digit: tuple(below) for digit, below in hit.items()}


def _visibility(
    p: int, depth: int, offsets: Offsets, known: int, size: int, higher: Iterator[int]
) -> Visibility:
    """Translates offsets and digits found `depth` levels down into those of the window and of n."""
    rows = tuple(offset * p**depth - known for offset in offsets)
    alike = tuple(known + p**depth * digits for digits in islice(higher, min(size, SHOWN)))
    return Visibility(depth, rows, size, alike)


def _mixed(factor: PrimePower, levels: int, offsets: Offsets) -> int | None:
    p, a = factor
    if levels == 0:
        return 0 if a else None
    hit = _rows_hit(p, offsets)
    if (p - len(hit)) * p ** (a - 1) > 1:
        return next(digit for digit in count() if digit not in hit)
    for digit, below in sorted(hit.items()):
        inner = _mixed(PrimePower(p, a - 1), levels - 1, below)
        if inner is not None:
            return digit + p * inner
    return None
