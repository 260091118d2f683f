from __future__ import annotations

import numpy as np
import pytest

from pconv.certification.columns import PrimeColumn
from pconv.certification.witness import smallest_integer
from pconv.data.grid import prime_grid


@pytest.mark.parametrize("offsets", [(0, 1), (0, 1, 2, 3), (-2, 0, 5)])
def test_no_smaller_integer_shows_the_columns(offsets: tuple[int, ...]) -> None:
    """For every grid of three columns among the first integers: the first that shows it is found."""
    least = max(1, 1 - offsets[0])
    numbers = np.arange(least, 400)
    columns = [PrimeColumn(p, offsets) for p in (2, 3, 5)]
    first: dict[bytes, int] = {}
    grids = prime_grid(numbers, offsets, 3).dense()
    for number, grid in zip(numbers.tolist(), grids, strict=True):
        first.setdefault(grid.tobytes(), number)
    for number, grid in zip(numbers.tolist(), grids, strict=True):
        if first[grid.tobytes()] == number:
            values = [column.representative(grid[:, i]) for i, column in enumerate(columns)]
            assert smallest_integer((2, 3, 5), values, least) == number


def test_large_exponents_are_exact() -> None:
    column = PrimeColumn(2, (0, 1))
    values = [level.values[0] for i in (70,) if (level := column.level(i)) is not None]
    assert smallest_integer((2,), values, 1) == 2**71  # level 0 is that of exponent 1: one of n, n+1 is even
