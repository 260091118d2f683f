"""What one run would take: its time and its memory."""

from __future__ import annotations

from pathlib import Path

from pconv._json import strict_json
from pconv.cli.views.console import output_console
from pconv.cli.views.live import duration
from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.engines.memory import available_memory, estimated_memory, gigabytes
from pconv.engines.registry import chosen_engine, usable_device
from pconv.store.sqlite import Store
from pconv.store.timing import START, estimated_seconds
from pconv.training.options import RunOptions


def show_run_plan(config: RunConfig, options: RunOptions, path: Path, as_json: bool) -> None:
    """Prints whether a run is in the store, and its estimated time and memory if it is not.

    Parameters
    ----------
    config
        The run.
    options
        How it would be computed.
    path
        The store, which need not exist.
    as_json
        Print JSON.
    """
    known, status = [], "wanted"
    if path.exists():
        with Store.read(path) as store:
            known = store.timings()
            status = next((s.status for s in store.summaries() if s.run_id == config.run_id), status)
    seconds = START + estimated_seconds(config, known, options.census)
    engine = chosen_engine(config, options.engine, usable_device(options.device))
    memory = estimated_memory(config, engine, options.census, len(options.snapshots))
    available = available_memory()
    if as_json:
        document = {"run_id": config.run_id, "status": status, "config": config.to_dict(), "seconds": seconds}
        found = {"memory": memory and memory.to_dict(), "available_memory": available}
        print(strict_json({**document, "engine": engine.name, **found}))
        return
    console = output_console()
    console.print(f"run {config.run_id} ({as_flags(config)}): {status}", soft_wrap=True)
    console.print(f"engine {engine.name}, at most about {duration(seconds)}", soft_wrap=True)
    there = "unknown" if available is None else f"{gigabytes(available)} GB"
    console.print(f"memory: about {memory or 'unknown'}; available: {there}", soft_wrap=True)
