"""Small things as one says them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def counted(count: int, what: str) -> str:
    """
    >>> counted(1, "run"), counted(0, "cell"), counted(1200, "run")
    ('1 run', '0 cells', '1,200 runs')
    """
    return f"{count:,} {what}" + "s" * (count != 1)


def sets(groups: Iterable[Sequence[int]]) -> str:
    """Groups of classes.

    >>> sets([(1, 2), (5, 7)])
    '{1, 2}, {5, 7}'
    """
    return ", ".join("{" + ", ".join(map(str, group)) + "}" for group in groups) or "none"
