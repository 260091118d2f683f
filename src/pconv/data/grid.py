"""Sparse grids of many windows, and the grid of prime exponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.config import MAX_NUMBER, MAX_PRIMES
from pconv.data.primes import first_primes
from pconv.errors import InputError
from pconv.window import canonical_offsets

_TABLE = 2**20  # numbers below it are factored through a table of least prime factors
_AT_ONCE = 1024  # numbers whose windows are filled in one call: Ctrl-C is heard between two
_EXACT = 2**53  # whole numbers below it are exact in double precision
# The product of the first i primes: a number below it has fewer than i different prime factors.
_PRIMORIALS = np.cumprod([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47], dtype=np.int64)


@dataclass(frozen=True)
class PrimeGrid:
    """The grids of `count` windows as one sparse matrix (CSR) of count * rows rows.

    Row r = w * rows + i belongs to offset i of window w.

    Parameters
    ----------
    indptr
        The entries of row r are those from indptr[r] to indptr[r + 1] - 1.
    indices
        The column of each entry, ascending in a row; column 0 is the prime 2.
    values
        The value of each entry; uint8 in a grid of exponents.
    rows, columns
        The shape of a window's grid.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[Any]
    rows: int
    columns: int

    @classmethod
    def of(cls, full: NDArray[Any]) -> PrimeGrid:
        """The grid of an array (count, rows, columns).

        >>> PrimeGrid.of(np.array([[[0, 2, 1]], [[3, 0, 0]]])).values.tolist()
        [2, 1, 3]
        """
        count, rows, columns = full.shape
        flat = full.reshape(count * rows, columns)
        filled = flat != 0
        indptr = np.zeros(count * rows + 1, dtype=np.int64)
        np.cumsum(np.count_nonzero(filled, axis=1), out=indptr[1:])
        return cls(indptr, np.nonzero(filled)[1].astype(np.int32), flat[filled], rows, columns)

    @property
    def count(self) -> int:
        """The number of windows."""
        return (len(self.indptr) - 1) // self.rows

    def dense(self) -> NDArray[np.float32]:
        """The same grid with its zeros: (count, rows, columns)."""
        full = np.zeros((self.count * self.rows, self.columns), dtype=np.float32)
        full[np.repeat(np.arange(len(full)), np.diff(self.indptr)), self.indices] = self.values
        return full.reshape(self.count, self.rows, self.columns)

    def part(self, start: int, stop: int) -> PrimeGrid:
        """Windows start..stop-1; the entries are not copied."""
        indptr = self.indptr[start * self.rows : stop * self.rows + 1]
        entries = slice(indptr[0], indptr[-1])
        return PrimeGrid(
            indptr - indptr[0], self.indices[entries], self.values[entries], self.rows, self.columns
        )


def prime_grid(numbers: Sequence[int] | IntArray, offsets: Sequence[int], columns: int) -> PrimeGrid:
    """The exponents of the first `columns` primes in n + o, for each n and each offset o.

    Prime factors past the last column are left out.

    Parameters
    ----------
    numbers
        The numbers n.
    offsets
        The rows of a window; every n + o must be from 1 to 2^63 - 1.
    columns
        The number of primes.

    Examples
    --------
    >>> prime_grid([20, 126], [0], 5).dense().astype(int).tolist()
    [[[2, 0, 1, 0, 0]], [[1, 2, 0, 1, 0]]]
    """
    rows = np.array(canonical_offsets(offsets), dtype=np.int64)
    n = checked_numbers(numbers, rows)
    primes = first_primes(columns)
    greatest = int(n.max() + rows[-1]) if len(n) else 1
    widest = int(np.searchsorted(_PRIMORIALS, greatest, side="right"))  # the most entries in a row
    capacity = len(n) * len(rows) * min(widest, columns)
    indptr = np.zeros(len(n) * len(rows) + 1, dtype=np.int64)
    indices = np.empty(capacity, dtype=np.int32)
    exponents = np.empty(capacity, dtype=np.uint8)
    inverses = 1.0 / primes
    used = 0
    for start in range(0, len(n), _AT_ONCE):
        part = n[start : start + _AT_ONCE]
        pointers = indptr[start * len(rows) : (start + len(part)) * len(rows) + 1]
        out = pointers, indices[used:], exponents[used:]
        if greatest < _TABLE:
            _fill_by_table(part, rows, _least_prime_columns(), primes, *out)
        else:
            _fill_by_residues(part, rows, primes, inverses, *out)
        pointers[1:] += used
        used = int(pointers[-1])
    return PrimeGrid(indptr, indices[:used].copy(), exponents[:used].copy(), len(rows), columns)


