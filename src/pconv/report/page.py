"""One self-contained page: the explorer of the theory and, where there are runs, their results.

Everything is inlined into one file, and the page's own security policy forbids it to ask for anything else.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from pconv import __version__
from pconv.report.explorer import explorer_data
from pconv.report.files import write_whole

SCRIPTS = (
    "dom",
    "state",
    "lookup",
    "words",
    "factor",
    "pattern",
    "window",
    "number",
    "results",
    "map",
    "guess",
    "explore",
    "main",
)
"""In this order: a script uses what stands before it."""


def page_html() -> str:
    """The whole page."""
    sources = files("pconv.report") / "page"
    environment = Environment(autoescape=False, undefined=StrictUndefined, keep_trailing_newline=True)
    template = environment.from_string((sources / "page.html").read_text("utf-8"))
    return template.render(
        title="pconv: what can a window of numbers tell?",
        version=__version__,
        css=(sources / "page.css").read_text("utf-8"),
        script="".join((sources / f"{name}.js").read_text("utf-8") for name in SCRIPTS),
        explorer=embedded(explorer_data()),
        runs=None,
    )


def embedded(data: Any) -> str:
    """JSON that may stand inside a script element: no text in it can end the element.

    >>> embedded({"name": "</script>"})
    '{"name":"\\\\u003c/script>"}'
    """
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def write_page(path: Path) -> None:
    """Write the page, whole or not at all."""
    html = page_html()
    write_whole(path, lambda draft: draft.write_text(html, "utf-8"))
