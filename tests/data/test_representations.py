"""What a network is shown of a window: each representation against its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv._arrays import IntArray
from pconv.config import MAX_NUMBER, RunConfig
from pconv.data.examples import encode
from pconv.data.grid import PrimeGrid, prime_grid
from pconv.data.primes import first_primes
from pconv.data.representations import (
    ColumnContent,
    Representation,
    representation_named,
    representations,
)
from pconv.errors import InputError

fixed = settings(derandomize=True, deadline=None, max_examples=60)
numbers = st.lists(st.integers(40, MAX_NUMBER - 40), min_size=1, max_size=6)
windows = st.sets(st.integers(-30, 40), min_size=1, max_size=6)


def plain(name: str, number: int, columns: int) -> list[float]:
    """By definition."""
    primes = first_primes(columns).tolist()
    if name == "capped":
        return [float(number % p == 0) for p in primes]
    if name.startswith("capped-"):
        return [float(sum(number % p**e == 0 for e in range(1, int(name[7:]) + 1))) for p in primes]
    if name == "binary":
        return [float(d) for d in f"{number:b}"[::-1].ljust(columns, "0")[:columns]]
    return [number % p / p for p in primes]


@fixed
@given(
    numbers,
    windows,
    st.integers(1, 70),
    st.sampled_from(["capped", "capped-2", "capped-3", "binary", "residues"]),
)
def test_grids_are_those_of_the_definition(
    given: list[int], offsets: set[int], columns: int, name: str
) -> None:
    grid = representation_named(name).grid(given, sorted(offsets), columns)
    expected = [[plain(name, n + o, columns) for o in sorted(offsets)] for n in given]
    np.testing.assert_allclose(grid.dense(), expected, rtol=1e-6)


def test_exponents_are_the_prime_grid_of_small_numbers() -> None:
    grid, expected = (
        representation_named("exponents").grid([24, 25], [0, 3], 9),
        prime_grid([24, 25], [0, 3], 9),
    )
    assert grid.values.dtype == np.uint8
    assert (grid.dense() == expected.dense()).all()


def test_capped_exponents_are_bytes_too() -> None:
    """The kernels read bytes fastest."""
    grid = representation_named("capped").grid([24, 2**40], [0], 4)
    assert grid.values.dtype == np.uint8
    assert grid.dense()[:, 0].tolist() == [[1, 1, 0, 0], [1, 0, 0, 0]]


def test_high_digits_without_a_column_are_lost() -> None:
    binary = representation_named("binary")
    assert (binary.grid([5], [0], 3).dense() == binary.grid([5 + 8], [0], 3).dense()).all()


@fixed
@given(st.integers(0, 4), st.integers(1, 5), st.integers(1, 5), st.integers(0, 9))
def test_a_grid_keeps_what_an_array_holds(count: int, rows: int, columns: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    full = random.integers(-1, 3, (count, rows, columns)).astype(np.float32)
    grid = PrimeGrid.of(full)
    assert (grid.dense() == full).all()
    assert (grid.part(count // 2, count).dense() == full[count // 2 :]).all()


def test_a_run_is_shown_its_representation() -> None:
    config = RunConfig(modulus=7, representation="binary", primes=20)
    assert encode(config, [5]).dense()[0, 0, :4].tolist() == [1, 0, 1, 0]
    with pytest.raises(InputError, match="representation digits: must be one of: exponents, capped, binary"):
        encode(RunConfig(modulus=7, representation="digits"), [5])


@pytest.mark.parametrize("name", list(representations()))
@pytest.mark.parametrize("given", [[0], [5, -1], [MAX_NUMBER], [2**70], [[3]]])
def test_numbers_that_have_no_window(name: str, given: Any) -> None:
    with pytest.raises(InputError):
        representation_named(name).grid(given, [0, 1], 3)


def wrong_shape(numbers: IntArray, offsets: tuple[int, ...], columns: int) -> Any:
    return np.zeros((len(numbers), len(offsets), columns + 1))


@pytest.mark.parametrize(
    ("encode", "match"),
    [
        (wrong_shape, r"gives grids of shape \(2, 1, 4\), must be \(2, 1, 3\)"),
        (lambda *_: np.zeros(3), "must give a PrimeGrid or an array"),
        (lambda *_: [[["a"]]], "must give a PrimeGrid or an array"),
    ],
)
def test_a_function_that_gives_something_else(encode: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        Representation("mine", "wrong", encode).grid([1, 2], [0], 3)


@pytest.mark.parametrize(
    "fields", [{"shows": "primes"}, {"cap": 1}, {"cap": 0, "shows": ColumnContent.VALUATIONS}]
)
def test_what_a_representation_cannot_show(fields: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Representation("mine", "wrong", wrong_shape, **fields)
