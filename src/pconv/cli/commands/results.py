"""`pconv results`: writes the results of all runs as one document."""

from __future__ import annotations

from os.path import relpath
from pathlib import Path
from typing import Annotated

import typer

from pconv._atomic import atomic_write, check_output
from pconv._text import pluralize
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line


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
    images: Annotated[
        Path | None,
        typer.Option(help="Draw the document's pictures into this directory.", metavar="DIRECTORY"),
    ] = None,
) -> None:
    """Write a document with the paper's tables and ours, and every analysis of the runs."""
    check_output(output, (".md",))
    from pconv.cli.views.progress import status
    from pconv.report.document import results_document
    from pconv.report.document_pictures import write_pictures
    from pconv.report.times import read_paces
    from pconv.studies.directory import opened

    with status(f"reading the runs of {directory}"), opened(directory) as source:
        relative = None if images is None else Path(relpath(images, output.parent)).as_posix()
        text = results_document(source, read_paces(directory), relative)
        count = len(source.run_ids())
        if images is not None:
            write_pictures(source, images)
    with atomic_write(output, "output") as draft:
        Path(draft).write_text(text, "utf-8")
    print_line(f"{output}: {pluralize(count, 'run')}")
