"""The enumeration of all grids of a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.certification.columns import Level, PrimeColumn
from pconv.certification.groups import GridClasses, GroupTable
from pconv.certification.partial import PartialFile
from pconv.certification.plan import Block, EnumerationPlan
from pconv.certification.rounding import RoundedNetwork
from pconv.certification.tally import Tally, exceptions

Progress = Callable[[int, int], None]
_CHUNK_CELLS = 2**16  # of grids evaluated at once: their activations fit into a core's cache
_MOST_CHUNK, _LEAST_CHUNK = 2**11, 2**5


class _Grids(NamedTuple):
    """Some grids of one block, and for each the places of its columns' values."""

    block: int
    start: int
    grids: NDArray[np.float32]
    classes: IntArray
    places: tuple[IntArray, ...]


class Enumeration:
    """All grids of a plan, with weights over one common denominator.

    Parameters
    ----------
    columns
        The columns of the grid.
    table
        The groups and their labels.
    plan
        The blocks.
    """

    def __init__(self, columns: Sequence[PrimeColumn], table: GroupTable, plan: EnumerationPlan) -> None:
        self.plan = plan
        self._columns = columns
        self._table = table
        self._classes = GridClasses(columns, table.modulus)
        self._scales = [
            lcm(*{share.denominator for block in plan.blocks for share in block.levels[place].shares})
            for place in range(len(columns))
        ]
        self._parts: dict[tuple[int, int], IntArray] = {}
        self._weights: dict[tuple[int, int], NDArray[Any]] = {}
        self._ends = list(accumulate(block.grids for block in plan.blocks))

    @property
    def denominator(self) -> int:
        """The weight of all integers together."""
        product = 1
        for scale in self._scales:
            product *= scale
        return product

    def run(
        self, network: RoundedNetwork, partial: PartialFile, on_progress: Progress | None = None
    ) -> Tally:
        """Ask the network about every grid.

        Parameters
        ----------
        network
            The network.
        partial
            Where the state is kept, and read from.
        on_progress
            Called with the grids so far and their number.
        """
        state = partial.begin("main", self.plan.grids)
        try:
            for chunk in self._chunks(state.done):
                groups = self._table.group_of[np.concatenate([part.classes for part in chunk])]
                grids = np.concatenate([part.grids for part in chunk])
                found = network.answer(grids, self._table.counts[groups])
                wanted = exceptions(self._table, groups, found)
                tally = state.tally
                if len(wanted.places):
                    tally = tally.plus(self._table, wanted, *self._located(chunk, wanted.places))
                state = state._replace(done=state.done + len(groups), tally=tally)
                partial.write(state)
                if on_progress:
                    on_progress(state.done, state.total)
        except BaseException:
            partial.write(state, now=True)  # Ctrl-C: the same command continues from here
            raise
        return state.tally

    def _chunks(self, start: int) -> Iterator[list[_Grids]]:
        """All grids from a place on, in chunks that span blocks."""
        cells = len(self._columns) * len(self._columns[0].offsets)
        size = max(_LEAST_CHUNK, min(_MOST_CHUNK, _CHUNK_CELLS // cells))
        chunk: list[_Grids] = []
        room = size
        for number, (block, end) in enumerate(zip(self.plan.blocks, self._ends, strict=True)):
            place = max(0, start - (end - block.grids))
            while place < block.grids:
                stop = min(block.grids, place + room)
                chunk.append(self._grids(number, block, place, stop))
                room -= stop - place
                place = stop
                if room == 0:
                    yield chunk
                    chunk, room = [], size
        if chunk:
            yield chunk

    def _grids(self, number: int, block: Block, start: int, stop: int) -> _Grids:
        """Grids start..stop-1 of a block; the value of the last column changes fastest."""
        places = _unravel(np.arange(start, stop), block.sizes)
        grids = np.empty((stop - start, len(self._columns[0].offsets), len(places)), dtype=np.float32)
        classes = np.zeros(stop - start, dtype=np.int64)
        for column, (level, place) in enumerate(zip(block.levels, places, strict=True)):
            grids[:, :, column] = level.entries[place]
            if column in self._classes.places:
                classes += self._part(column, level)[place]
        return _Grids(number, start, grids, classes % self._table.modulus, places)

    def _part(self, column: int, level: Level) -> IntArray:
        key = (column, level.exponent)
        if key not in self._parts:
            self._parts[key] = self._classes.part(column, level)
        return self._parts[key]

    def _weight(self, column: int, level: Level) -> NDArray[Any]:
        key = (column, level.exponent)
        if key not in self._weights:
            scaled = [int(share * self._scales[column]) for share in level.shares]
            self._weights[key] = np.array(scaled, dtype=object)  # they exceed 64 bits
        return self._weights[key]

    def _located(self, chunk: list[_Grids], wanted: IntArray) -> tuple[NDArray[Any], list[tuple[int, int]]]:
        """The weights of some grids of a chunk, and the block and place of each."""
        weights, orders, first = [], [], 0
        for part in chunk:
            inside = wanted[(wanted >= first) & (wanted < first + len(part.classes))] - first
            levels = self.plan.blocks[part.block].levels
            product: Any = np.ones(len(inside), dtype=object)
            for column, (level, place) in enumerate(zip(levels, part.places, strict=True)):
                product = product * self._weight(column, level)[place[inside]]
            weights.append(product)
            orders += [(part.block, part.start + int(one)) for one in inside]
            first += len(part.classes)
        return np.concatenate(weights), orders

    def values(self, order: tuple[int, int]) -> list[tuple[Level, int]]:
        """The level and the place of each column's value, for the grid of a block and place."""
        block = self.plan.blocks[order[0]]
        places = _unravel(np.array([order[1]]), block.sizes)
        return [(level, int(place[0])) for level, place in zip(block.levels, places, strict=True)]

    def interval(self, tally: Tally) -> tuple[Fraction, Fraction]:
        """The least and the greatest density of right answers."""
        lost, doubt = tally.shortfall / self.denominator, tally.doubt / self.denominator
        return self.plan.ceiling - lost - doubt, self._table.ceiling - lost

    def leaks(self, tally: Tally) -> tuple[Fraction, Fraction]:
        """The least and the greatest density of integers whose answer is right for none with their grid."""
        wrong, unsure = (Fraction(w, self.denominator) for w in (tally.wrong_weight, tally.unsure_weight))
        return wrong, wrong + unsure + 1 - self.plan.covered


def _unravel(places: IntArray, sizes: Sequence[int]) -> tuple[IntArray, ...]:
    """The place of each column's value: np.unravel_index for any number of columns."""
    found: list[IntArray] = []
    for size in reversed(sizes):
        places, place = np.divmod(places, size)
        found.append(place)
    return tuple(reversed(found))
