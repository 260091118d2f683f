"""Sweeps on this machine, with worker processes of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pconv.config import RunConfig
from pconv.errors import PconvError
from pconv.result import RunResult
from pconv.store.sqlite import Store
from pconv.sweeps.grid import expand, read_spec
from pconv.sweeps.heartbeat import working
from pconv.sweeps.memory import MemoryBudget
from pconv.sweeps.process_pool import LocalExecutor, WorkerDied
from pconv.sweeps.run import open_store
from pconv.sweeps.runner import Capacity, Sweep, check_retries
from pconv.training.options import RunOptions


class SweepFailed(PconvError):
    """Some runs of a sweep could not be computed; `failed` has the reason of each by its run id."""

    def __init__(self, failed: Mapping[str, str]) -> None:
        self.failed = dict(failed)
        reasons = "; ".join(f"run {run_id} failed: {reason}" for run_id, reason in self.failed.items())
        super().__init__(f"{reasons} (the other runs are in the store)")


def sweep(
    runs: Iterable[RunConfig] | Mapping[str, Any] | Path | str,
    store: Store | Path | str,
    *,
    jobs: int | None = None,
    retries: int = 5,
    census: bool = True,
    keep_weights: bool = False,
) -> list[RunResult]:
    """Trains all runs that are not in the store yet, in parallel, and returns the results of all.

    The worker processes import the main module: a script calls this under `if __name__ == "__main__":`. They
    know the tasks, architectures and representations of installed packages, not those of a notebook.

    Parameters
    ----------
    runs
        Configurations; or a grid, whose values are alternatives or lists of them, every combination of which
        is a run; or the path of a TOML file with a table `[grid]`, as `pconv sweep` reads it.
    store
        An open store, or the path of one, which is created if needed.
    jobs
        Runs at a time; by default as many as cores for small networks, one with all cores for a large one.
    retries
        How often a run is restarted whose worker process died.
    census
        Evaluate each network on every unseen number of the domain at the end.
    keep_weights
        Store the weights also where they exceed 50 MB.

    Returns
    -------
    list of RunResult
        In the order of the configurations; those of a grid vary in the last key first.

    Raises
    ------
    SweepFailed
        After all other runs are finished, if some could not be computed.

    Examples
    --------
    >>> grid = {"modulus": [3, 5], "successors": 3, "seed": [0, 1, 2]}
    >>> results = sweep(grid, "runs.db", jobs=2)  # doctest: +SKIP
    >>> [(r.config.modulus, r.config.seed, r.test.accuracy) for r in results]  # doctest: +SKIP
    """
    configs = _configs(runs)
    wanted = {config.run_id: config for config in configs}
    options = RunOptions(census=census, keep_weights=keep_weights)
    with local_sweep(store, jobs, retries=retries, options=options) as started:
        started.run(list(wanted.values()))
        if started.failed:
            raise SweepFailed(started.failed)
        results = {run_id: started.store.result(run_id) for run_id in wanted}
    return [result for config in configs if (result := results[config.run_id])]


def _configs(runs: Iterable[RunConfig] | Mapping[str, Any] | Path | str) -> list[RunConfig]:
    if isinstance(runs, str | Path):
        return read_spec(Path(runs))
    return expand({"grid": dict(runs)}) if isinstance(runs, Mapping) else list(runs)


@contextmanager
def local_sweep(
    store: Store | Path | str,
    jobs: int | None = None,
    *,
    retries: int = 5,
    options: RunOptions | None = None,
    options_of: Mapping[str, RunOptions] | None = None,
) -> Iterator[Sweep]:
    """A sweep to `run`. At the end of the `with` block its workers are stopped and its claims released.

    Parameters
    ----------
    store
        An open store, or the path of one, which is created if needed.
    jobs
        Runs at a time; by default as many as cores for small networks, one with all cores for a large one.
    retries
        How often a run is restarted whose worker process died.
    options
        How runs are computed, and what is kept of them; `jobs` determines the threads of each.
    options_of
        The options of some runs by their ids, in place of `options`.
    """
    capacity, options = Capacity.here(jobs), options or RunOptions()
    check_retries(retries)
    with open_store(store) as opened, working(opened.location) as owner:
        executor = LocalExecutor(capacity.jobs, lambda progress: started.on_progress(progress))
        started = Sweep(
            store=opened,
            executor=executor,
            capacity=capacity,
            owner=owner,
            worker_lost=(WorkerDied,),
            retries=retries,
            options=options,
            options_of=options_of or {},
            memory=MemoryBudget.here(options, options_of or {}),
        )
        try:
            yield started
        finally:
            executor.shutdown(cancel_futures=True)
