"""Sizes of compiled networks."""

from __future__ import annotations

import pytest

from pconv.compiler.layout import columns_for, convolution_circuit, grid_circuit
from pconv.data.factorization import prime_powers
from pconv.theory.problem import Problem


def test_every_window_of_90_rows_fits() -> None:
    """A prime power has at most (a + 1) units a row, and 11 * 90 units are fewer than 1,000."""
    assert max(sum(a + 1 for _, a in prime_powers(m)) for m in range(2, 1025)) == 11
    spread = [o * 720 for o in range(90)]  # rows of all powers of 2, 3 and 5
    for modulus, offsets in ((1024, range(90)), (720, range(90)), (1024, spread)):
        assert len(grid_circuit(Problem(modulus, offsets)).units) <= 90 * 11


@pytest.mark.parametrize("modulus", [7, 30, 143, 1018])
@pytest.mark.parametrize("rows", [2, 5, 8, 30])
def test_the_kernel_is_within_the_bound_of_the_theorem(modulus: int, rows: int) -> None:
    columns = columns_for(modulus, least=2)
    _, kernel = convolution_circuit(Problem(modulus, range(rows), columns), columns)
    assert kernel <= max(rows, columns) + 3
