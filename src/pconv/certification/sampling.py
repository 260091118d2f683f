"""Grids drawn from their exact law over all integers.

A column of p depends on n as a p-adic integer, whose digits are independent and uniform; different primes are
independent. So a grid is drawn by drawing digits, as many as its column needs. Draws are stratified by the
class of n modulo m: every class has the same number of draws.

The draws are a function of the seed (docs/certify.md describes it): the checker repeats them with other code.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.certification.columns import PrimeColumn
from pconv.certification.enumeration import Progress
from pconv.certification.groups import GroupTable
from pconv.certification.intervals import bounded_mean, smallest_sample
from pconv.certification.partial import PartialFile
from pconv.certification.rounding import RoundedNetwork
from pconv.certification.tally import Tally, exceptions
from pconv.data.factorization import prime_powers
from pconv.data.representations import ColumnContent
from pconv.theory.signature import valuation

PILOT, MAIN = 0, 1
PILOT_SIZE = 2**13
MOST_SAMPLES = 2**22
_DIGITS = 2**40  # digits of p are drawn in pieces p^L up to this size
_CELLS = 2**23


def batch_size(rows: int, columns: int) -> int:
    """Grids that are drawn at a time.

    >>> batch_size(9, 32), batch_size(9, 5000)
    (2048, 186)
    """
    return max(1, min(2**11, _CELLS // (rows * columns)))


class Sampler:
    """Draws grids.

    Parameters
    ----------
    columns
        The columns of the grid.
    modulus
        The modulus m, whose classes are the strata.
    seed
        The seed of the draws.
    stream
        `PILOT` or `MAIN`: two independent sequences.
    """

    def __init__(self, columns: Sequence[PrimeColumn], modulus: int, seed: int, stream: int) -> None:
        self._columns = columns
        self._powers = {factor.prime: factor.power for factor in prime_powers(modulus)}
        self._modulus = modulus
        self._key = (seed, stream)
        self._offsets = np.array(columns[0].offsets, dtype=np.int64)
        self.batch = batch_size(len(self._offsets), len(columns))

    def draw(self, batch: int, count: int) -> tuple[NDArray[np.float32], IntArray]:
        """The grids and the classes modulo m of the first `count` draws of a batch."""
        generator = np.random.Generator(np.random.PCG64([*self._key, batch]))
        classes = (np.arange(count, dtype=np.int64) + batch * self.batch) % self._modulus
        grids = np.empty((count, len(self._offsets), len(self._columns)), dtype=np.float32)
        for place, column in enumerate(self._columns):
            piece = digit_piece(column.prime)
            digits = generator.integers(0, piece, size=self.batch, dtype=np.int64)[:count]
            power = self._powers.get(column.prime, 1)
            numbers = classes % power + power * digits  # a residue modulo power * piece
            grids[:, :, place] = self._entries(column, numbers, power * piece, (batch, place))
        return grids, classes

    def _entries(
        self, column: PrimeColumn, numbers: IntArray, modulus: int, key: tuple[int, int]
    ) -> NDArray[np.float32]:
        rows = numbers[:, None] + self._offsets  # (draws, rows)
        if column.shows is ColumnContent.RESIDUES:
            return (rows % column.prime / column.prime).astype(np.float32)
        entries = np.zeros(rows.shape, dtype=np.float32)
        power = 1
        divided = rows % column.prime == 0
        while divided.any() and power * column.prime < modulus:
            entries += divided
            power *= column.prime
            divided[divided] = rows[divided] % (power * column.prime) == 0
        for draw in np.flatnonzero(divided.any(axis=1)):  # a multiple of the modulus: more digits decide
            entries[draw] = self._deep(column, int(numbers[draw]), modulus, (*key, int(draw)))
        return entries if column.cap is None else np.minimum(entries, column.cap)

    def _deep(self, column: PrimeColumn, number: int, modulus: int, key: tuple[int, int, int]) -> list[int]:
        generator = np.random.Generator(np.random.PCG64([*self._key, *key]))
        rows = [number + int(offset) for offset in self._offsets]
        while any(row % modulus == 0 for row in rows):
            piece = digit_piece(column.prime)
            more = modulus * int(generator.integers(0, piece, dtype=np.int64))
            rows, modulus = [row + more for row in rows], modulus * piece
        return [valuation(row, column.prime) for row in rows]


def digit_piece(prime: int) -> int:
    """The largest power of p up to 2^40: that many digits are drawn at once.

    >>> digit_piece(3) == 3**25
    True
    """
    power = prime
    while power * prime <= _DIGITS:
        power *= prime
    return power


class Sample:
    """The network's answers to draws.

    Parameters
    ----------
    table
        The groups and their labels.
    columns
        The columns of the grid.
    network
        The network.
    seed
        The seed of the draws.
    """

    def __init__(
        self, table: GroupTable, columns: Sequence[PrimeColumn], network: RoundedNetwork, seed: int
    ) -> None:
        self.table = table
        self._columns = columns
        self._network = network
        self._seed = seed

    def size_for(
        self, width: float, confidence: float, partial: PartialFile, on_progress: Progress | None = None
    ) -> int:
        """How many draws will probably give an interval of this width, judged by a pilot sample.

        Parameters
        ----------
        width
            The width of the interval.
        confidence
            Its confidence.
        partial
            Where the state of the pilot is kept, and read from; if it was finished, the size.
        on_progress
            Called with the draws so far and their number.
        """
        if (known := partial.total("main")) is not None:
            return known
        size = whole_strata(PILOT_SIZE, self.table.modulus)
        tally = self.count(size, PILOT, partial, on_progress)
        most = max(self.table.shortfalls, default=Fraction(1))
        lost = float((tally.shortfall + tally.doubt) / most)
        _, likely = bounded_mean(lost, lost, size, 0.9, binary=False)  # rather too large than too small
        wanted = smallest_sample(likely, width / float(most), confidence, binary=self.binary)
        return whole_strata(min(wanted, MOST_SAMPLES), self.table.modulus)

    @property
    def binary(self) -> bool:
        """Whether an answer is either the best or a fixed amount below it."""
        return len(self.table.shortfalls) <= 1

    def count(
        self, size: int, stream: int, partial: PartialFile, on_progress: Progress | None = None
    ) -> Tally:
        """Draw grids and count the exceptions.

        Parameters
        ----------
        size
            The number of draws.
        stream
            `PILOT` or `MAIN`.
        partial
            Where the state is kept, and read from.
        on_progress
            Called with the draws so far and their number.
        """
        sampler = Sampler(self._columns, self.table.modulus, self._seed, stream)
        state = partial.begin("pilot" if stream == PILOT else "main", size)
        try:
            while state.done < size:
                done = state.done
                grids, classes = sampler.draw(done // sampler.batch, min(sampler.batch, size - done))
                groups = self.table.group_of[classes]
                answers = self._network.answer(grids, self.table.counts[groups])
                found = exceptions(self.table, groups, answers)
                ones: NDArray[Any] = np.ones(len(found.places), dtype=object)
                orders = [(0, done + int(place)) for place in found.places]
                state = state._replace(
                    done=done + len(classes), tally=state.tally.plus(self.table, found, ones, orders)
                )
                partial.write(state)
                if on_progress:
                    on_progress(state.done, size)
        except BaseException:
            partial.write(state, now=True)  # Ctrl-C: the same command continues from here
            raise
        return state.tally

    def grids(self, draws: Sequence[int]) -> list[NDArray[np.float32]]:
        """The grids of some draws of the main sequence, by increasing number."""
        sampler = Sampler(self._columns, self.table.modulus, self._seed, MAIN)
        found = []
        for batch, some in groupby(draws, key=lambda draw: draw // sampler.batch):
            grids, _ = sampler.draw(batch, sampler.batch)
            found += [grids[draw % sampler.batch] for draw in some]
        return found


def whole_strata(size: int, modulus: int) -> int:
    """The size rounded up to a multiple of m.

    >>> whole_strata(100, 7)
    105
    """
    return -(-size // modulus) * modulus
