"""The representations: how a window is encoded as a grid. Six are built in, and users can add theirs.

A program adds a representation with the decorator `register_representation`:

    @register_representation("parity", "every column is 1 if n + o is odd")
    def parity(numbers, offsets, columns):
        odd = (numbers[:, None] + np.array(offsets)) % 2
        return np.repeat(odd[:, :, None], columns, axis=2)

An installed package adds its representation to every command, and to the workers of a sweep, with an entry
point:

    [project.entry-points."pconv.representations"]
    parity = "my_package:parity"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.data.primes import first_primes
from pconv.errors import InputError
from pconv.registry import Registry
from pconv.window import canonical_offsets

if TYPE_CHECKING:
    from pconv.data.grid import PrimeGrid  # loads numba, which no theory needs

Encoder = Callable[[IntArray, tuple[int, ...], int], "PrimeGrid | NDArray[Any]"]
_BITS = 63  # of the largest number


class ColumnContent(StrEnum):
    """What the column of a prime p shows of each row; theories need to know no more of a representation."""

    VALUATIONS = "valuations"  # the exponent of p in it, cut at the cap where there is one
    RESIDUES = "residues"  # the row modulo p
    DIGITS = "digits"  # columns are not primes: column i shows the binary digit of 2^i
    OTHER = "other"  # columns are not primes, or show something else

    @property
    def of_primes(self) -> bool:
        """Whether the columns belong to primes, so that the signature theory applies."""
        return self in (ColumnContent.VALUATIONS, ColumnContent.RESIDUES)


@dataclass(frozen=True)
class Representation:
    """An encoding of windows as grids.

    Parameters
    ----------
    name
        As in a run's configuration.
    description
        One line.
    encode
        The function from (numbers, offsets, columns) to a `PrimeGrid`, or to an array of this shape.
    shows
        What a column shows of n + o.
    cap
        The largest exponent that a column shows; None: no limit.
    sparse
        Whether most cells are zero. The grids of all batches are then kept in memory; others are computed
        when they are needed.
    """

    name: str
    description: str
    encode: Encoder
    shows: ColumnContent = ColumnContent.OTHER
    cap: int | None = None
    sparse: bool = False

    def __post_init__(self) -> None:
        if self.shows not in list(ColumnContent):
            raise InputError("shows", repr(self.shows), f"must be one of: {', '.join(ColumnContent)}")
        if self.cap is not None and (self.cap < 1 or self.shows != ColumnContent.VALUATIONS):
            raise InputError("cap", self.cap, "must be at least 1, and belongs to valuations alone")
        object.__setattr__(self, "shows", ColumnContent(self.shows))

    def grid(self, numbers: Sequence[int] | IntArray, offsets: Sequence[int], columns: int) -> PrimeGrid:
        """The grids of some numbers.

        Parameters
        ----------
        numbers
            The numbers n.
        offsets
            The rows of a window: n + o for each offset o.
        columns
            The number of columns.

        Examples
        --------
        >>> representation_named("residues").grid([7], [0, 1], 2).dense().round(2).tolist()
        [[[0.5, 0.33000001311302185], [0.0, 0.6700000166893005]]]
        """
        from pconv.data.grid import PrimeGrid, checked_numbers

        window = canonical_offsets(offsets)
        given = checked_numbers(numbers, window)
        encoded = self.encode(given, window, columns)
        grid = encoded if isinstance(encoded, PrimeGrid) else _as_grid(self.name, encoded)
        wanted, found = (len(given), len(window), columns), (grid.count, grid.rows, grid.columns)
        if found != wanted:
            raise InputError("representation", self.name, f"gives grids of shape {found}, must be {wanted}")
        return grid


def _as_grid(name: str, encoded: Any) -> PrimeGrid:
    from pconv.data.grid import PrimeGrid

    full = np.asarray(encoded)
    if full.ndim != 3 or full.dtype.kind not in "biuf":
        allowed = "must give a PrimeGrid or an array of numbers (numbers, offsets, columns)"
        raise InputError("representation", name, allowed)
    return PrimeGrid.of(full.view(np.uint8) if full.dtype.kind == "b" else full)


_representations = Registry("representation", Representation, "pconv.representations")


def register_representation(
    name: str,
    description: str,
    shows: ColumnContent = ColumnContent.OTHER,
    cap: int | None = None,
    sparse: bool = False,
) -> Callable[[Encoder], Representation]:
    """Decorator that adds a representation, given as a function from (numbers, offsets, columns) to grids.

    Parameters
    ----------
    name
        The representation's name.
    description
        One line.
    shows
        What a column shows of n + o, which decides the theories that apply.
    cap
        The largest exponent that a column shows; None: no limit.
    sparse
        The function returns a sparse `PrimeGrid`.

    Examples
    --------
    >>> @register_representation("halves", "n + o divided by 2, 4, 8, ...")
    ... def halves(numbers, offsets, columns):
    ...     rows = numbers[:, None, None] + np.array(offsets)[:, None]
    ...     return rows / 2.0 ** np.arange(1, columns + 1)
    >>> halves.grid(np.array([12]), (0, 4), 2).dense().tolist()
    [[[6.0, 3.0], [8.0, 4.0]]]
    """

    def add(encode: Encoder) -> Representation:
        return _representations.add(Representation(name, description, encode, shows, cap, sparse))

    return add


def representations() -> Registry[Representation]:
    """All representations by name, the built-in ones first.

    >>> list(representations())[:4]
    ['exponents', 'capped', 'binary', 'residues']
    """
    return _representations


def representation_named(name: str) -> Representation:
    """The representation of this name."""
    return _representations.named(name)


@register_representation(
    "exponents", "the exponents of the first N primes in n + o", ColumnContent.VALUATIONS, sparse=True
)
def _exponents(numbers: IntArray, offsets: tuple[int, ...], columns: int) -> PrimeGrid:
    """The paper's prime grid."""
    from pconv.data.grid import prime_grid

    return prime_grid(numbers, offsets, columns)


