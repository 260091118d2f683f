"""Prime grids against sympy's factorisation, number by number."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv._arrays import IntArray
from pconv.data import grid as grids
from pconv.data.grid import PrimeGrid, prime_grid
from pconv.data.primes import first_primes
from pconv.errors import InputError

MAX = 2**63 - 1
checked = settings(derandomize=True, deadline=None, max_examples=150)


def entries(grid: PrimeGrid, row: int) -> dict[int, int]:
    """Prime -> exponent of one row of the sparse matrix."""
    primes = first_primes(grid.columns)
    part = slice(grid.indptr[row], grid.indptr[row + 1])
    assert (np.diff(grid.indices[part]) > 0).all(), "columns ascend within a row"
    return {int(primes[c]): int(e) for c, e in zip(grid.indices[part], grid.values[part], strict=True)}


def exponents(number: int, columns: int) -> dict[int, int]:
    """The plain reference: trial division by each prime."""
    found: dict[int, int] = {}
    for p in first_primes(columns).tolist():
        while number % p == 0:
            number //= p
            found[p] = found.get(p, 0) + 1
    return found


@pytest.mark.parametrize("columns", [1, 2, 31, 200])
@pytest.mark.parametrize("start", [1, 2**20 - 100, 2**53 - 100, 10**18, MAX - 400])
def test_every_number_of_a_stretch(start: int, columns: int) -> None:
    """Both ways of factoring, across the places where one hands over to the other."""
    numbers = range(start, start + 200)
    offsets = (0, 1, 5, 170)
    grid = prime_grid(numbers, offsets, columns)
    for w, n in enumerate(numbers):
        for i, o in enumerate(offsets):
            assert entries(grid, 4 * w + i) == exponents(n + o, columns)


@checked
@given(n=st.integers(1, 10**18), columns=st.integers(1, 5_000))
def test_random_numbers_against_factorint(n: int, columns: int) -> None:
    last = int(first_primes(columns)[-1])
    expected = {p: e for p, e in sympy.factorint(n, limit=last + 1).items() if p <= last}
    assert entries(prime_grid([n], [0], columns), 0) == expected


@checked
@given(
    numbers=st.lists(st.integers(10**6, 10**7), min_size=1, max_size=4),
    offsets=st.sets(st.integers(-(10**6) + 1, 10**6), min_size=1, max_size=6),
)
def test_any_offsets(numbers: list[int], offsets: set[int]) -> None:
    grid = prime_grid(numbers, sorted(offsets), 40)
    row = 0
    for n in numbers:
        for o in sorted(offsets):
            assert entries(grid, row) == exponents(n + o, 40)
            row += 1


def test_edge_numbers() -> None:
    p = int(first_primes(100)[-1])
    beyond = int(first_primes(101)[-1])
    numbers = [1, 2**62, 3**39, p, beyond, beyond * 2, p * beyond, p**2]
    grid = prime_grid(numbers, [0], 100)
    expected = [{}, {2: 62}, {3: 39}, {p: 1}, {}, {2: 1}, {p: 1}, {p: 2}]
    assert [entries(grid, row) for row in range(len(numbers))] == expected


def test_the_papers_worked_examples() -> None:
    grid = prime_grid([20, 126], [0], 5_000).dense()[:, 0]
    assert grid.shape == (2, 5_000)
    assert grid[0, :5].tolist() == [2, 0, 1, 0, 0]
    assert grid[1, :5].tolist() == [1, 2, 0, 1, 0]
    assert grid[:, 5:].sum() == 0


def test_the_most_prime_factors_a_number_can_have() -> None:
    most = int(np.prod(first_primes(15), dtype=np.int64))
    assert len(entries(prime_grid([most], [0], 15), 0)) == 15


def test_dense_and_parts_agree() -> None:
    grid = prime_grid(range(1, 50), range(9), 16)
    assert grid.count == 49
    assert (grid.part(10, 20).dense() == grid.dense()[10:20]).all()
    assert grid.part(7, 7).count == 0


def test_no_numbers_give_an_empty_grid() -> None:
    assert prime_grid([], range(3), 8).dense().shape == (0, 3, 8)


@pytest.mark.parametrize(
    ("numbers", "offsets"),
    [([0], [0]), ([5], [-5]), ([MAX], [0, 1]), ([MAX + 1], [0]), ([-3], [0]), ([10**30], [0])],
)
def test_numbers_outside_the_range(numbers: list[int], offsets: list[int]) -> None:
    with pytest.raises(InputError, match="number"):
        prime_grid(numbers, offsets, 4)


def test_the_last_number_is_allowed() -> None:
    assert entries(prime_grid([MAX - 8], range(9), 10), 8) == exponents(MAX, 10)


@pytest.mark.parametrize("start", [1, 2**40])
def test_grids_are_filled_in_pieces(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, offsets = range(start, start + 50), (0, 1, 4)
    whole = prime_grid(numbers, offsets, 20)
    fill = "_fill_by_table" if start == 1 else "_fill_by_residues"
    in_one_call = getattr(grids, fill)
    filled: list[int] = []

    def counted(part: IntArray, *arguments: object) -> None:
        filled.append(len(part))
        in_one_call(part, *arguments)

    monkeypatch.setattr(grids, fill, counted)
    monkeypatch.setattr(grids, "_AT_ONCE", 7)
    pieces = prime_grid(numbers, offsets, 20)
    assert filled == [7] * 7 + [1]
    for name in ("indptr", "indices", "values"):
        assert np.array_equal(getattr(pieces, name), getattr(whole, name))
