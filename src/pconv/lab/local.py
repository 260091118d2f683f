"""A sweep on this machine, with its own worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pconv.lab.executor import LocalExecutor, WorkerDied
from pconv.lab.heartbeat import working
from pconv.lab.judging import verdicts_on
from pconv.lab.runner import Room, Sweep
from pconv.lab.store import Store


@contextmanager
def local_sweep(
    path: Path,
    jobs: int | None = None,
    retries: int = 5,
    keep_weights: bool = False,
    save_after: float | None = None,
) -> Iterator[Sweep]:
    """A sweep to `run`. However it ends, its workers end and its claims are given back."""
    room = Room.here(jobs)
    with Store.open(path) as store, working(path) as owner:
        executor = LocalExecutor(room.jobs, lambda progress: sweep.hear(progress))
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
        )
        try:
            yield sweep
        finally:
            executor.shutdown(cancel_futures=True)
