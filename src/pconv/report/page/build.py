"""Build the page: a template, styles, scripts and data, inlined into one file.

The page's own security policy forbids it to load anything else.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from pconv import __version__
from pconv._atomic import atomic_write
from pconv._colours import VERDICTS
from pconv._json import strict_json
from pconv.report.figures.losses import kernel_studies, loss_figure
from pconv.report.load import PaperCell
from pconv.report.page.explorer import explorer_data
from pconv.report.page.run_record import run_document
from pconv.report.page.tables import SIZE_NAMES, page_tables
from pconv.report.palette import css_colours
from pconv.store.run import JudgedRun

ASSETS = files("pconv.report.page") / "assets"
FIRST = ("dom", "state", "lookup", "words", "factor", "runs")
"""The scripts that figures use, in this order."""
LAST = ("explore", "guess", "run")
"""The scripts that use figures, in this order."""
LIVE = tuple(
    f"live/{name}"
    for name in (
        "forward",
        "heat",
        "evidence",
        "networks",
        "cards",
        "grid",
        "layers",
        "epochs",
        "challenge",
        "live",
    )
)
"""The scripts of a page with networks, in this order."""


def page_html(
    runs: Sequence[JudgedRun] = (),
    paper: Mapping[PaperCell, float] | None = None,
    live: Mapping[str, Any] | None = None,
    documents: Mapping[str, Any] | None = None,
) -> str:
    """The page as HTML; without runs it has the explorer of the theory alone.

    Parameters
    ----------
    runs
        The runs to show.
    paper
        The paper's accuracies, to compare with.
    live
        The networks of `pconv.report.live`, which the page can ask.
    documents
        Certificates, laws, paces and boards, as `read_documents` returns them.
    """
    environment = Environment(autoescape=False, undefined=StrictUndefined, keep_trailing_newline=True)
    template = environment.from_string(_asset("page.html"))
    script = _script(live is not None)
    return template.render(
        title="pconv: what can a window of numbers tell?",
        version=__version__,
        css=css_colours() + _asset("page.css"),
        script=script,
        script_hash=base64.b64encode(sha256(script.encode()).digest()).decode(),
        explorer=embedded(explorer_data()),
        runs=embedded(runs_data(runs, paper or {})) if runs else None,
        live=embedded(live) if live is not None else None,
        documents=embedded(documents) if documents else None,
    )


def _script(live: bool) -> str:
    """The content of the page's only script. The security policy has its hash, so that no other one runs."""
    return f'\n(() => {{\n"use strict";\n{"".join(map(_asset, script_names(live)))}\n}})();\n'


def script_names(live: bool = False) -> list[str]:
    """The page's scripts in the order of loading, with every file of `assets/figures`."""
    last = (*LAST, *(LIVE if live else ()), "main")
    figures = sorted(each.name for each in (ASSETS / "figures").iterdir() if each.name.endswith(".js"))
    return [
        *(f"{name}.js" for name in FIRST),
        *(f"figures/{name}" for name in figures),
        *(f"{name}.js" for name in last),
    ]


def _asset(name: str) -> str:
    return (ASSETS / name).read_text("utf-8")


def runs_data(runs: Sequence[JudgedRun], paper: Mapping[PaperCell, float]) -> dict[str, Any]:
    """The tables, the kernel studies and all runs, as the page embeds them."""
    return {
        "statuses": list(VERDICTS),
        "paper_size": SIZE_NAMES["paper"],
        "tables": [asdict(table) for table in page_tables(runs, paper)],
        "losses": [_losses(study) for study in kernel_studies(runs)],
        "runs": {run.result.run_id: run_document(run) for run in runs},
    }


def _losses(study: Sequence[JudgedRun]) -> dict[str, Any]:
    return {"title": loss_figure(study).title, "runs": [run.result.run_id for run in study]}


def embedded(data: Any) -> str:
    """JSON for a script element: no text in it can close the element, and infinite numbers are null.

    >>> embedded({"name": "</script>", "loss": float("nan")})
    '{"name":"\\\\u003c/script>","loss":null}'
    """
    return strict_json(data, (",", ":")).replace("<", "\\u003c")


def write_page(
    path: Path,
    runs: Sequence[JudgedRun] = (),
    paper: Mapping[PaperCell, float] | None = None,
    live: Mapping[str, Any] | None = None,
    documents: Mapping[str, Any] | None = None,
) -> None:
    """Write the page of `page_html` as a file.

    Parameters
    ----------
    path
        The file to write.
    runs, paper, live, documents
        As for `page_html`.
    """
    html = page_html(runs, paper, live, documents)
    with atomic_write(path, "output") as draft:
        Path(draft).write_text(html, "utf-8")
