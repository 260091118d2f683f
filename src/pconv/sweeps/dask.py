"""Sweeps on an existing Dask cluster: its workers compute, and only this process writes to the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pconv.errors import InputError, PconvError
from pconv.store.sqlite import Store
from pconv.sweeps.heartbeat import working
from pconv.sweeps.job import Job, JobResult, Progress, compute
from pconv.sweeps.run import open_store
from pconv.sweeps.runner import Capacity, Sweep, check_retries
from pconv.training.options import RunOptions

_TOPIC = "pconv"
_CONNECT_SECONDS = 10
_AT_ONCE = 1000
"""Jobs submitted to the scheduler at a time: enough for a cluster that scales with its queue."""


@contextmanager
def cluster_sweep(
    store: Store | Path | str,
    scheduler: str,
    *,
    retries: int = 5,
    options: RunOptions | None = None,
    snapshots: Mapping[str, tuple[int, ...]] | None = None,
) -> Iterator[Sweep]:
    """A sweep to `run` on a cluster. At the end of the `with` block its claims are released.

    Parameters
    ----------
    store
        An open store, or the path of one, which is created if needed.
    scheduler
        The address of the cluster's scheduler, such as `tcp://127.0.0.1:8786`.
    retries
        How often a run is restarted whose worker died.
    options
        How runs are computed, and what is kept of them; each machine determines the threads.
    snapshots
        For some run ids the epochs whose weights are kept, in place of `options.snapshots`.
    """
    check_retries(retries)
    try:
        from distributed import Client, KilledWorker
        from distributed.comm.core import CommClosedError
    except ImportError:
        raise PconvError("--scheduler needs Dask: pip install 'pconv[cluster]'") from None

    with (
        open_store(store) as opened,
        working(opened.path) as owner,
        _connected(Client, scheduler) as client,
    ):
        executor = client.get_executor(pure=False)
        sweep = Sweep(
            store=opened,
            executor=executor,
            capacity=Capacity(_AT_ONCE, _AT_ONCE, None),
            owner=owner,
            worker_lost=(KilledWorker,),
            retries=retries,
            options=options or RunOptions(),
            snapshots=snapshots or {},
            work=compute_on_worker,
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
        connected = client(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError("scheduler", scheduler, f"no Dask scheduler answers there ({reason})") from None
    with connected:
        yield connected


def compute_on_worker(job: Job) -> JobResult:
    """`compute` on a worker of the cluster; its progress goes to the client as events."""
    from distributed import get_worker

    worker = get_worker()
    # a list, because the scheduler adds the worker's name to a dict
    return compute(job, lambda progress: worker.log_event(_TOPIC, list(progress)))
