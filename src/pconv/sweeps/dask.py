"""A sweep on an existing Dask cluster. Workers compute; only this process writes the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pconv.errors import InputError, PconvError
from pconv.store.judging import verdicts_on
from pconv.store.sqlite import Store
from pconv.sweeps.heartbeat import working
from pconv.sweeps.job import Job, JobResult, Progress, compute
from pconv.sweeps.runner import Capacity, Sweep

_TOPIC = "pconv"
_AT_ONCE = 1000
"""Cells handed to the scheduler at a time: enough that a cluster which grows with its queue grows."""


@contextmanager
def cluster_sweep(
    path: Path,
    scheduler: str,
    retries: int = 5,
    keep_weights: bool = False,
    census: bool = True,
    snapshots: Mapping[str, tuple[int, ...]] | None = None,
) -> Iterator[Sweep]:
    """A sweep to `run` on the cluster of this scheduler; the parameters are those of `local_sweep`."""
    try:
        from distributed import Client, KilledWorker
        from distributed.comm.core import CommClosedError
    except ImportError:
        raise PconvError("--scheduler needs Dask: pip install 'pconv[cluster]'") from None

    with Store.open(path) as store, working(path) as owner, _connected(Client, scheduler) as client:
        executor = client.get_executor(pure=False)
        sweep = Sweep(
            store,
            executor,
            Capacity(_AT_ONCE, _AT_ONCE, None),
            owner,
            verdicts_on,
            (KilledWorker,),
            retries,
            keep_weights,
            census=census,
            snapshots=snapshots or {},
            work=compute_there,
        )
        client.subscribe_topic(_TOPIC, lambda event: sweep.on_progress(Progress(*event[1])))
        try:
            yield sweep
        except (CommClosedError, CancelledError) as error:
            raise PconvError(f"the scheduler {scheduler} is gone; the same command goes on") from error
        finally:
            executor.shutdown(wait=False)


@contextmanager
def _connected(client: Any, scheduler: str) -> Iterator[Any]:
    try:
        connected = client(scheduler, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError("scheduler", scheduler, f"no Dask scheduler answers there ({reason})") from None
    with connected:
        yield connected


def compute_there(cell: Job) -> JobResult:
    """`compute` on a worker of the cluster, telling the client of every epoch."""
    from distributed import get_worker

    worker = get_worker()
    # a list: to a dict the scheduler adds the worker's name
    return compute(cell, lambda progress: worker.log_event(_TOPIC, list(progress)))
