from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.certification.columns import PrimeColumn
from pconv.data.representations import ColumnContent

PRIMES = st.sampled_from([2, 3, 5, 7, 11])
OFFSETS = st.sets(st.integers(-12, 30), min_size=1, max_size=6).map(lambda found: tuple(sorted(found)))


def exponent(number: int, prime: int, most: int) -> int:
    return next((e for e in range(most) if number % prime ** (e + 1)), most)


@settings(max_examples=60, deadline=None)
@given(PRIMES, OFFSETS, st.integers(0, 3))
def test_shares_are_the_frequencies_over_a_full_period(
    prime: int, offsets: tuple[int, ...], level: int
) -> None:
    """Columns up to a level, and all that is above it, by counting the classes modulo p^(level + 1)."""
    period = prime ** (level + 1)
    if period > 3000:
        level, period = 2, prime**3
    shown = Counter(tuple(exponent(n + o, prime, level + 1) for o in offsets) for n in range(period))
    column, found = PrimeColumn(prime, offsets), Counter[tuple[int, ...]]()
    index = 0
    while (one := column.level(index)) is not None and one.exponent <= level:
        for entries, share in zip(one.entries.astype(int).tolist(), one.shares, strict=True):
            found[tuple(entries)] += int(share * period)
            assert share * period == found[tuple(entries)]  # no column occurs twice
        index += 1
    above = {entries: count for entries, count in shown.items() if max(entries) > level}
    assert found == Counter({entries: n for entries, n in shown.items() if entries not in above})
    assert sum(found.values()) + len({-o % period for o in offsets}) == period


@settings(max_examples=40, deadline=None)
@given(PRIMES, OFFSETS, st.integers(1, 2))
def test_capped_columns_are_finitely_many_and_their_shares_add_up(
    prime: int, offsets: tuple[int, ...], cap: int
) -> None:
    column, period = PrimeColumn(prime, offsets, cap=cap), prime**cap
    shown = Counter(tuple(exponent(n + o, prime, cap) for o in offsets) for n in range(period))
    levels = [level for i in range(cap + 2) if (level := column.level(i)) is not None]
    found = {
        tuple(entries): share * period
        for level in levels
        for entries, share in zip(level.entries.astype(int).tolist(), level.shares, strict=True)
    }
    assert found == shown
    assert sum((level.share for level in levels), Fraction(0)) == 1


def test_residues_have_one_level() -> None:
    column = PrimeColumn(5, (0, 3), ColumnContent.RESIDUES)
    level = column.level(0)
    assert level is not None
    assert column.level(1) is None
    assert (
        level.entries.tolist() == np.array([[n / 5, (n + 3) % 5 / 5] for n in range(5)], np.float32).tolist()
    )
    assert level.share == 1


@settings(max_examples=40, deadline=None)
@given(PRIMES, OFFSETS, st.integers(0, 4))
def test_a_member_shows_its_value(prime: int, offsets: tuple[int, ...], index: int) -> None:
    column = PrimeColumn(prime, offsets)
    level = column.level(index)
    assert level is not None
    for value, entries in zip(level.values, level.entries, strict=True):
        number = value.member(prime) + 40 * prime**40  # rows are positive
        assert [exponent(number + o, prime, 30) for o in offsets] == entries.tolist()
        assert column.representative(entries) == value
