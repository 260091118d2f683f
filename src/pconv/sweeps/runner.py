"""A sweep: computes the runs that are neither finished nor claimed by another process, until none is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, field, replace

from pconv.config import RunConfig
from pconv.engines.threads import available_cores, default_threads
from pconv.errors import InputError
from pconv.pacing.schedule import Work, expected_work
from pconv.store.sqlite import Claim, Store
from pconv.store.timing import START
from pconv.sweeps.job import FailedRun, Job, JobResult, Progress, compute, keeps_weights
from pconv.sweeps.memory import MemoryBudget
from pconv.sweeps.run import check_stored, complete_runs, keep, with_extras
from pconv.training.options import RunOptions

_POLL = 1.0  # seconds between two attempts to claim runs that another process holds
_LOOKING = 0.05  # of the time goes into such attempts: where one takes long, the next is later
_LONGEST_PAUSE = 10.0  # seconds between two of them, at most
_MOST_JOBS = 1024


@dataclass(frozen=True)
class Capacity:
    """How many runs are computed at once: at most `jobs`, with no more threads in all than `cores`."""

    jobs: int
    cores: int
    most_threads: int | None  # of one run; None: the machine that computes it decides

    @classmethod
    def here(cls, jobs: int | None = None) -> Capacity:
        """That of this machine. Without `jobs`: one core for a small network, all cores for a large one."""
        cores = available_cores()
        if jobs is None:
            return cls(cores, cores, cores)
        if not 1 <= jobs <= _MOST_JOBS:
            raise InputError("jobs", jobs, f"must be from 1 to {_MOST_JOBS}")
        return cls(jobs, max(cores, jobs), max(1, cores // jobs))

    def threads(self, config: RunConfig) -> int | None:
        """The threads of a run."""
        return None if self.most_threads is None else min(default_threads(config), self.most_threads)

    def cost(self, config: RunConfig) -> int:
        """How many of the cores a run takes."""
        return self.threads(config) or 1

    def elapsed(self, seconds: Mapping[RunConfig, float]) -> float:
        """Estimated seconds of runs side by side, from those of each on its own; 0 without any run.

        What takes longest decides: all work on all cores, all runs `jobs` at a time, or the longest run.
        """
        if not seconds:
            return 0.0
        work = sum(each * self.cost(config) for config, each in seconds.items())
        return START + max(work / self.cores, sum(seconds.values()) / self.jobs, max(seconds.values()))


def check_retries(retries: int) -> None:
    """Raises InputError for a negative number."""
    if retries < 0:
        raise InputError("retries", retries, "must be at least 0")


@dataclass
class Running:
    """A job that a worker is computing."""

    job: Job
    started: float
    progress: Progress | None = None
    resumed: int | None = None  # the epoch from which on it trains; known after its first step


@dataclass(kw_only=True)
class Sweep:
    """Computes many runs; its state can be read from another thread while `run` is active.

    Parameters
    ----------
    store
        Keeps the runs; only this process writes to it.
    executor
        Runs `work(job)` on workers.
    capacity
        How many jobs are submitted at once, and with how many threads.
    owner
        The name under which runs are claimed.
    worker_lost
        The exceptions of a future whose worker died.
    retries
        How often a run is restarted whose worker died.
    options
        How runs are computed, and what is kept of them; `capacity` determines the threads.
    options_of
        The options of some runs by their ids, in place of `options`.
    memory
        The memory of all simultaneous runs; None where other machines compute them.
    on_poll
        Called about once a second, in the thread of `run`.
    workers
        How many workers a cluster has, None while that is unknown; called as often. None on this machine,
        where every submitted run has one.
    """

    store: Store
    executor: Executor
    capacity: Capacity
    owner: str
    worker_lost: tuple[type[BaseException], ...]
    retries: int = 5
    options: RunOptions = field(default_factory=RunOptions)
    options_of: Mapping[str, RunOptions] = field(default_factory=dict)
    work: Callable[..., JobResult] = compute
    memory: MemoryBudget | None = None
    on_poll: Callable[[], None] | None = None
    workers: Callable[[], int | None] | None = None
    waiting: list[RunConfig] = field(default_factory=list)
    running: dict[Future[JobResult], Running] = field(default_factory=dict)
    finished: list[RunConfig] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    untested: dict[str, str] = field(default_factory=dict)  # theories that raised an exception, and which
    worker_count: int | None = None  # the last answer of `workers`
    elsewhere: int = 0  # runs that another process has claimed
    computed: list[Work] = field(default_factory=list)  # the runs that this sweep finished itself
    _deaths: dict[str, int] = field(default_factory=dict)
    _next_look: float = 0.0  # when waiting runs are looked through again, unless a running one ends before

    def run(self, wanted: Sequence[RunConfig]) -> None:
        """Computes the runs that are not stored, or stored without weights or snapshots that are wanted.

        Runs that failed in an earlier sweep are tried again. If one of them does not fit into the memory, or
        its weights could not be kept, none is computed.
        """
        wanted = list(dict.fromkeys(wanted))
        for config in wanted:
            check_stored(self.store, config)
        stored = complete_runs(self.store, {config.run_id: self._options(config) for config in wanted})
        self.finished = [config for config in wanted if config.run_id in stored]
        missing = [config for config in wanted if config.run_id not in stored]
        if self.memory:
            self.memory.check(missing)
        if any(keeps_weights(config, self._options(config)) for config in missing):
            self.store.files.check_writable()
        self.waiting = sorted(missing, key=self._order)
        while self.waiting or self.running:
            if time.monotonic() >= self._next_look:
                self._start_what_fits()
            if self.workers:
                self.worker_count = self.workers()
            if self.on_poll:
                self.on_poll()
            if self.running:
                done, _ = wait(self.running, timeout=_POLL, return_when="FIRST_COMPLETED")
                for future in done:
                    self._end(self.running.pop(future), future)
                    self._next_look = 0.0
            elif self.waiting:
                time.sleep(_POLL)

    def _options(self, config: RunConfig) -> RunOptions:
        return self.options_of.get(config.run_id, self.options)

    def _order(self, config: RunConfig) -> tuple[int, float]:
        """Large networks last, one at a time; before them the shortest first, so that results come early."""
        return self.capacity.cost(config), expected_work(config)

    def on_progress(self, progress: Progress) -> None:
        """Records the progress of a running job."""
        for running in list(self.running.values()):
            if running.job.config.run_id == progress.run_id:
                if running.resumed is None and progress.epochs > 0:
                    running.resumed = progress.epoch
                running.progress = progress

    def _start_what_fits(self) -> None:
        looked, busy, left, self.elsewhere = time.monotonic(), len(self.running), [], 0
        for index, config in enumerate(self.waiting):
            if self._is_full():
                left += self.waiting[index:]
                break
            if not self._fits(config):
                left.append(config)
                continue
            options = self._options(config)
            claim = self.store.claim(config, self.owner, options.keep_weights, options.snapshots)
            if claim is Claim.ACQUIRED:
                self._start(config)
            elif claim is Claim.FINISHED:
                self.finished.append(config)
            else:
                left.append(config)
                self.elsewhere += 1
        self.waiting = left
        if len(self.running) == busy:
            now = time.monotonic()
            self._next_look = now + min((now - looked) / _LOOKING, _LONGEST_PAUSE)

    def _is_full(self) -> bool:
        """Whether no run at all can be added."""
        cores = sum(self.capacity.cost(each.job.config) for each in self.running.values())
        return len(self.running) >= self.capacity.jobs or cores >= self.capacity.cores

    def _fits(self, config: RunConfig) -> bool:
        running = [each.job.config for each in self.running.values()]
        if not running:
            return True
        cores = sum(map(self.capacity.cost, running)) + self.capacity.cost(config)
        if len(running) >= self.capacity.jobs or cores > self.capacity.cores:
            return False
        return self.memory is None or self.memory.fits(config, running)

    def _start(self, config: RunConfig) -> None:
        options = with_extras(self._options(config), self.store, config)
        options = replace(options, threads=self.capacity.threads(config))
        job = Job(config, options, self.store.files.checkpoint(config.run_id))
        self.running[self.executor.submit(self.work, job)] = Running(job, time.monotonic())

    def _end(self, running: Running, future: Future[JobResult]) -> None:
        config = running.job.config
        try:
            run = future.result()
        except self.worker_lost:
            self._retry(config)
            return
        if isinstance(run, FailedRun):
            self._fail(config, run.reason)
            return
        self.untested |= keep(self.store, run, self.owner).failed
        self.finished.append(config)
        census = 1.0 if running.job.options.census else None
        self.computed.append(Work(config, len(run.result.epochs), running.resumed or 0, census))

    def _retry(self, config: RunConfig) -> None:
        """Puts the run of a dead worker back to the front, unless it has had all its retries."""
        deaths = self._deaths[config.run_id] = self._deaths.get(config.run_id, 0) + 1
        if deaths > self.retries:
            self._fail(config, f"its worker died {deaths} times")
        else:
            self.waiting.insert(0, config)

    def _fail(self, config: RunConfig, reason: str) -> None:
        self.store.fail(config, reason, self.owner)
        self.failed[config.run_id] = reason
