"""The plan of a sweep: its runs, their states and their estimated times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from pconv.cli.views.console import table_console
from pconv.cli.views.live import duration
from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.engines.memory import gigabytes
from pconv.store.sqlite import Store
from pconv.store.timing import estimated_seconds
from pconv.sweeps.memory import run_memory
from pconv.sweeps.runner import Capacity


def show_plan(wanted: Sequence[RunConfig], path: Path, jobs: int | None, census: bool, as_json: bool) -> None:
    """Prints the runs of a sweep with their states and, if they are not finished, their estimated times.

    Parameters
    ----------
    wanted
        The runs.
    path
        The store, which need not exist.
    jobs
        The number of runs at a time; None: chosen by their sizes.
    census
        Whether the runs end with a census.
    as_json
        Print JSON.
    """
    known, states = [], {}
    if path.exists():
        with Store.read(path) as store:
            known = store.timings()
            states = {summary.run_id: summary.status for summary in store.summaries()}
    seconds = {
        config: estimated_seconds(config, known, census)
        for config in wanted
        if states.get(config.run_id) != "finished"
    }
    total = Capacity.here(jobs).elapsed(seconds)
    if as_json:
        cells = [
            {
                "run_id": config.run_id,
                "status": states.get(config.run_id, "wanted"),
                "config": config.to_dict(),
                "seconds": seconds.get(config),
                "memory": estimate.total if (estimate := run_memory(config, census)) else None,
            }
            for config in wanted
        ]
        print(json.dumps({"cells": cells, "seconds": total}))
        return
    table = Table("run", "as", "state", "at most", "memory", box=None, header_style="bold")
    for config in wanted:
        left = duration(seconds[config]) if config in seconds else ""
        estimate = run_memory(config, census) if left else None
        needs = f"{gigabytes(estimate.total)} GB" if estimate else ""
        table.add_row(config.run_id, as_flags(config), states.get(config.run_id, "wanted"), left, needs)
    table_console().print(table)
    print(f"{len(wanted)} cells, {len(seconds)} to be done, in about {duration(total)} at most.")
