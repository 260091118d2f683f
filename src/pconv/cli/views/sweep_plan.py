"""The plan of a sweep or of studies: the runs, their states, and the estimated time and memory of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pconv._json import strict_json
from pconv.cli.views.console import run_table, table_console
from pconv.cli.views.live import duration
from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.engines.memory import gigabytes
from pconv.pacing.schedule import expected_epochs
from pconv.store.sqlite import Store
from pconv.store.summary import Summary
from pconv.store.timing import Timing, estimated_seconds
from pconv.sweeps.memory import run_memory
from pconv.sweeps.run import complete_runs
from pconv.sweeps.runner import Capacity
from pconv.training.options import RunOptions


@dataclass(frozen=True)
class PlannedRun:
    """A run and what is left to do for it."""

    config: RunConfig
    status: str  # as `pconv runs` lists it, or "wanted"
    epochs: int | None  # of an interrupted run: those in its checkpoint
    seconds: float | None  # to be computed, at most; None: nothing is left to do
    expected: float | None  # fewer seconds if it is expected to stop early
    memory: int | None  # estimated bytes
    lacks: str | None = None  # for what a finished run is computed again: weights or snapshots

    @property
    def state(self) -> str:
        """The status in words."""
        if self.status == "interrupted":
            return f"interrupted, epoch {self.epochs} of {self.config.epochs}"
        return f"{self.status} without {self.lacks}" if self.lacks else self.status

    def to_dict(self) -> dict[str, Any]:
        return {
            "run_id": self.config.run_id,
            "status": self.status,
            "epochs": self.epochs,
            "config": self.config.to_dict(),
            "seconds": self.seconds,
            "expected_seconds": self.expected,
            "memory": self.memory,
        }


def plan(
    wanted: Sequence[RunConfig],
    path: Path,
    options: RunOptions,
    options_of: Mapping[str, RunOptions] | None = None,
) -> list[PlannedRun]:
    """What a sweep would do for each run. The store is only read, and need not exist.

    Parameters
    ----------
    wanted
        The runs.
    path
        The store.
    options
        Whether runs end with a census, and whether a stored run without weights would be computed again.
    options_of
        The options of some runs by their ids, in place of `options`.
    """
    every = {config.run_id: (options_of or {}).get(config.run_id, options) for config in wanted}
    known: list[Timing] = []
    there: dict[str, Summary] = {}
    done: set[str] = set()
    with_weights: set[str] = set()
    if path.exists():
        with Store.read(path) as store:
            known = store.timings()
            there = {summary.run_id: summary for summary in store.summaries()}
            done = complete_runs(store, every)
            unfinished = every.keys() - done  # only their weights are read
            with_weights = store.finished(unfinished, with_weights=True)
    plans = []
    for config in wanted:
        summary = there.get(config.run_id)
        status = summary.status if summary else "wanted"
        epochs = summary.epochs if summary and status == "interrupted" else None
        seconds = expected = lacks = None
        if status == "finished" and config.run_id not in done:
            no_weights = every[config.run_id].keep_weights and config.run_id not in with_weights
            lacks = "weights" if no_weights else "snapshots"
        if config.run_id not in done:
            seconds, expected = (
                estimated_seconds(
                    replace(config, epochs=max(1, total - (epochs or 0))), known, options.census
                )
                for total in (config.epochs, expected_epochs(config))
            )
        estimate = run_memory(config, every[config.run_id])
        memory = estimate.total if estimate else None
        plans.append(PlannedRun(config, status, epochs, seconds, expected, memory, lacks))
    return plans


def show_plan(
    runs: Sequence[PlannedRun], jobs: int | None, as_json: bool, left_out: Mapping[str, float] | None = None
) -> None:
    """Prints the runs of a plan, and the time that all of them take.

    Parameters
    ----------
    runs
        The plan.
    jobs
        The number of runs at a time; None: chosen by their sizes.
    as_json
        Print JSON.
    left_out
        The runs that would take too long, with their estimated seconds; None if there is no limit.
    """
    capacity = Capacity.here(jobs)
    total = capacity.elapsed({run.config: run.seconds for run in runs if run.seconds is not None})
    expected = capacity.elapsed({run.config: run.expected for run in runs if run.expected is not None})
    if as_json:
        limited = {} if left_out is None else {"left_out": left_out}
        times = {"seconds": total, "expected_seconds": expected}
        print(strict_json({"cells": [run.to_dict() for run in runs], **times, **limited}))
        return
    table = run_table("as", "state", "at most", "memory")
    for run in runs:
        left = "" if run.seconds is None else duration(run.seconds)
        needs = f"{gigabytes(run.memory)} GB" if left and run.memory else ""
        table.add_row(run.config.run_id, as_flags(run.config), run.state, left, needs)
    table_console().print(table)
    to_do = sum(run.seconds is not None for run in runs)
    show_left_out(left_out or {})
    limits = f"in about {duration(expected)}, at most {duration(total)}"
    print(f"{len(runs)} cells, {to_do} to be done, {limits}.")


def show_left_out(runs: Mapping[str, float]) -> None:
    """Prints a line for each run that would take too long, with its estimated seconds."""
    for run_id, seconds in runs.items():
        print(f"Left out: run {run_id}, about {duration(seconds)}.")
