"""A sweep finishes every run exactly once and with the same bits, whatever happens to its workers."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest

from pconv.config import RunConfig
from pconv.engines.threads import available_cores
from pconv.errors import PconvError
from pconv.evaluate import comparison
from pconv.result import RunResult
from pconv.store.sqlite import Claim, Store
from pconv.store.timing import START
from pconv.sweeps import runner
from pconv.sweeps.heartbeat import working
from pconv.sweeps.job import ComputedRun, FailedRun, Job, JobResult, Progress, compute
from pconv.sweeps.local import local_sweep
from pconv.sweeps.memory import MemoryBudget, run_memory
from pconv.sweeps.process_pool import LocalExecutor, WorkerDied
from pconv.sweeps.runner import Capacity, Running, Sweep
from pconv.training.options import RunOptions
from tests.fakes import fake_result, tiny

KILLS = 6
CELLS = [tiny(seed, modulus) for modulus in (2, 6) for seed in range(5)]


def without_times(result: RunResult | None) -> RunResult:
    assert result is not None
    return replace(result, epochs=tuple(replace(epoch, seconds=0.0) for epoch in result.epochs))


def compute_last(gate: Path, job: Job, send: Callable[[Progress], None]) -> JobResult:
    """Computes a job, the one of the last cell not before the gate is there."""
    while job.config == CELLS[-1] and not gate.exists():
        time.sleep(0.01)
    return compute(job, send)


def kill_workers(sweep: Sweep, epoch_done: Event, killed: list[int], gate: Path) -> None:
    """In turn after an epoch, and at a random moment; at once when half of the sweep is done."""
    executor = sweep.executor
    assert isinstance(executor, LocalExecutor)
    dice = random.Random(7)
    while len(killed) < KILLS:
        if len(sweep.finished) > 5:
            time.sleep(0.001)
        elif len(killed) % 2:
            time.sleep(dice.uniform(0, 1.5))
        else:
            epoch_done.clear()
            epoch_done.wait(5)
        for pid in dice.sample(executor.pids, len(executor.pids))[:1]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
        while killed and killed[-1] in executor.pids:
            time.sleep(0.001)
    gate.touch()


def test_a_sweep_survives_its_workers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    epoch_done, gate, killed = Event(), path.with_name("gate"), list[int]()
    with local_sweep(path, jobs=2, retries=KILLS, options=RunOptions(save_after=0)) as sweep:
        monkeypatch.setattr(sweep, "on_progress", lambda _: epoch_done.set())
        sweep.work = partial(compute_last, gate)
        killer = Thread(target=kill_workers, args=(sweep, epoch_done, killed, gate))
        killer.start()
        sweep.run(CELLS)
        killer.join()
    assert len(killed) == len(set(killed)) == KILLS
    assert sweep.failed == {}
    assert len(sweep.computed) == len(CELLS)
    assert sorted(config.run_id for config in sweep.finished) == sorted(config.run_id for config in CELLS)
    with Store.read(path) as store:
        assert store.damage() == []
        assert [summary.status for summary in store.summaries()] == ["finished"] * len(CELLS)
        for config in CELLS:
            alone = compute(Job(config, RunOptions(threads=1)))
            assert isinstance(alone, ComputedRun)
            assert without_times(store.result(config.run_id)) == without_times(alone.result)
            assert alone.weights is not None
            assert store.weights(config.run_id) == store.files.weights(alone.weights.checksum)
    assert list(store.files.directory.glob("checkpoints/*")) == []


class Scripted(Executor):
    """Futures that are done when they are submitted: `say` decides each run's fate."""

    def __init__(self, say: Any) -> None:
        self.say = say
        self.jobs: list[Job] = []

    @property
    def begun(self) -> list[RunConfig]:
        return [job.config for job in self.jobs]

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.jobs.append(arguments[0])
        try:
            future.set_result(self.say(arguments[0].config))
        except WorkerDied as error:
            future.set_exception(error)
        return future


def scripted(store: Store, say: Any, retries: int = 5) -> tuple[Sweep, Scripted]:
    executor = Scripted(say)
    sweep = Sweep(
        store=store,
        executor=executor,
        capacity=Capacity(2, 2, 2),
        owner="me",
        worker_lost=(WorkerDied,),
        retries=retries,
    )
    return sweep, executor


