"""Plural forms and sets of classes as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def pluralize(count: int, what: str) -> str:
    """A count with its noun, in the plural unless the count is 1.

    >>> pluralize(1, "run"), pluralize(0, "cell"), pluralize(1200, "run")
    ('1 run', '0 cells', '1,200 runs')
    """
    return f"{count:,} {what}" + "s" * (count != 1)


def format_groups(groups: Iterable[Sequence[int]]) -> str:
    """Groups of classes in braces; "none" without any group.

    >>> format_groups([(1, 2), (5, 7)])
    '{1, 2}, {5, 7}'
    """
    return ", ".join("{" + ", ".join(map(str, group)) + "}" for group in groups) or "none"
