"""The theory's reading of windows, against plain definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.data.grid import prime_grid
from pconv.probes.reader import NO_CLASS, SignatureReader
from pconv.theory.signature import valuation

OFFSETS = st.lists(st.integers(-3, 12), min_size=1, max_size=6, unique=True).map(lambda o: tuple(sorted(o)))


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 90), OFFSETS, st.integers(1, 12), st.integers(0, 2**32))
def test_an_untouched_window_is_read_as_its_class(
    m: int, offsets: tuple[int, ...], n: int, seed: int
) -> None:
    reader = SignatureReader(m, offsets, n)
    numbers = np.random.default_rng(seed).integers(10, 10**9, 50)
    labels = reader.read(prime_grid(numbers, offsets, n).dense())
    assert labels.tolist() == reader.labels[numbers % m].tolist()


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 40), OFFSETS, st.integers(0, 2**32))
def test_any_window_is_matched_with_every_class(m: int, offsets: tuple[int, ...], seed: int) -> None:
    """A slow reference: compare with the signature of each class, one by one."""
    reader = SignatureReader(m, offsets, 12)
    grids = np.random.default_rng(seed).integers(0, 3, (20, len(offsets), 12)).astype(np.float32)
    for grid, label in zip(grids, reader.read(grids), strict=True):
        shown = [
            [min(int(grid[i, c]), f.exponent) for f, c in zip(reader.factors, reader.columns, strict=True)]
            for i in range(len(offsets))
        ]
        alike = [
            c
            for c in range(m)
            if [[valuation(c + o, f.prime, f.exponent) for f in reader.factors] for o in offsets] == shown
        ]
        expected = np.flatnonzero(reader.labels == label).tolist() if label != NO_CLASS else []
        assert alike == expected


def test_primes_that_are_not_among_the_columns_tell_nothing() -> None:
    reader = SignatureReader(11, range(9), 4)
    assert reader.factors == ()
    assert reader.read(np.ones((3, 9, 4), dtype=np.float32)).tolist() == [0, 0, 0]
    assert reader.in_words(0) == "{0, 1, 2, 3, 4, 5, ..}"