def test_a_run_that_raises_fails_at_once_and_is_tried_again_next_time(store: Store) -> None:
    bad = tiny(1)

    def say(config: RunConfig) -> JobResult:
        return FailedRun("ValueError: no") if config == bad else ComputedRun(fake_result(config))

    sweep, executor = scripted(store, say)
    sweep.run([tiny(0), bad, tiny(2)])
    assert sweep.failed == {bad.run_id: "ValueError: no"}
    assert executor.begun == [tiny(0), bad, tiny(2)]
    assert {s.run_id: s.status for s in store.summaries()}[bad.run_id] == "failed"
    sweep, executor = scripted(store, lambda config: ComputedRun(fake_result(config)))
    sweep.run([tiny(0), bad, tiny(2)])
    assert executor.begun == [bad]
    assert [s.status for s in store.summaries()] == ["finished"] * 3


def test_the_shortest_runs_come_first(store: Store) -> None:
    """By steps, and by the predicted epoch of an early stop."""
    quick = RunConfig(modulus=4)
    cells = [tiny(0), replace(tiny(1), epochs=9), replace(tiny(2), batches=2), RunConfig(modulus=13), quick]
    sweep, executor = scripted(store, lambda config: ComputedRun(fake_result(config)))
    sweep.run(cells)
    assert executor.begun == [cells[2], cells[0], cells[1], quick, cells[3]]


def test_a_training_that_diverges_is_an_outcome(tmp_path: Path) -> None:
    config = replace(tiny(), learning_rate=10.0, weight_decay=1.0)
    options = RunOptions(threads=1, keep_weights=True, save_after=0)
    outcome = compute(Job(config, options, tmp_path / "checkpoint"))
    assert isinstance(outcome, FailedRun)
    assert outcome.reason.startswith(f"TrainingDiverged: run {config.run_id} diverged: the ")
    assert list(tmp_path.iterdir()) == [], "no checkpoint of what is lost"


def test_a_worker_may_die_a_few_times(store: Store) -> None:
    def always(config: RunConfig) -> JobResult:
        if config == tiny(0):
            raise WorkerDied
        return ComputedRun(fake_result(config))

    sweep, executor = scripted(store, always, retries=3)
    sweep.run([tiny(0), tiny(1)])
    assert executor.begun.count(tiny(0)) == 4
    assert sweep.failed == {tiny(0).run_id: "its worker died 4 times"}
    assert sweep.finished == [tiny(1)]


def test_a_theory_that_raises_loses_no_run(store: Store, broken_theory: str) -> None:
    sweep, _ = scripted(store, lambda config: ComputedRun(fake_result(config)))
    sweep.run([tiny(0), tiny(1)])
    assert len(sweep.finished) == len(sweep.computed) == 2
    assert sweep.untested == {broken_theory: "it raised ZeroDivisionError: division by zero"}
    for seed in (0, 1):
        assert store.result(tiny(seed).run_id) == fake_result(tiny(seed))
        assert set(store.verdicts(tiny(seed).run_id)) == {"signature", "paper", "grid"}


