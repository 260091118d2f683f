"""`pconv rm`: removes runs from the store."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from pconv._text import pluralize, printable
from pconv.cli.completion import complete_run
from pconv.cli.old_claims import watch_old_claims
from pconv.cli.options import DEFAULT_STORE, StoreFile, flag
from pconv.cli.registry import command

if TYPE_CHECKING:
    from pconv.store.summary import Summary


@command(173)
def rm(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Ids of runs, or the starts of them.", metavar="RUN...", autocompletion=complete_run
        ),
    ],
    yes: Annotated[bool, flag("--yes", help="Do not ask for confirmation on a terminal.")] = False,
    store: StoreFile = DEFAULT_STORE,
) -> None:
    """Remove runs from the store with their weights, checkpoints and verdicts.

    Interrupted and failed runs can be removed, running ones cannot. If one cannot be removed, none is.
    """
    from pconv.store.sqlite import Store

    with Store.read(store) as opened:
        found = {summary.run_id: summary for summary in map(opened.find, runs)}
    if not yes and sys.stdin.isatty() and not _confirmed(list(found.values())):
        print("Nothing was removed.")
        return
    with Store.open(store) as opened:
        watch_old_claims(opened, found)
        gone = opened.remove(found)
    which = f"{pluralize(len(found), 'run')} ({', '.join(found)})"
    print(f"Removed {which} and {pluralize(gone.files, 'file')}, {gone.size / 1e6:.1f} MB.")


def _confirmed(runs: list[Summary]) -> bool:
    from pconv.config import RunConfig

    for run in runs:
        print(printable(f"{run.run_id}  {RunConfig.from_dict(run.config).label()}: {run.status}"))
    return typer.confirm(f"Remove {pluralize(len(runs), 'run')}?")
