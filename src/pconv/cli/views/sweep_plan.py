"""The plan of a sweep: its runs, their states and their estimated times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from rich.table import Table

from pconv.cli.views.console import table_console
from pconv.cli.views.live import duration
from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.engines.memory import estimated_memory, gigabytes
from pconv.engines.registry import AUTO, chosen_engine
from pconv.store.sqlite import Store
from pconv.store.timing import estimated_seconds
from pconv.sweeps.runner import Capacity


def show_plan(wanted: Sequence[RunConfig], path: Path, jobs: int | None, as_json: bool) -> None:
    """Prints the runs of a sweep with their states and, if they are not finished, their estimated times.

    Parameters
    ----------
    wanted
        The runs.
    path
        The store, which need not exist.
    jobs
        The number of runs at a time; None: chosen by their sizes.
    as_json
        Print JSON.
    """
    known, states = [], {}
    if path.exists():
        with Store.read(path) as store:
            known = store.timings()
            states = {summary.run_id: summary.status for summary in store.summaries()}
    seconds = {
        config.run_id: estimated_seconds(config, known)
        for config in wanted
        if states.get(config.run_id) != "finished"
    }
    capacity = Capacity.here(jobs)
    total = sum(seconds[c.run_id] * capacity.cost(c) for c in wanted if c.run_id in seconds) / capacity.cores
    if as_json:
        cells = [
            {
                "run_id": config.run_id,
                "status": states.get(config.run_id, "wanted"),
                "config": config.to_dict(),
                "seconds": seconds.get(config.run_id),
                "memory": _memory(config),
            }
            for config in wanted
        ]
        print(json.dumps({"cells": cells, "seconds": total}))
        return
    table = Table("run", "as", "state", "at most", "memory", box=None, header_style="bold")
    for config in wanted:
        left = duration(seconds[config.run_id]) if config.run_id in seconds else ""
        memory = _memory(config) if left else None
        needs = f"{gigabytes(memory)} GB" if memory else ""
        table.add_row(config.run_id, as_flags(config), states.get(config.run_id, "wanted"), left, needs)
    table_console().print(table)
    print(f"{len(wanted)} cells, {len(seconds)} to be done, in about {duration(total)} at most.")


def _memory(config: RunConfig) -> int | None:
    """The estimated bytes of one run on the CPU."""
    return _memory_of(replace(config, seed=0, epochs=1))  # runs that differ in these alone need the same


@cache
def _memory_of(config: RunConfig) -> int | None:
    import torch

    estimate = estimated_memory(config, chosen_engine(config, AUTO, torch.device("cpu")))
    return estimate.total if estimate else None