def checked_numbers(numbers: Any, offsets: Sequence[int] | IntArray) -> IntArray:
    """The numbers as an array; an error if a number of their windows is not from 1 to 2^63 - 1."""
    allowed = f"every number of its window must be from 1 to {MAX_NUMBER}"
    try:
        n = np.asarray(numbers, dtype=np.int64)
    except OverflowError:
        raise InputError("number", max(numbers, key=abs), allowed) from None
    if n.ndim != 1:
        raise InputError("numbers", f"of shape {n.shape}", "must be a list")
    for number in (int(n.min()), int(n.max())) if len(n) else ():
        if number + int(offsets[0]) < 1 or number + int(offsets[-1]) > MAX_NUMBER:
            raise InputError("number", number, allowed)
    return n


@lru_cache(maxsize=1)
def _least_prime_columns() -> NDArray[np.int32]:
    """For each number below the table's end, the column of its least prime factor (0 for 0 and 1)."""
    least = np.full(_TABLE, -1, dtype=np.int32)
    least[:2] = 0
    _sieve_least(least, first_primes(MAX_PRIMES))
    return least


@njit(cache=True)
def _sieve_least(least: Any, primes: Any) -> None:
    for column in range(len(primes)):
        for multiple in range(primes[column], len(least), primes[column]):
            if least[multiple] < 0:
                least[multiple] = column


@njit(cache=True, nogil=True)
def _fill_by_table(
    numbers: Any, offsets: Any, least: Any, primes: Any, indptr: Any, indices: Any, exponents: Any
) -> None:
    used = 0
    row = 0
    for n in numbers:
        for offset in offsets:
            rest = n + offset
            while rest > 1:
                column = least[rest]
                if column >= len(primes):
                    break  # the remaining factors are larger still
                p = primes[column]
                exponent = 0
                while rest % p == 0:
                    rest //= p
                    exponent += 1
                indices[used] = column
                exponents[used] = exponent
                used += 1
            row += 1
            indptr[row] = used


@njit(cache=True)
def _remainder(x: float, p: float, inverse: float) -> Any:
    """x mod p for whole 0 <= x < 2^53: the rounded quotient is off by one at most."""
    rest = x - np.floor(x * inverse) * p
    rest = rest + p if rest < 0 else rest
    return rest - p if rest >= p else rest


@njit(cache=True, nogil=True)
def _first_hits(start: int, primes: Any, inverses: Any, hits: Any) -> None:
    """hits[i] = (-start) mod primes[i]: how far past `start` the next multiple of the prime lies.

    In double precision, because four divisions then run at once. Numbers past 2^53 go in two halves, which
    stay exact since a prime has at most 20 bits.
    """
    high = float(start >> 32)
    low = float(start & 0xFFFFFFFF)
    whole = float(start)
    if start < _EXACT:
        for i in range(len(primes)):
            rest = _remainder(whole, primes[i], inverses[i])
            hits[i] = primes[i] - rest if rest > 0 else 0.0
    else:
        for i in range(len(primes)):
            rest = _remainder(high, primes[i], inverses[i])
            rest = _remainder(rest * 4294967296.0 + low, primes[i], inverses[i])
            hits[i] = primes[i] - rest if rest > 0 else 0.0


@njit(cache=True, nogil=True)
def _fill_by_residues(
    numbers: Any, offsets: Any, primes: Any, inverses: Any, indptr: Any, indices: Any, exponents: Any
) -> None:
    """-n mod p, once per number and prime, gives the rows that p divides; valuations for those alone."""
    span = offsets[-1] - offsets[0]
    as_floats = primes.astype(np.float64)
    hits = np.empty(len(primes), dtype=np.float64)
    columns = np.empty((len(offsets), 15), dtype=np.int32)  # no number below 2^63 has 16 prime factors
    valuations = np.empty((len(offsets), 15), dtype=np.uint8)
    filled = np.empty(len(offsets), dtype=np.int64)
    used = 0
    row = 0
    for n in numbers:
        start = n + offsets[0]
        filled[:] = 0
        _first_hits(start, as_floats, inverses, hits)
        for column in range(len(primes)):
            if hits[column] <= span:
                p = primes[column]
                hit = int(hits[column])
                for i in range(len(offsets)):
                    position = offsets[i] - offsets[0]
                    if (position - hit) % p != 0:
                        continue
                    rest = (start + position) // p
                    exponent = 1
                    while rest % p == 0:
                        rest //= p
                        exponent += 1
                    columns[i, filled[i]] = column
                    valuations[i, filled[i]] = exponent
                    filled[i] += 1
        for i in range(len(offsets)):
            for j in range(filled[i]):
                indices[used] = columns[i, j]
                exponents[used] = valuations[i, j]
                used += 1
            row += 1
            indptr[row] = used
