"""`pconv report`: one page to explore the theory and the runs of a store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pconv._atomic import check_output
from pconv._text import pluralize
from pconv.cli.completion import complete_run
from pconv.cli.options import DEFAULT_STORE, Results
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line
from pconv.errors import InputError


@command(120)
def report(
    networks: Annotated[
        list[str] | None,
        typer.Argument(
            help="With --live: runs in the store (RUN@10: a snapshot) or files of train --save, compile.",
            metavar="RUN|FILE",
            autocompletion=complete_run,
        ),
    ] = None,
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="Put networks into the page, to be asked there: those named, or one that ships with pconv.",
        ),
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The page to write.", metavar="FILE.html")
    ] = Path("report.html"),
    store: Annotated[
        Path | None,
        typer.Option(
            help=f"The store with the runs: {DEFAULT_STORE} if that is there, else no runs.", metavar="FILE"
        ),
    ] = None,
    results: Results = None,
    probes: Annotated[
        list[Path] | None,
        typer.Option("--probe", help="What `pconv probe --json` printed; repeatable.", metavar="FILE"),
    ] = None,
    documents: Annotated[
        list[Path] | None,
        typer.Option(
            "--document",
            help="What `pconv certify`, `discover`, `pace` or `board` wrote with --json or -o; repeatable.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Write one interactive page that needs no server: the theory for every m and B, and all runs."""
    check_output(output, (".html", ".htm"))
    if results and store:
        raise InputError("from", results, f"cannot be combined with --store {store}")
    if networks and not live:
        raise InputError("networks", networks[0], "is put into the page with --live")
    from pconv.cli.views.progress import status
    from pconv.report.load import paper_figures, stored_runs
    from pconv.report.page.build import write_page
    from pconv.report.page.documents import read_documents

    found = read_documents(documents or ())
    source = results or store or (DEFAULT_STORE if DEFAULT_STORE.exists() else None)
    with status(f"reading the runs of {source}" if source else "computing the predictions"):
        runs = stored_runs(source, probes or ()) if source else []
    asked = _networks(networks or (), store) if live else None
    with status(f"writing {output}"):
        write_page(output, runs, paper_figures(), asked, found)
    counts = [pluralize(len(asked["networks"]), "network")] if asked else []
    counts += [pluralize(len(runs), "run"), f"{output.stat().st_size / 1e6:.2f} MB"]
    print_line(f"{output}: {', '.join(counts)}")


def _networks(names: Sequence[str], store: Path | None) -> dict[str, Any]:
    from pconv.cli.live_networks import live_networks  # loads torch

    return live_networks(names, store or DEFAULT_STORE)
