"""`pconv results`: writes the results of all runs as one document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pconv._atomic import atomic_write, check_output
from pconv._text import pluralize
from pconv.cli.registry import command


@command(130)
def results(
    directory: Annotated[
        Path,
        typer.Option(
            "--from", help="A directory that `pconv export` wrote, or a store.", metavar="DIRECTORY"
        ),
    ] = Path("results"),
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The document to write.", metavar="FILE.md")
    ] = Path("results.md"),
) -> None:
    """Write a document with the paper's tables and ours, and every analysis of the runs."""
    check_output(output, (".md",))
    from pconv.report.document import results_document
    from pconv.report.times import read_paces
    from pconv.studies.directory import opened

    with opened(directory) as source:
        text = results_document(source, read_paces(directory))
        count = len(source.run_ids())
    with atomic_write(output, "output") as draft:
        Path(draft).write_text(text, "utf-8")
    print(f"{output}: {pluralize(count, 'run')}")