def _register_capped(name: str, description: str, cap: int) -> None:
    @register_representation(name, description, ColumnContent.VALUATIONS, cap, sparse=True)
    def capped(numbers: IntArray, offsets: tuple[int, ...], columns: int) -> PrimeGrid:
        from pconv.data.grid import prime_grid

        grid = prime_grid(numbers, offsets, columns)
        return replace(grid, values=np.minimum(grid.values, cap))


_register_capped("capped", "which of the first N primes divide n + o", 1)


@register_representation(
    "binary", "the last N binary digits of n + o; column i is the digit of 2^i", ColumnContent.DIGITS
)
def _binary(numbers: IntArray, offsets: tuple[int, ...], columns: int) -> NDArray[np.uint8]:
    """Digits past the last column are left out; 20 columns hold every number below 2^20."""
    rows = _rows(numbers, offsets)
    digits = np.zeros((*rows.shape, columns), dtype=np.uint8)
    for i in range(min(columns, _BITS)):
        digits[:, :, i] = rows >> i & 1
    return digits


@register_representation(
    "residues", "n + o modulo each of the first N primes p, as a share of p", ColumnContent.RESIDUES
)
def _residues(numbers: IntArray, offsets: tuple[int, ...], columns: int) -> NDArray[np.float32]:
    """Residues are divided by p, so that all columns are in [0, 1): else large primes would dominate."""
    rows = _rows(numbers, offsets)
    shares = np.empty((*rows.shape, columns), dtype=np.float32)
    for i, p in enumerate(first_primes(columns).tolist()):
        shares[:, :, i] = rows % p / p
    return shares


for _cap in (2, 3):
    _register_capped(f"capped-{_cap}", f"the exponents of the first N primes in n + o, at most {_cap}", _cap)


def _rows(numbers: IntArray, offsets: tuple[int, ...]) -> IntArray:
    """The numbers of every window, (numbers, offsets)."""
    return np.asarray(numbers[:, None] + np.array(offsets, dtype=np.int64))
