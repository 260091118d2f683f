"""Which grids are enumerated: blocks of grids, the largest share of all integers per grid first.

A block holds the grids whose columns have given highest exponents. All its columns being independent, it has
the product of the columns' values and the product of their shares. Per grid the share falls with every
exponent, so a search from the lowest exponents up meets the blocks in the best order for any budget.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import prod
from typing import NamedTuple

from pconv.certification.columns import Level, PrimeColumn
from pconv.certification.groups import GridClasses, GroupTable, block_ceiling

MOST_BLOCKS = 50_000
"""Blocks that are planned at most: with many columns there are more blocks than could be listed."""
_MOST_ESTIMATED = 5_000  # blocks that are looked at to say how many grids a width needs


@dataclass(frozen=True)
class Block:
    """The grids with given highest exponents, one level for each column."""

    levels: tuple[Level, ...]

    @property
    def exponents(self) -> tuple[int, ...]:
        return tuple(level.exponent for level in self.levels)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each column."""
        return tuple(len(level.values) for level in self.levels)

    @property
    def grids(self) -> int:
        return prod(self.sizes)

    @property
    def share(self) -> Fraction:
        """The share of all integers whose grids are in the block."""
        return prod((level.share for level in self.levels), start=Fraction(1))


class PlannedBlock(NamedTuple):
    """A block, and the sums over all blocks up to it: grids, share of all integers, most right answers."""

    block: Block
    grids: int
    covered: Fraction
    ceiling: Fraction


@dataclass(frozen=True)
class EnumerationPlan:
    """The blocks to enumerate.

    Parameters
    ----------
    blocks
        In the order of enumeration.
    covered
        The share of all integers whose grids are in them.
    ceiling
        The most that right answers can contribute on them.
    open
        How much right answers can contribute outside the blocks: the width that is left.
    following
        The step that comes next; None if there is none.
    """

    blocks: tuple[Block, ...]
    covered: Fraction
    ceiling: Fraction
    open: Fraction
    following: PlannedBlock | None = None

    @property
    def grids(self) -> int:
        return sum(block.grids for block in self.blocks)

    @cached_property
    def highest(self) -> tuple[int, ...]:
        """The highest exponent of each column in any block."""
        return tuple(map(max, zip(*(block.exponents for block in self.blocks), strict=True)))


def in_order(columns: Sequence[PrimeColumn]) -> Iterator[Block]:
    """The blocks by decreasing share of all integers per grid; equal ones by their exponents.

    >>> two, three = PrimeColumn(2, (0,)), PrimeColumn(3, (0,))
    >>> [block.exponents for block, _ in zip(in_order([two, three]), range(4))]
    [(0, 0), (1, 0), (0, 1), (2, 0)]
    """

    def entry(place: tuple[int, ...]) -> tuple[float, tuple[int, ...], Block] | None:
        levels = [column.level(index) for column, index in zip(columns, place, strict=True)]
        if any(level is None for level in levels):
            return None
        block = Block(tuple(level for level in levels if level is not None))
        return -prod(level.density for level in block.levels), place, block

    start = (0,) * len(columns)
    first = entry(start)
    queue = [first] if first else []
    seen = {start}
    while queue:
        _, place, block = heapq.heappop(queue)
        yield block
        for i in range(len(place)):
            above = (*place[:i], place[i] + 1, *place[i + 1 :])
            if above not in seen:
                seen.add(above)
                if (found := entry(above)) is not None:
                    heapq.heappush(queue, found)


def make_plan(
    columns: Sequence[PrimeColumn], table: GroupTable, width: float, budget: int
) -> EnumerationPlan:
    """The fewest blocks, in order, that leave at most this width; fewer where the budget does not allow it.

    Parameters
    ----------
    columns
        The columns of the grid.
    table
        The groups and their labels.
    width
        The width to reach.
    budget
        The most grids.

    Examples
    --------
    >>> from pconv.config import RunConfig
    >>> table = GroupTable.of(RunConfig(modulus=2, primes=2))
    >>> plan = make_plan([PrimeColumn(2, (0,)), PrimeColumn(3, (0,))], table, 0.1, 1000)
    >>> plan.grids, float(plan.covered)
    (11, 0.9097222222222222)
    """
    covered = ceiling = Fraction(0)
    blocks: list[Block] = []
    for step in _steps(columns, table):
        reached = blocks and table.ceiling - ceiling <= width
        if reached or step.grids > budget or len(blocks) == MOST_BLOCKS:
            return EnumerationPlan(tuple(blocks), covered, ceiling, table.ceiling - ceiling, step)
        blocks.append(step.block)
        covered, ceiling = step.covered, step.ceiling
    return EnumerationPlan(tuple(blocks), covered, ceiling, table.ceiling - ceiling)


def grids_needed(columns: Sequence[PrimeColumn], table: GroupTable, width: float) -> int | None:
    """How many grids have to be enumerated for a width; None where they would be in too many blocks.

    Parameters
    ----------
    columns, table, width
        As in `make_plan`.
    """
    for step in islice(_steps(columns, table), _MOST_ESTIMATED):
        if table.ceiling - step.ceiling <= width:
            return step.grids
    return None


def _steps(columns: Sequence[PrimeColumn], table: GroupTable) -> Iterator[PlannedBlock]:
    classes = GridClasses(columns, table.modulus)
    cache: dict[tuple[int, ...], Fraction] = {}
    grids, covered, ceiling = 0, Fraction(0), Fraction(0)
    for block in in_order(columns):
        grids += block.grids
        covered += block.share
        ceiling += block_ceiling(table, classes, block.levels, cache)
        yield PlannedBlock(block, grids, covered, ceiling)


def within_reach(columns: Sequence[PrimeColumn], table: GroupTable, width: float, budget: int) -> bool:
    """Whether so many grids could leave at most this width, judged by the first block alone: in no block have
    grids a larger share of all integers.

    Parameters
    ----------
    columns, table, width, budget
        As in `make_plan`.
    """
    first = next(in_order(columns))
    return bool(first.share / first.grids * budget >= table.ceiling - Fraction(width))
