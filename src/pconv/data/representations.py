"""The representations: what a network is shown of a window. Four are built in, and users add theirs.

A program adds a representation with the decorator `register_representation`:

    @register_representation("parity", "every column says whether n + o is odd")
    def parity(numbers, offsets, columns):
        odd = (numbers[:, None] + np.array(offsets)) % 2
        return np.repeat(odd[:, :, None], columns, axis=2)

An installed package makes its representation known to every command, and to the workers of a sweep, through
an entry point:

    [project.entry-points."pconv.representations"]
    parity = "my_package:parity"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

Show = Callable[[IntArray, tuple[int, ...], int], "PrimeGrid | NDArray[Any]"]
_BITS = 63  # of the largest number


class ColumnContent(StrEnum):
    """What the column of a prime p tells of each row: all that a theory needs to know of a representation."""

    VALUATIONS = "valuations"  # the exponent of p in it, cut at the cap where there is one
    RESIDUES = "residues"  # the row modulo p
    OTHER = "other"  # columns are not primes, or tell something else


@dataclass(frozen=True)
class Representation:
    """A name, a line of description, and the function from (numbers, offsets, columns) to grids.

    The function gives a PrimeGrid or an array (numbers, offsets, columns). Where it is `sparse`, few cells of
    a grid are not zero, and the grids of all batches are kept; others are made when they are needed.
    """

    name: str
    description: str
    show: Show
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
        """The grids of these numbers.

        >>> representation_named("residues").grid([7], [0, 1], 2).dense().round(2).tolist()
        [[[0.5, 0.33000001311302185], [0.0, 0.6700000166893005]]]
        """
        from pconv.data.grid import PrimeGrid, checked_numbers

        window = canonical_offsets(offsets)
        given = checked_numbers(numbers, window)
        shown = self.show(given, window, columns)
        grid = shown if isinstance(shown, PrimeGrid) else _as_grid(self.name, shown)
        wanted, found = (len(given), len(window), columns), (grid.count, grid.rows, grid.columns)
        if found != wanted:
            raise InputError(
                "representation", self.name, f"gives grids of {found} where {wanted} are asked for"
            )
        return grid


def _as_grid(name: str, shown: Any) -> PrimeGrid:
    from pconv.data.grid import PrimeGrid

    full = np.asarray(shown)
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
) -> Callable[[Show], Representation]:
    """Decorator that adds a representation, given as a function from (numbers, offsets, columns) to grids.

    Parameters
    ----------
    name
        The representation's name.
    description
        A line about it.
    shows
        What a column shows of n + o; theories apply to what they know.
    cap
        The largest exponent that a column shows; None: no limit.
    sparse
        The function returns a sparse `PrimeGrid`.
    """

    def add(show: Show) -> Representation:
        return _representations.add(Representation(name, description, show, shows, cap, sparse))

    return add


def representations() -> Mapping[str, Representation]:
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
def exponents(numbers: IntArray, offsets: tuple[int, ...], columns: int) -> PrimeGrid:
    """The paper's prime grid."""
    from pconv.data.grid import prime_grid

    return prime_grid(numbers, offsets, columns)


@register_representation(
    "capped", "which of the first N primes divide n + o", ColumnContent.VALUATIONS, cap=1, sparse=True
)
def capped(numbers: IntArray, offsets: tuple[int, ...], columns: int) -> PrimeGrid:
    """Exponents capped at 1."""
    from pconv.data.grid import prime_grid

    grid = prime_grid(numbers, offsets, columns)
    return replace(grid, values=np.minimum(grid.values, 1))


@register_representation("binary", "the last N binary digits of n + o; column i is the digit of 2^i")
def binary(numbers: IntArray, offsets: tuple[int, ...], columns: int) -> NDArray[np.uint8]:
    """A number with more digits than columns loses the high ones: N = 20 hold every number below 2^20."""
    rows = _rows(numbers, offsets)
    digits = np.zeros((*rows.shape, columns), dtype=np.uint8)
    for i in range(min(columns, _BITS)):
        digits[:, :, i] = rows >> i & 1
    return digits


@register_representation(
    "residues", "n + o modulo each of the first N primes p, as a share of p", ColumnContent.RESIDUES
)
def residues(numbers: IntArray, offsets: tuple[int, ...], columns: int) -> NDArray[np.float32]:
    """Divided by p, so that every column is in [0, 1): as they are, the large primes would drown the rest."""
    rows = _rows(numbers, offsets)
    shares = np.empty((*rows.shape, columns), dtype=np.float32)
    for i, p in enumerate(first_primes(columns).tolist()):
        shares[:, :, i] = rows % p / p
    return shares


def _rows(numbers: IntArray, offsets: tuple[int, ...]) -> IntArray:
    """The numbers of every window, (numbers, offsets)."""
    return np.asarray(numbers[:, None] + np.array(offsets, dtype=np.int64))
