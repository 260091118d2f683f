"""Plural forms, sets of classes as text, and text that is safe to show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def pluralize(count: int, what: str) -> str:
    """A count with its noun, in the plural unless the count is 1.

    >>> pluralize(1, "run"), pluralize(0, "cell"), pluralize(1200, "run")
    ('1 run', '0 cells', '1,200 runs')
    """
    return f"{count:,} {what}" + "s" * (count != 1)


def shortened(text: str, longest: int = 80) -> str:
    """The text, or its beginning where it is longer.

    >>> shortened("0123456789", 8)
    '01234...'
    """
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def format_groups(groups: Iterable[Sequence[int]]) -> str:
    """Groups of classes in braces; "none" without any group.

    >>> format_groups([(1, 2), (5, 7)])
    '{1, 2}, {5, 7}'
    """
    return ", ".join("{" + ", ".join(map(str, group)) + "}" for group in groups) or "none"


def printable(text: str) -> str:
    """Text from a file or a store as a terminal may show it: characters that are invisible, or that a
    terminal obeys, are written as escape sequences of Python. Line breaks and tabs are kept.

    >>> print(printable("\x1b[2J and \u202e"))
    \\x1b[2J and \\u202e
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", **{c: f"&#{ord(c)};" for c in "|[]`\\"}}


def escape_markdown(text: str) -> str:
    """Text from a file of results, without its meaning in Markdown or HTML.

    >>> escape_markdown("<b> | [x](y)")
    '&lt;b&gt; &#124; &#91;x&#93;(y)'
    """
    return "".join(_ENTITIES.get(c, c) for c in printable(text).replace("\n", " "))
