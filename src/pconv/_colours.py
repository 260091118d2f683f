"""The colours of verdicts: in figures, on the page, in notebooks and in the terminal."""

from __future__ import annotations

VERDICTS = {
    "confirmed": "#45cfa3",
    "underfitted": "#d99000",
    "overfitted": "#6b35a0",
    "refuted": "#c62f12",
    "undecided": "#7a8494",
    "unjudged": "#e2e5ea",
}
"""On a light ground. They differ for colour-blind readers, and in lightness in prints without colour."""
VERDICTS_ON_DARK = {"overfitted": "#a06fd6", "unjudged": "#474d57"}
"""Those that are another colour on a dark ground."""
VERDICTS_IN_TERMINAL = {
    "confirmed": "green",
    "underfitted": "yellow",
    "overfitted": "magenta",
    "refuted": "red",
    "undecided": "blue",
}
"""As names of rich's colours, which follow the terminal's own theme."""
