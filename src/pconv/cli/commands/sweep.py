"""`pconv sweep`: the runs of a grid that are not in the store yet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv.cli.exit_codes import FAILED_RUNS
from pconv.cli.options import (
    DEFAULT_STORE,
    AsJson,
    Jobs,
    KeepWeights,
    NoCensus,
    Quiet,
    Retries,
    Scheduler,
    StoreFile,
    flag,
)
from pconv.cli.registry import command
from pconv.config import RunConfig
from pconv.training.options import RunOptions

if TYPE_CHECKING:
    from pconv.sweeps.runner import Sweep


@command(100)
def sweep(
    spec: Annotated[
        Path, typer.Argument(help="A TOML file whose table grid lists the alternatives.", metavar="SPEC.toml")
    ],
    jobs: Jobs = None,
    retries: Retries = 5,
    scheduler: Scheduler = None,
    dry_run: Annotated[
        bool, flag("--dry-run", help="List the cells with their estimated time and memory, and stop.")
    ] = False,
    keep_weights: KeepWeights = False,
    no_census: NoCensus = False,
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Train every combination of a grid that is not in the store yet. An interrupted sweep can be resumed."""
    from pconv.sweeps.grid import read_spec

    wanted = read_spec(spec)
    if dry_run:
        from pconv.cli.views.sweep_plan import show_plan

        show_plan(wanted, store, jobs, not no_census, as_json)
        return
    from pconv.cli.many_runs import open_sweep, run_in_terminal

    options = RunOptions(census=not no_census, keep_weights=keep_weights)
    opened = open_sweep(store, options, jobs=jobs, retries=retries, scheduler=scheduler)
    done = run_in_terminal(opened, wanted, quiet)
    _report(wanted, done, store, as_json)
    if done.failed:
        raise typer.Exit(FAILED_RUNS)


def _report(wanted: Sequence[RunConfig], done: Sweep, path: Path, as_json: bool) -> None:
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