def test_a_run_is_stored_together_with_its_verdicts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed at any moment leaves no run that lists show without a verdict."""
    compare = comparison.compare

    def judge(result: RunResult) -> comparison.Comparison:
        assert store.result(result.run_id) is None
        return compare(result)

    monkeypatch.setattr(comparison, "compare", judge)
    sweep, _ = scripted(store, lambda config: ComputedRun(fake_result(config)))
    sweep.run([tiny()])
    [summary] = store.summaries()
    assert summary.verdict == str(store.verdicts(tiny().run_id)["signature"].status)


def test_a_run_is_stored_though_judging_is_interrupted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "compare", killed)
    sweep, _ = scripted(store, lambda config: ComputedRun(fake_result(config)))
    with pytest.raises(KeyboardInterrupt):
        sweep.run([tiny()])
    monkeypatch.undo()
    assert store.result(tiny().run_id) == fake_result(tiny())
    assert set(store.verdicts(tiny().run_id)) == {"signature", "paper", "grid"}, (
        "computed where none are kept"
    )


def test_what_another_is_working_on_is_waited_for(store: Store, path: Path) -> None:
    with Store.open(path) as other:
        assert other.claim(tiny(0), "other") is Claim.ACQUIRED

        def say(config: RunConfig) -> JobResult:
            other.finish(fake_result(tiny(0)), None, {}, "other")
            return ComputedRun(fake_result(config))

        sweep, executor = scripted(store, say)
        sweep.run([tiny(0), tiny(1)])
    assert executor.begun == [tiny(1)]
    assert len(sweep.computed) == 1
    assert len(sweep.finished) == 2


def test_waiting_runs_are_not_looked_through_while_all_workers_are_busy(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[RunConfig] = []
    sweep, _ = scripted(store, None)

    def fits(config: RunConfig) -> bool:
        looked.append(config)
        return True

    monkeypatch.setattr(sweep, "_fits", fits)
    monkeypatch.setattr(sweep.executor, "submit", lambda *_: Future())
    sweep.waiting = [tiny(seed) for seed in range(100)]
    for _ in range(10):
        sweep._start_what_fits()
    assert looked == [tiny(0), tiny(1)]
    assert sweep.waiting == [tiny(seed) for seed in range(2, 100)]


def test_runs_of_others_are_asked_for_less_often_where_that_takes_long(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, polls, asked, claim = 0.0, 0, 0, store.claim
    theirs = [tiny(seed) for seed in range(20)]

    def claim_slowly(*arguments: Any) -> Claim:
        nonlocal now, asked
        now, asked = now + 0.1, asked + 1
        return claim(*arguments)

    def sleep(seconds: float) -> None:
        nonlocal now, polls
        now, polls = now + seconds, polls + 1
        if polls == 30:
            for config in theirs:
                other.finish(fake_result(config), None, {}, "other")

    with Store.open(path) as other:
        for config in theirs:
            assert other.claim(config, "other") is Claim.ACQUIRED
        sweep, executor = scripted(store, None)
        monkeypatch.setattr(store, "claim", claim_slowly)
        monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: now, sleep=sleep))
        sweep.run(theirs)
    assert executor.begun == []
    assert len(sweep.finished) == 20
    assert 30 <= polls <= 40, "the display is refreshed every second all the same"
    assert asked <= 5 * len(theirs)


def test_claims_are_given_back_at_the_end(path: Path) -> None:
    with Store.open(path) as store:
        with working(path) as owner:
            assert store.claim(tiny(), owner) is Claim.ACQUIRED
        assert store.claim(tiny(), "next") is Claim.ACQUIRED


def test_large_networks_have_the_cores_for_themselves(store: Store) -> None:
    large, cores = RunConfig(modulus=7, primes=5000), available_cores()
    assert Capacity.here().threads(large) == cores
    assert Capacity.here().threads(tiny()) == 1
    assert Capacity.here(1000).threads(large) == 1
    sweep, _ = scripted(store, None)
    sweep.capacity = Capacity(4, 4, 4)
    assert sweep._fits(large)
    sweep.running[Future()] = Running(Job(tiny(), RunOptions(threads=1)), 0.0)
    assert sweep._fits(tiny(1))
    assert sweep._fits(large) == (cores < 4)


def test_a_run_waits_until_enough_cores_are_free(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    large = RunConfig(modulus=7, primes=5000)
    monkeypatch.setattr(runner, "default_threads", lambda config: 3 if config == large else 1)
    sweep, _ = scripted(store, None)
    sweep.capacity = Capacity(jobs=4, cores=4, most_threads=4)
    for seed, fits in ((0, True), (1, False)):  # one core is taken, then two
        sweep.running[Future()] = Running(Job(tiny(seed)), 0.0)
        assert sweep._fits(large) is fits
        assert sweep._fits(tiny(2))


def test_the_time_of_runs_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cores, simultaneous runs or the longest run: what there is least of decides."""
    monkeypatch.setattr(runner, "default_threads", lambda config: config.seed + 1)
    small = {tiny(0): 100.0}
    assert Capacity(jobs=1, cores=8, most_threads=8).elapsed(small) == START + 100
    three = {**small, tiny(0, 5): 100.0, tiny(0, 7): 40.0}
    assert Capacity(jobs=1, cores=8, most_threads=1).elapsed(three) == START + 240
    assert Capacity(jobs=2, cores=8, most_threads=1).elapsed(three) == START + 120
    assert Capacity(jobs=8, cores=8, most_threads=1).elapsed(three) == START + 100
    assert Capacity(jobs=8, cores=2, most_threads=2).elapsed({tiny(1): 100.0, **small}) == START + 150
    assert Capacity(jobs=8, cores=8, most_threads=8).elapsed({}) == 0


def test_nothing_is_begun_if_one_run_does_not_fit_into_memory(store: Store) -> None:
    sweep, executor = scripted(store, lambda config: ComputedRun(fake_result(config)))
    sweep.memory = MemoryBudget(1)
    with pytest.raises(PconvError, match=tiny().run_id):
        sweep.run([tiny()])
    assert executor.begun == []
    assert store.summaries() == []
    store.finish(fake_result(tiny()), None, {}, "me")
    sweep.run([tiny()])  # is stored: needs no memory


def test_a_run_waits_until_enough_memory_is_free(store: Store) -> None:
    sweep, _ = scripted(store, None)
    estimate = run_memory(tiny())
    assert estimate is not None
    sweep.memory = MemoryBudget(2 * estimate.total - 1)
    assert sweep._fits(tiny())
    sweep.running[Future()] = Running(Job(tiny()), 0.0)
    assert not sweep._fits(tiny(1))
