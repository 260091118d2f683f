"""The check of a certificate that was made by enumeration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import prod

import numpy as np

from pconv.certification.checker.fields import Rejected, shown
from pconv.certification.checker.laws import Shown
from pconv.certification.checker.recomputation import Grids, Order, Recomputation
from pconv.certification.checker.totals import Found, Totals

Columns = Sequence[Sequence[Shown]]
Ends = tuple[Fraction, Fraction]
_LARGEST_EXPONENT = 2**10  # the bound on rounding is proved for smaller entries


def check_enumerated(again: Recomputation, ceiling: Fraction) -> tuple[Ends, Ends]:
    """The intervals of right answers and of leaks, from all grids of the listed blocks."""
    blocks = _blocks(again)
    highest = [max(levels) for levels in zip(*blocks, strict=True)]
    again.same("levels", {str(p): level for p, level in zip(again.primes, highest, strict=True)})
    columns = [_columns(again, block) for block in blocks]
    sizes = [prod(len(column) for column in block) for block in columns]
    if sum(sizes) != again.document["grids"]:
        counted, stated = (shown(f"{grids:,}") for grids in (sum(sizes), again.document["grids"]))
        differ = f"its blocks have {counted} grids, and {stated} grids are stated"
        raise Rejected(f"{differ}: a level is missing or added")
    covered = sum((_product(map(_share, block)) for block in columns), Fraction(0))
    if covered > 1:  # not of blocks whose grids differ
        raise Rejected("its blocks contain a grid twice: their shares add up to more than 1")
    again.same("covered", str(covered))
    most = sum((_ceiling(again, block) for block in columns), Fraction(0))
    again.same("covered_ceiling", str(most))
    totals = Totals()
    for number, (block, size) in enumerate(zip(columns, sizes, strict=True)):
        for found in _block(again, number, block, size):
            totals.add(found)
    again.same_totals(totals)
    for name in ("wrong", "unsure", "shortfall", "doubt"):
        again.same(name, str(getattr(totals, name)))
    again.examples(totals, lambda order: _grid(columns[order[0]], order))
    right = most - totals.shortfall - totals.doubt, ceiling - totals.shortfall
    return right, (totals.wrong, totals.wrong + totals.unsure + 1 - covered)


def _blocks(again: Recomputation) -> list[tuple[int, ...]]:
    """The highest exponents of the columns of each block, which are well-formed."""
    listed, columns = again.document["blocks"], len(again.primes)
    if not listed:
        raise Rejected("its blocks are none")
    for block in listed:
        if type(block) is not list or len(block) != columns:
            raise Rejected(f"its blocks contain {shown(block)}, which is not an exponent for each column")
        if not all(type(level) is int and 0 <= level < _LARGEST_EXPONENT for level in block):
            raise Rejected(f"its blocks contain {shown(block)}: exponents are whole numbers from 0 to 1,023")
    found = [tuple(block) for block in listed]
    if len(set(found)) < len(found):
        raise Rejected("a block of grids is listed twice")
    return found


def _columns(again: Recomputation, block: Sequence[int]) -> Columns:
    """The columns that a block's grids have, for each prime at least one."""
    found = [again.rules.columns(p, level) for p, level in zip(again.primes, block, strict=True)]
    for p, level, column in zip(again.primes, block, found, strict=True):
        if not column:
            text = f"no column of {p} has the highest exponent {level}"
            raise Rejected(f"its blocks contain {shown(list(block))}, which has no grids: {text}")
    return found


def _block(again: Recomputation, number: int, columns: Columns, size: int) -> Iterator[Found]:
    tables = [np.array([one.entries for one in column]) for column in columns]
    for start in range(0, size, again.piece):
        places = np.arange(start, min(size, start + again.piece))
        orders = [(number, place) for place in places.tolist()]
        chosen = _unravelled(places, columns)
        grids = np.stack([table[place] for table, place in zip(tables, chosen, strict=True)], axis=2)

        def weight(i: int, chosen: Sequence[np.ndarray] = chosen) -> Fraction:
            return _product(
                column[int(place[i])].share for column, place in zip(columns, chosen, strict=True)
            )

        yield from again.exceptions(grids, weight, orders)


def _unravelled(places: np.ndarray, columns: Columns) -> list[np.ndarray]:
    """Which value each column has: that of the last column changes fastest."""
    found = []
    for column in reversed(columns):
        found.append(places % len(column))
        places = places // len(column)
    return found[::-1]


def _grid(columns: Columns, order: Order) -> Grids:
    chosen = _unravelled(np.array([order[1]]), columns)
    return np.array([c[int(i[0])].entries for c, i in zip(columns, chosen, strict=True)]).T


def _ceiling(again: Recomputation, columns: Columns) -> Fraction:
    """The most that right answers contribute on a block: columns of the primes of m that leave the same
    classes are merged."""
    every = np.arange(again.modulus)
    others = Fraction(1)
    groups = {np.ones(again.modulus, dtype=bool).tobytes(): Fraction(1)}
    for p, column in zip(again.primes, columns, strict=True):
        if again.modulus % p:
            others *= _share(column)
            continue
        shares: dict[bytes, Fraction] = {}
        for one in column:
            mask, power = again.grouping.mask(p, one.entries)
            key = mask[every % power].tobytes()
            shares[key] = shares.get(key, Fraction(0)) + one.share
        groups = {
            (np.frombuffer(group, dtype=bool) & np.frombuffer(key, dtype=bool)).tobytes(): share * more
            for group, share in groups.items()
            for key, more in shares.items()
        }
    total = Fraction(0)
    for group, share in groups.items():
        counts = np.bincount(again.labels[np.frombuffer(group, dtype=bool)])
        total += share * Fraction(int(counts.max()), int(counts.sum()))
    return others * total


def _share(column: Sequence[Shown]) -> Fraction:
    return sum((one.share for one in column), Fraction(0))


def _product(shares: Iterable[Fraction]) -> Fraction:
    return prod(shares, start=Fraction(1))
