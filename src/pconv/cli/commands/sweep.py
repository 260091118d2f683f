"""`pconv sweep`: a grid of runs, as many as are not there yet."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv.cli.options import DEFAULT_STORE, AsJson, KeepWeights, NoCensus, Quiet, StoreFile
from pconv.config import RunConfig
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.sweeps.runner import Sweep

FAILED_CELLS = 3
INTERRUPTED = 130

Jobs = Annotated[
    int | None,
    typer.Option(
        help="Runs at a time. As many as cores if not given, or one with all cores where networks are large.",
        metavar="INT",
    ),
]
Retries = Annotated[
    int, typer.Option(help="How often a cell is begun again whose worker died.", metavar="INT")
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Run on the Dask cluster of this scheduler, tcp://HOST:PORT.", metavar="ADDRESS"),
]


def sweep(
    spec: Annotated[
        Path, typer.Argument(help="A TOML file whose table grid lists the alternatives.", metavar="SPEC.toml")
    ],
    jobs: Jobs = None,
    retries: Retries = 5,
    scheduler: Scheduler = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the cells with their estimated time, and stop.")
    ] = False,
    keep_weights: KeepWeights = False,
    no_census: NoCensus = False,
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Train every combination of a grid that is not in the store yet. Interrupted, it goes on next time."""
    from pconv.sweeps.grid import read_spec

    wanted = read_spec(spec)
    if dry_run:
        from pconv.cli.views.sweep_plan import dry_run as list_cells

        list_cells(wanted, store, jobs, as_json)
        return
    done = run_cells(wanted, store, jobs, retries, keep_weights, quiet, scheduler, census=not no_census)
    _tell(wanted, done, store, as_json)
    if done.failed:
        raise typer.Exit(FAILED_CELLS)


def run_cells(
    wanted: Sequence[RunConfig],
    store: Path,
    jobs: int | None,
    retries: int,
    keep_weights: bool,
    quiet: bool,
    scheduler: str | None = None,
    *,
    census: bool = True,
    snapshots: Mapping[str, tuple[int, ...]] | None = None,
) -> Sweep:
    """Compute what is missing, and say what failed."""
    from pconv.cli.views.live import live
    from pconv.sweeps.local import local_sweep

    check(jobs, retries)
    if scheduler is None:
        opened = local_sweep(store, jobs, retries, keep_weights, census=census, snapshots=snapshots)
    else:
        from pconv.sweeps.dask import cluster_sweep

        opened = cluster_sweep(store, scheduler, retries, keep_weights, census, snapshots)
    try:
        with opened as sweeping, live(sweeping, wanted, quiet):
            sweeping.run(wanted)
    except KeyboardInterrupt:
        print("pconv: interrupted; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    for run_id, reason in sweeping.failed.items():
        print(f"pconv: run {run_id} failed: {reason}", file=sys.stderr)
    return sweeping


def check(jobs: int | None, retries: int) -> None:
    if jobs is not None and not 1 <= jobs <= 1024:
        raise InputError("jobs", jobs, "must be from 1 to 1024")
    if retries < 0:
        raise InputError("retries", retries, "must be at least 0")


def _tell(wanted: Sequence[RunConfig], done: Sweep, path: Path, as_json: bool) -> None:
    from pconv.store.sqlite import Store

    ids = [config.run_id for config in wanted]
    with Store.read(path) as store:
        found = {summary.run_id: summary for summary in store.summaries()}
    counts = {"finished": len(done.finished), "computed": done.computed, "failed": len(done.failed)}
    if as_json:
        print(json.dumps({**counts, "cells": [asdict(found[run_id]) for run_id in ids]}))
        return
    print(
        f"{len(ids)} cells: {counts['finished']} finished ({counts['computed']} of them now), "
        f"{counts['failed']} failed; kept in {path}"
    )
