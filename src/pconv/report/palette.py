"""The colours of pictures on paper and on the page: the paper's blue, yellow and red, and two more.

The five stay apart for readers who confuse red with green or blue with yellow (a test computes how far).
"""

from __future__ import annotations

BLOCKS = {
    "zero": "#1b7fc4",  # class 0
    "last": "#f0c419",  # the last B classes
    "mixed": "#cc3311",  # mixed
    "other": "#3dbe9a",  # identified otherwise
    "apart": "#6b1f66",  # mixed, with fewer classes than the paper's pattern says
}
MEANINGS = {
    "zero": "class 0",
    "last": "identified by another row",
    "mixed": "mixed",
    "other": "identified otherwise",
    "apart": "mixed with fewer than the paper says",
    "free": "no theory applies",
}
VERDICTS = {
    "confirmed": "#3dbe9a",
    "undertrained": "#f0c419",
    "refuted": "#cc3311",
    "undecided": "#8a8f98",
    "unjudged": "#d0d3d8",
}
NO_THEORY = "#8a8f98"
"""Answers where nothing is predicted."""
LEAK = "#3a3f47"
"""Answers outside the predicted groups."""
CURVES = ("#1b7fc4", "#cc3311", "#6b1f66", "#3dbe9a", "#b58900", "#3a3f47")
GREY = "#5c636e"
"""Words of lesser weight."""


def tint(colour: str, share: float) -> tuple[float, float, float]:
    """A colour on white paper: all of it for share 1, none for share 0.

    >>> tint("#ff0000", 1), tint("#ff0000", 0)
    ((1.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    """
    red, green, blue = (1 - share * (1 - int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return red, green, blue
