"""Sweeps on an existing Dask cluster: its workers compute, and only this process writes to the store."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
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
_AT_ONCE = 1000
"""Jobs submitted to the scheduler at a time: enough for a cluster that scales with its queue."""
_ADDRESS = re.compile(r"((tcp|tls)://)?[^/\s]+:\d+")
_TIMEOUT = 10  # seconds in which the scheduler must answer
_PATIENCE = 10.0  # seconds without any worker after which that is said

log = logging.getLogger(__name__)


@contextmanager
def cluster_sweep(
    store: Store | Path | str,
    scheduler: str,
    *,
    retries: int = 5,
    options: RunOptions | None = None,
    options_of: Mapping[str, RunOptions] | None = None,
) -> Iterator[Sweep]:
    """A sweep to `run` on a cluster. At the end of the `with` block its claims are released.

    Parameters
    ----------
    store
        An open store, or the path of one, which is created if needed.
    scheduler
        The address of the cluster's scheduler, such as `tcp://127.0.0.1:8786`. For `tls://` the certificates
        are those of Dask's configuration.
    retries
        How often a run is restarted whose worker died.
    options
        How runs are computed, and what is kept of them; each machine determines the threads.
    options_of
        The options of some runs by their ids, in place of `options`.
    """
    check_retries(retries)
    try:
        from distributed import Client, KilledWorker
        from distributed.comm.core import CommClosedError
    except ImportError:
        raise PconvError("--scheduler needs Dask: pip install dask distributed") from None

    _check_answers(scheduler)
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a lost scheduler is one line, below
    with (
        Client(scheduler, timeout=_TIMEOUT, set_as_default=False) as client,
        open_store(store) as opened,
        working(opened.location) as owner,
        ClusterExecutor(client) as executor,
    ):
        sweep = Sweep(
            store=opened,
            executor=executor,
            capacity=Capacity(_AT_ONCE, _AT_ONCE, None),
            owner=owner,
            worker_lost=(KilledWorker,),
            retries=retries,
            options=options or RunOptions(),
            options_of=options_of or {},
            work=compute_on_worker,
            workers=WorkerCount(client),
        )
        client.subscribe_topic(_TOPIC, lambda event: sweep.on_progress(Progress(*event[1])))
        try:
            yield sweep
        except (CommClosedError, CancelledError) as error:
            raise PconvError(f"the scheduler {scheduler} is gone; the same command goes on") from error


class ClusterExecutor(Executor):
    """Submits tasks to a cluster, and completes their futures whatever happens to a result.

    Dask's own executor does not complete a future if the result is lost on its way here and cannot be
    computed again.

    Parameters
    ----------
    client
        A connected `distributed.Client`.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._remote: set[Any] = set()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        remote = self._client.submit(function, *arguments, pure=False)
        self._remote.add(remote)
        return asyncio.run_coroutine_threadsafe(self._result(remote), self._client.loop.asyncio_loop)

    async def _result(self, remote: Any) -> Any:
        try:
            return await remote
        finally:
            self._remote.discard(remote)  # then the workers may forget the result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancels the tasks that are left; `wait` and `cancel_futures` have no effect."""
        self._client.cancel(list(self._remote))


class WorkerCount:
    """Called about once a second: how many workers a cluster has now, None until it has answered.

    It never waits for the answer, and warns once if there are no workers for `_PATIENCE` seconds.

    Parameters
    ----------
    client
        A connected `distributed.Client`.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._asked: Future[None] | None = None
        self._count: int | None = None
        self._since: float | None = None  # when there were no workers first
        self._warned = False

    def __call__(self) -> int | None:
        if self._asked is None or self._asked.done():
            self._asked = asyncio.run_coroutine_threadsafe(self._ask(), self._client.loop.asyncio_loop)
        if self._count != 0:
            self._since = None
        elif self._since is None:
            self._since = time.monotonic()
        elif not self._warned and time.monotonic() - self._since >= _PATIENCE:
            self._warned = True
            log.warning("the cluster has no workers; the runs wait until there are some")
        return self._count

    async def _ask(self) -> None:
        with suppress(OSError):  # a lost scheduler is noticed by the runs
            self._count = len(await self._client.scheduler.ncores(workers=None))


def _check_answers(scheduler: str) -> None:
    """Raises InputError if no scheduler can be reached; a `Client` would keep on trying after its error."""
    if not _ADDRESS.fullmatch(scheduler):
        raise InputError("scheduler", scheduler, "must be tcp://HOST:PORT or tls://HOST:PORT")
    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook's own thread has an event loop already
            thread.submit(asyncio.run, _connect_once(scheduler)).result()
    except TypeError:  # raised for tls:// without certificates
        needs = "needs the certificates of the cluster in Dask's configuration (docs/cluster.md)"
        raise InputError("scheduler", scheduler, needs) from None
    except Exception as error:  # whatever a server that is no scheduler answers, even a message of exabytes
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError("scheduler", scheduler, f"no Dask scheduler answers there ({reason})") from None


async def _connect_once(scheduler: str) -> None:
    from distributed import Security
    from distributed.comm.core import connect

    comm = await connect(scheduler, timeout=_TIMEOUT, **Security().get_connection_args("client"))
    await comm.close()


def compute_on_worker(job: Job) -> JobResult:
    """`compute` on a worker of the cluster; its progress goes to the client as events."""
    from distributed import get_worker

    worker = get_worker()
    # a list, because the scheduler adds the worker's name to a dict
    return compute(job, lambda progress: worker.log_event(_TOPIC, list(progress)))
