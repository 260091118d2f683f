"""`pconv sweep`: the runs of a grid that are not in the store yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv._json import strict_json
from pconv.cli.exit_codes import FAILED_RUNS, REFUTED_THEORY
from pconv.cli.options import (
    DEFAULT_STORE,
    AsJson,
    DryRun,
    Jobs,
    KeepWeights,
    NoCensus,
    Quiet,
    Retries,
    Scheduler,
    ShownTheory,
    StoreFile,
)
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line
from pconv.config import DEFAULT_THEORY, RunConfig
from pconv.training.options import RunOptions

if TYPE_CHECKING:
    from pconv.store.sqlite import Store
    from pconv.store.summary import Summary
    from pconv.sweeps.runner import Sweep

REFUTED = "refuted"


@command(100)
def sweep(
    spec: Annotated[
        Path, typer.Argument(help="A TOML file whose table grid lists the alternatives.", metavar="SPEC.toml")
    ],
    jobs: Jobs = None,
    retries: Retries = 5,
    scheduler: Scheduler = None,
    dry_run: DryRun = False,
    theory: ShownTheory = None,
    keep_weights: KeepWeights = False,
    no_census: NoCensus = False,
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Train every combination of a grid that is not in the store yet. An interrupted sweep can be resumed."""
    from pconv.cli.many_runs import check_theory, open_sweep, run_in_terminal
    from pconv.sweeps.grid import read_spec

    wanted = read_spec(spec)
    check_theory(theory, wanted)
    options = RunOptions(census=not no_census, keep_weights=keep_weights)
    if dry_run:
        from pconv.cli.views.sweep_plan import plan, show_plan

        show_plan(plan(wanted, store, options), jobs, as_json)
        return
    opened = open_sweep(store, options, jobs=jobs, retries=retries, scheduler=scheduler)
    done = run_in_terminal(opened, wanted, quiet)
    verdicts = _report(wanted, done, store, theory, as_json)
    if done.failed:
        raise typer.Exit(FAILED_RUNS)
    if theory and REFUTED in verdicts:
        raise typer.Exit(REFUTED_THEORY)


def _report(
    wanted: Sequence[RunConfig], done: Sweep, path: Path, theory: str | None, as_json: bool
) -> list[str | None]:
    """Prints the outcome of a sweep; the verdicts on the theory, None for a run without one."""
    from pconv.store.sqlite import Store

    ids = [config.run_id for config in wanted]
    with Store.read(path) as store:
        found = {summary.run_id: summary for summary in store.summaries()}
        if theory:
            found |= {run_id: _with_verdict(store, found[run_id], theory) for run_id in ids}
    verdicts = [found[run_id].verdict for run_id in ids]
    counts = {"finished": len(done.finished), "computed": len(done.computed), "failed": len(done.failed)}
    if as_json:
        cells = [asdict(found[run_id]) for run_id in ids]
        print(strict_json({**counts, "theory": theory or DEFAULT_THEORY, "cells": cells}))
        return verdicts
    print_line(
        f"{len(ids)} cells: {counts['finished']} finished ({counts['computed']} of them now), "
        f"{counts['failed']} failed; kept in {path}"
    )
    if theory:
        words = Counter(verdict or "without a verdict" for verdict in verdicts).most_common()
        print(f"Verdicts on the {theory} theory: {', '.join(f'{count} {word}' for word, count in words)}.")
    return verdicts


def _with_verdict(store: Store, run: Summary, theory: str) -> Summary:
    """A run as the sweep lists it, with the verdict on another theory than the default one."""
    from pconv.store.judging import judged_by

    judged = store.run(run.run_id)
    verdict = judged_by(judged, theory).verdicts.get(theory) if judged else None
    return replace(run, verdict=str(verdict.status) if verdict else None)
