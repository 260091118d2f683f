"""Windows: the offsets o of the rows n+o that a network reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pconv.config_fields import Values, check_integer, check_integers
from pconv.errors import InputError

MAX_ROWS = 4_096
MAX_OFFSET = 10**8


def parse_offsets(text: str) -> tuple[int, ...]:
    """Offsets as written on the command line: `A:B` (half-open) or a list `a,b,c`.

    >>> parse_offsets("0:4"), parse_offsets("-1,0,2")
    ((0, 1, 2, 3), (-1, 0, 2))
    """
    allowed = "must be A:B (half-open, A < B) or a list a,b,c of different whole numbers"
    try:
        if ":" in text:
            first, end = (int(part) for part in text.split(":"))
            if end - first > MAX_ROWS:
                raise InputError("offsets", text, f"at most {MAX_ROWS} rows")
            offsets = tuple(range(first, end))
        else:
            offsets = tuple(int(part) for part in text.split(","))
    except InputError:
        raise
    except ValueError:
        raise InputError("offsets", repr(text), allowed) from None
    if not offsets:
        raise InputError("offsets", text, allowed)
    return canonical_offsets(offsets)


def canonical_offsets(offsets: Iterable[int]) -> tuple[int, ...]:
    """The offsets in increasing order, checked: a window is a set of offsets.

    >>> canonical_offsets([3, -1, 0])
    (-1, 0, 3)
    """
    _check_sequence(offsets)
    given = check_integers("offsets", offsets)
    if not given:
        raise InputError("offsets", "()", "needs at least one offset")
    if len(given) > MAX_ROWS:
        raise InputError("offsets", f"of {len(given)} rows", f"at most {MAX_ROWS} rows")
    if len(set(given)) < len(given):
        raise InputError("offsets", ",".join(map(str, given)), "the same offset is given twice")
    if max(map(abs, given)) > MAX_OFFSET:
        raise InputError("offsets", max(given, key=abs), f"must be between -{MAX_OFFSET} and {MAX_OFFSET}")
    return tuple(sorted(given))


def _check_sequence(offsets: Any) -> None:
    """A single number is refused: whoever writes 8 means the window up to n+8, not that of n+8 alone."""
    if isinstance(offsets, str) or not isinstance(offsets, Iterable):
        allowed = "must be a sequence of offsets, such as range(9) or [0, 2]"
        raise InputError("offsets", repr(offsets), allowed)


def successor_window(count: int) -> tuple[int, ...]:
    """The window of n and its `count` successors: count + 1 rows.

    >>> successor_window(3)
    (0, 1, 2, 3)
    """
    count = check_integer("successors", count)
    if not 0 <= count < MAX_ROWS:
        raise InputError("successors", count, f"must be from 0 to {MAX_ROWS - 1}")
    return tuple(range(count + 1))


def successor_count(offsets: tuple[int, ...]) -> int | None:
    """B if the window is n and its B successors, else None: the inverse of `successor_window`.

    >>> successor_count((0, 1, 2)), successor_count((0, 2)), successor_count((1, 2))
    (2, None, None)
    """
    return len(offsets) - 1 if offsets == tuple(range(len(offsets))) else None


class Offsets(Values):
    """Sets of offsets."""

    def check(self, name: str, value: Any) -> tuple[int, ...]:
        return canonical_offsets(value)

    def parse(self, name: str, value: str) -> tuple[int, ...]:
        return parse_offsets(value)

    def format(self, value: tuple[int, ...]) -> str:
        return ",".join(map(str, value))
