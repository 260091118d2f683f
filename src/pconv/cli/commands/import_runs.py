"""`pconv import`: adds runs of other stores and of results to a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pconv._text import pluralize
from pconv.cli.options import DEFAULT_STORE, StoreFile
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line


@command(172, name="import")
def import_runs(
    sources: Annotated[
        list[Path],
        typer.Argument(
            help="Files that `pconv export` wrote (.jsonl), directories that it wrote, or other stores.",
            metavar="FILE|DIRECTORY...",
        ),
    ],
    store: StoreFile = DEFAULT_STORE,
) -> None:
    """Add the finished runs of other stores and of results to the store, with their weights if they have any.

    Runs that are there stay, unless the new ones have a census, snapshots or weights in addition. Every run
    is verified and judged first; if one is damaged, none is imported.
    """
    from pconv.cli.views.progress import progress
    from pconv.studies.importing import import_runs

    with progress("import", "runs", quiet=False) as on_progress:
        done = import_runs(sources, store, on_progress)
    left_out = f"; {done.unfinished} left out, because unfinished" if done.unfinished else ""
    print_line(
        f"{store}: {pluralize(done.new, 'run')} new, {done.replaced} replaced, "
        f"{done.kept} there already{left_out}"
    )
