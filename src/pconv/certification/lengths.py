"""How long the numbers of a certificate are. With thousands of columns they have thousands of digits."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, lcm, log10

from pconv._json import MOST_DIGITS
from pconv.certification.columns import PrimeColumn
from pconv.certification.groups import GroupTable
from pconv.data.representations import ColumnContent
from pconv.errors import InputError

_CANDIDATES = 7  # digits of 2^22: the smallest integer of a grid is sought among so many periods


def longest_number(columns: Sequence[PrimeColumn], table: GroupTable, highest: Sequence[int]) -> int:
    """A bound on the digits of each whole number in a certificate by enumeration.

    Every share of all integers is a multiple of 1 / product of the p^(e+1), and every share of a group one of
    1 / number of its classes.

    Parameters
    ----------
    columns
        The columns of the grid.
    table
        The groups and their labels.
    highest
        The highest exponent e of each column.

    Examples
    --------
    >>> from pconv.config import RunConfig
    >>> table = GroupTable.of(RunConfig(modulus=2, primes=2))
    >>> longest_number([PrimeColumn(2, (0,)), PrimeColumn(3, (0,))], table, [9, 0])  # 2^10 * 3 * 2
    11
    """
    shares = sum((e + 1) * log10(column.prime) for column, e in zip(columns, highest, strict=True))
    classes = table.modulus * lcm(*table.sizes.tolist())
    return ceil(shares + log10(classes)) + _CANDIDATES


def can_be_written(
    columns: Sequence[PrimeColumn], table: GroupTable, highest: Sequence[int], budget: int | None
) -> bool:
    """Whether the certificate of an enumeration can be a file; an `InputError` where it was asked for.

    Parameters
    ----------
    columns, table, highest
        As in `longest_number`.
    budget
        As in `certify`: without one, grids can be drawn instead.
    """
    digits = longest_number(columns, table, highest)
    if digits > MOST_DIGITS and budget is not None:
        raise _too_long(columns, digits, "; --samples gives a statement with a confidence instead")
    return digits <= MOST_DIGITS


def check_drawn(columns: Sequence[PrimeColumn]) -> None:
    """An `InputError` if the integers that show drawn grids cannot be written: columns of residues determine
    them modulo the product of all primes. Exponents are mostly 0, and leave them far shorter."""
    if columns[0].shows is ColumnContent.RESIDUES:
        digits = ceil(sum(log10(column.prime) for column in columns))
        if digits > MOST_DIGITS:
            raise _too_long(columns, digits)


def _too_long(columns: Sequence[PrimeColumn], digits: int, advice: str = "") -> InputError:
    allowed = f"are too many: the certificate would have numbers of up to {digits:,} digits"
    return InputError("primes", len(columns), f"{allowed}, and {MOST_DIGITS:,} are possible{advice}")
