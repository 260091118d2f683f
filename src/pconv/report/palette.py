"""The colours of figures and of the page: the blue, yellow and red of the paper's figures, and two more.

Readers who confuse red with green or blue with yellow can distinguish all five; a test computes how far.
"""

from __future__ import annotations

from pconv._colours import VERDICTS, VERDICTS_ON_DARK

BLOCKS = {
    "zero": "#1b7fc4",  # class 0
    "last": "#f0c419",  # the last B classes
    "mixed": "#cc3311",  # mixed
    "other": "#3dbe9a",  # identified otherwise
    "apart": "#6b1f66",  # mixed, with fewer classes than in the paper's pattern
}
MEANINGS = {
    "zero": "class 0",
    "last": "identified by another row",
    "mixed": "mixed",
    "other": "identified otherwise",
    "apart": "mixed with fewer than in the paper",
    "free": "no theory applies",
}
NO_THEORY = "#8a8f98"
"""Answers where nothing is predicted."""
LEAK = "#3a3f47"
"""Answers outside the predicted groups."""
CURVES = ("#1b7fc4", "#cc3311", "#6b1f66", "#3dbe9a", "#b58900", "#3a3f47")
GREY = "#5c636e"
"""Secondary text."""
COLOURS = {**BLOCKS, **VERDICTS, "free": NO_THEORY, "leak": LEAK}
"""The colours that are variables in the page's style sheet."""
DARK = {
    "zero": "#3d9be0",
    "mixed": "#e0512f",
    "apart": "#a355a0",
    "leak": "#c9ced6",
    **VERDICTS_ON_DARK,
}
"""Those that differ on a dark page."""


def css_colours() -> str:
    """The colours as CSS variables: for the light theme, the dark theme, and print, which is as light."""
    light, dark = (
        " ".join(f"--{name}: {colour};" for name, colour in colours.items()) for colours in (COLOURS, DARK)
    )
    night = ':root[data-theme="dark"]'
    return f":root {{ {light} }}\n{night} {{ {dark} }}\n@media print {{ :root, {night} {{ {light} }} }}\n"


def tint(colour: str, share: float) -> tuple[float, float, float]:
    """A mixture of a colour and white: the colour itself for share 1, white for share 0.

    >>> tint("#ff0000", 1), tint("#ff0000", 0)
    ((1.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    """
    red, green, blue = (1 - share * (1 - int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return red, green, blue
