"""One self-contained page: the explorer of the theory and, where there are runs, their results.

Everything is inlined into one file, and the page's own security policy forbids it to ask for anything else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from pconv import __version__
from pconv.report.curves import kernel_studies, loss_figure
from pconv.report.explorer import explorer_data
from pconv.report.files import write_whole
from pconv.report.palette import VERDICTS, css_colours
from pconv.report.results import PaperCell, table_figures
from pconv.report.run_record import run_document
from pconv.store.run import JudgedRun

SCRIPTS = (
    "dom",
    "state",
    "lookup",
    "words",
    "factor",
    "pattern",
    "window",
    "number",
    "runs",
    "map",
    "guess",
    "explore",
    "table",
    "curves",
    "confusion",
    "classes",
    "parts",
    "probe",
    "run",
    "main",
)
"""In this order: a script uses those before it."""


def page_html(runs: Sequence[JudgedRun] = (), paper: Mapping[PaperCell, float] | None = None) -> str:
    """The whole page; without runs it explores the theory alone."""
    sources = files("pconv.report") / "page"
    environment = Environment(autoescape=False, undefined=StrictUndefined, keep_trailing_newline=True)
    template = environment.from_string((sources / "page.html").read_text("utf-8"))
    return template.render(
        title="pconv: what can a window of numbers tell?",
        version=__version__,
        css=css_colours() + (sources / "page.css").read_text("utf-8"),
        script="".join((sources / f"{name}.js").read_text("utf-8") for name in SCRIPTS),
        explorer=embedded(explorer_data()),
        runs=embedded(runs_data(runs, paper or {})) if runs else None,
    )


def runs_data(runs: Sequence[JudgedRun], paper: Mapping[PaperCell, float]) -> dict[str, Any]:
    """The tables and the runs they lead to."""
    return {
        "statuses": list(VERDICTS),
        "tables": [asdict(table) for table in table_figures(runs, paper)],
        "losses": [_losses(study) for study in kernel_studies(runs)],
        "runs": {run.result.run_id: run_document(run) for run in runs},
    }


def _losses(study: Sequence[JudgedRun]) -> dict[str, Any]:
    return {"title": loss_figure(study).title, "runs": [run.result.run_id for run in study]}


def embedded(data: Any) -> str:
    """JSON for the inside of a script element: no text in it can end the element.

    >>> embedded({"name": "</script>"})
    '{"name":"\\\\u003c/script>"}'
    """
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def write_page(
    path: Path, runs: Sequence[JudgedRun] = (), paper: Mapping[PaperCell, float] | None = None
) -> None:
    """Write the page, whole or not at all."""
    html = page_html(runs, paper)
    write_whole(path, lambda draft: draft.write_text(html, "utf-8"))
