"""A sweep on this machine, with its own worker processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pconv.store.judging import verdicts_on
from pconv.store.sqlite import Store
from pconv.sweeps.heartbeat import working
from pconv.sweeps.process_pool import LocalExecutor, WorkerDied
from pconv.sweeps.runner import Capacity, Sweep


@contextmanager
def local_sweep(
    path: Path,
    jobs: int | None = None,
    retries: int = 5,
    keep_weights: bool = False,
    save_after: float | None = None,
    census: bool = True,
    snapshots: Mapping[str, tuple[int, ...]] | None = None,
) -> Iterator[Sweep]:
    """A sweep to `run`. However it ends, its workers end and its claims are given back.

    Parameters
    ----------
    path
        The store.
    jobs
        Runs at a time; by default as many as cores for small networks, one with all cores for a large one.
    retries
        How often a run is begun again whose worker died.
    keep_weights
        Keep weights also where they are large.
    save_after
        Seconds of training after which a checkpoint is due.
    census
        Ask every unseen number at the end of each run.
    snapshots
        For a run id the epochs whose weights are kept.
    """
    room = Capacity.here(jobs)
    with Store.open(path) as store, working(path) as owner:
        executor = LocalExecutor(room.jobs, lambda progress: sweep.on_progress(progress))
        sweep = Sweep(
            store,
            executor,
            room,
            owner,
            verdicts_on,
            (WorkerDied,),
            retries,
            keep_weights,
            save_after,
            census,
            snapshots or {},
        )
        try:
            yield sweep
        finally:
            executor.shutdown(cancel_futures=True)
