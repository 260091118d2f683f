"""A sweep: the runs wanted, minus those finished, minus those being worked on, until none is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, field

from pconv.config import RunConfig
from pconv.engines.threads import available_cores, default_threads
from pconv.result import RunResult
from pconv.store.run import Verdicts
from pconv.store.sqlite import Claim, Store
from pconv.sweeps.job import Job, JobResult, Progress, compute

_POLL = 1.0  # seconds after which runs that another process holds are asked for again


@dataclass(frozen=True)
class Capacity:
    """How many runs fit at once: at most `jobs`, and no more threads than `cores`."""

    jobs: int
    cores: int
    most_threads: int | None  # of one run; None: the machine that computes it decides

    @classmethod
    def here(cls, jobs: int | None = None) -> Capacity:
        """On this machine. Without `jobs`: a worker a core for small networks, all cores for a large one."""
        cores = available_cores()
        if jobs is None:
            return cls(cores, cores, cores)
        return cls(jobs, max(cores, jobs), max(1, cores // jobs))

    def threads(self, config: RunConfig) -> int | None:
        """The threads of a run."""
        return None if self.most_threads is None else min(default_threads(config), self.most_threads)

    def cost(self, config: RunConfig) -> int:
        """How much of the room a run takes."""
        return self.threads(config) or 1


@dataclass
class Running:
    """A run under way, as the display shows it."""

    cell: Job
    started: float
    progress: Progress | None = None


@dataclass
class Sweep:
    """Runs under way and what became of the others; `run` until the end, and look at it meanwhile."""

    store: Store
    executor: Executor
    room: Capacity
    owner: str
    judge: Callable[[RunResult], Verdicts]
    lost: tuple[type[BaseException], ...]  # what a future raises when its worker is gone
    retries: int = 5
    keep_weights: bool = False
    save_after: float | None = None
    census: bool = True
    snapshots: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # epochs to keep, by run id
    work: Callable[..., JobResult] = compute
    waiting: list[RunConfig] = field(default_factory=list)
    running: dict[Future[JobResult], Running] = field(default_factory=dict)
    finished: list[RunConfig] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    elsewhere: int = 0  # runs that another process is working on
    computed: int = 0  # runs that this sweep finished itself
    _deaths: dict[str, int] = field(default_factory=dict)

    def run(self, wanted: Sequence[RunConfig]) -> None:
        """Compute what is not there yet, with its weights if those are kept; what failed is tried again."""
        there = self.store.finished((config.run_id for config in wanted), self.keep_weights)
        self.finished = [config for config in wanted if config.run_id in there]
        missing = [config for config in wanted if config.run_id not in there]
        self.waiting = sorted(missing, key=self.room.cost)  # the large ones last, alone
        while self.waiting or self.running:
            self._start_what_fits()
            if self.running:
                done, _ = wait(self.running, timeout=_POLL, return_when="FIRST_COMPLETED")
                for future in done:
                    self._end(self.running.pop(future), future)
            elif self.waiting:
                time.sleep(_POLL)

    def on_progress(self, progress: Progress) -> None:
        """A worker tells how far it is."""
        for running in list(self.running.values()):
            if running.cell.config.run_id == progress.run_id:
                running.progress = progress

    def _start_what_fits(self) -> None:
        left, self.elsewhere = [], 0
        for config in self.waiting:
            if not self._fits(config):
                left.append(config)
                continue
            claim = self.store.claim(config, self.owner, self.keep_weights)
            if claim is Claim.ACQUIRED:
                self._start(config)
            elif claim is Claim.FINISHED:
                self.finished.append(config)
            else:
                left.append(config)
                self.elsewhere += 1
        self.waiting = left

    def _fits(self, config: RunConfig) -> bool:
        busy = sum(self.room.cost(running.cell.config) for running in self.running.values())
        roomy = busy + self.room.cost(config) <= self.room.cores
        return not self.running or (len(self.running) < self.room.jobs and roomy)

    def _start(self, config: RunConfig) -> None:
        cell = Job(
            config,
            self.room.threads(config),
            self.store.files.checkpoint(config.run_id),
            self.keep_weights,
            self.save_after,
            self.census,
            self.snapshots.get(config.run_id, ()),
        )
        self.running[self.executor.submit(self.work, cell)] = Running(cell, time.monotonic())

    def _end(self, running: Running, future: Future[JobResult]) -> None:
        config = running.cell.config
        try:
            outcome = future.result()
        except self.lost:
            self._retry(config)
            return
        if outcome.result is None:
            self._fail(config, outcome.reason)
            return
        verdicts = self.judge(outcome.result)
        self.store.finish(outcome.result, outcome.weights, verdicts, self.owner, outcome.snapshots)
        self.finished.append(config)
        self.computed += 1

    def _retry(self, config: RunConfig) -> None:
        """A dead worker takes its run with it; the run goes back to the front, a few times."""
        deaths = self._deaths[config.run_id] = self._deaths.get(config.run_id, 0) + 1
        if deaths > self.retries:
            self._fail(config, f"its worker died {deaths} times")
        else:
            self.waiting.insert(0, config)

    def _fail(self, config: RunConfig, reason: str) -> None:
        self.store.fail(config, reason, self.owner)
        self.failed[config.run_id] = reason
