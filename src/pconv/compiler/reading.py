"""How a convolution and a max-pooling pass exponents on exactly: as sums from a corner of the grid.

Exponents are not negative. The sum of a grid's rows from the first to row r therefore grows with r. A
kernel that is 1 up to `shift` and 0 beyond computes such sums at every position close enough to the first
row. Of two positions that are pooled together the larger sum is that of the second, always: pooling selects
a known sum. The difference of two sums is a row. The same holds from the last row, and for columns.

This module finds, for one direction, the fewest kernels that read some lines (rows or columns).
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple


class Edge(StrEnum):
    """The end from which a sum of lines runs."""

    FIRST = "first"
    LAST = "last"


class Mask(NamedTuple):
    """A kernel in one direction: 1 at distances up to `shift` (from the first line) or from it on (last)."""

    edge: Edge
    shift: int

    def at(self, distance: int) -> int:
        """The weight of the line at this distance from the kernel's centre."""
        inside = distance <= self.shift if self.edge is Edge.FIRST else distance >= self.shift
        return int(inside)

    def described(self, position: str) -> str:
        """The lines that are summed at a position, in words."""
        end = f"{position}{self.shift:+d}" if self.shift else position
        return f"up to {end}" if self.edge == Edge.FIRST else f"from {end} on"


class Profile(NamedTuple):
    """A kernel in one direction whose weights do not increase (from the first line) or not decrease (last).

    Weighted sums of exponents with it are monotone, too. Weights are given from the distance `start` on;
    those of other lines are 0.
    """

    edge: Edge
    start: int
    weights: tuple[int, ...]

    def at(self, distance: int) -> int:
        """The weight of the line at this distance from the kernel's centre."""
        index = distance - self.start
        return self.weights[index] if 0 <= index < len(self.weights) else 0

    def described(self, position: str) -> str:
        """The lines that are summed at a position, in words."""
        return f"from {position}{self.start:+d} on, times {', '.join(map(str, self.weights))},"


class Term(NamedTuple):
    """A pooled sum of lines: the kernel, the position after pooling, and its sign in a difference."""

    mask: Mask
    position: int
    sign: int


Terms = dict[int, tuple[Term, ...]]
"""For each line the one or two sums whose difference it is."""


def read_lines(length: int, radius: int, lines: Collection[int]) -> Terms | None:
    """Read lines with as few kernels as possible; None if a line is out of reach.

    Parameters
    ----------
    length
        The number of rows or columns of the grid.
    radius
        How far a kernel reaches from its centre.
    lines
        The lines to read, counted from 0.

    Examples
    --------
    >>> read_lines(9, 1, range(9)) is None  # a kernel of size 3 does not reach the fourth of nine rows
    True
    >>> terms = read_lines(9, 2, range(9))
    >>> [(term.mask.edge.value, term.sign) for term in terms[3]]
    [('first', 1), ('first', -1)]
    """
    wanted = sorted(lines)
    best: Terms | None = None
    for split in range(len(wanted), -1, -1):  # lines below the split from the first, others from the last
        low = _read_from(Edge.FIRST, length, radius, wanted[:split])
        high = _read_from(Edge.LAST, length, radius, wanted[split:])
        if low is not None and high is not None:
            both = {**low, **high}
            if best is None or len(masks_of(both)) < len(masks_of(best)):
                best = both
    return best


def masks_of(terms: Terms) -> list[Mask]:
    """The different kernels that a reading needs, in a fixed order.

    >>> len(masks_of(read_lines(9, 8, range(9)))), len(masks_of(read_lines(9, 2, range(9))))
    (3, 9)
    """
    return sorted({term.mask for line in terms.values() for term in line})


def smallest_radius(length: int, lines: Collection[int]) -> int:
    """The smallest radius of a kernel that reads the lines.

    >>> smallest_radius(9, range(9)), smallest_radius(172, [171]), smallest_radius(32, [3])
    (2, 1, 2)
    """
    radius = 1
    while _out_of_reach(length, radius, lines):
        radius += 1
    return radius


def positions(edge: Edge, length: int, radius: int) -> range:
    """The positions where the sum from an edge is complete and the largest of its pooled pair.

    Parameters
    ----------
    edge
        The edge.
    length
        The number of lines.
    radius
        How far the kernel reaches from its centre.
    """
    if edge is Edge.FIRST:  # the second of a pair, at most `radius` from the first line
        return range(1, min(radius, 2 * (length // 2) - 1) + 1, 2)
    start = max(0, length - 1 - radius)
    return range(start + start % 2, 2 * (length // 2) - 1, 2)


def _out_of_reach(length: int, radius: int, lines: Collection[int]) -> bool:
    first, last = (positions(edge, length, radius) for edge in Edge)
    up_to = first[-1] + radius if first else -1
    from_on = last[0] - radius if last else length
    return any(up_to < line < from_on for line in lines)


def _read_from(edge: Edge, length: int, radius: int, lines: Collection[int]) -> Terms | None:
    """Each line as a difference of two sums from an edge; None if one is out of reach."""
    inwards = 1 if edge is Edge.FIRST else -1
    pairs = {line: (line, line - inwards) for line in lines}
    sums = {end for pair in pairs.values() for end in pair if 0 <= end < length}  # others are empty: 0
    places = _cover(sums, positions(edge, length, radius), radius)
    if places is None:
        return None
    terms: Terms = {}
    for line, (end, inner) in pairs.items():
        found = [(end, 1)] if inner not in sums else [(end, 1), (inner, -1)]
        terms[line] = tuple(Term(Mask(edge, places[e][0]), places[e][1] // 2, sign) for e, sign in found)
    return terms


def _cover(sums: Collection[int], positions: range, radius: int) -> dict[int, tuple[int, int]] | None:
    """For the end of each sum a shift and a position that add up to it, with the fewest shifts.

    A shift covers ends of one parity that follow one another, so that from the smallest end on the largest
    shift that covers it is the best.
    """
    places: dict[int, tuple[int, int]] = {}
    for end in sorted(sums):
        if end in places:
            continue
        shifts = [end - position for position in positions if abs(end - position) <= radius]
        if not shifts:
            return None
        shift = max(shifts)
        places |= {p + shift: (shift, p) for p in positions if p + shift in sums and p + shift not in places}
    return places
