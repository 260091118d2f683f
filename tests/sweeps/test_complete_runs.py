"""A sweep computes a stored run again for weights or snapshots that it lacks, and then never again."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import Any

import pytest

from pconv.config import RunConfig
from pconv.result import RunResult
from pconv.store.sqlite import Claim, Store
from pconv.sweeps.job import ComputedRun, Job
from pconv.sweeps.run import complete_runs, with_extras
from pconv.sweeps.runner import Capacity, Sweep
from pconv.training.options import RunOptions
from tests.fakes import fake_result, fake_weights, tiny, with_census

WEIGHTS = fake_weights()
SNAPSHOT = fake_weights(epoch=1)


def recorded(config: RunConfig, options: RunOptions) -> RunResult:
    """The result of a run with what its options ask for; epochs that are not run have no snapshot."""
    plain = fake_result(config)
    epochs = tuple(epoch for epoch in options.snapshots if epoch <= len(plain.epochs))
    whole = with_census(plain, epochs)
    return whole if options.census else replace(whole, census=None)


class Large(Executor):
    """Computes networks at once, whose weights are kept only where the options say so."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        [job] = arguments
        self.jobs.append(job)
        result, kept = recorded(job.config, job.options), job.options.keep_weights
        snapshots = {snapshot.epoch: SNAPSHOT for snapshot in result.snapshots if kept}
        future: Future[Any] = Future()
        future.set_result(ComputedRun(result, WEIGHTS if kept else None, snapshots))
        return future


def computed(
    store: Store,
    wanted: list[RunConfig],
    options: RunOptions,
    options_of: Mapping[str, RunOptions] | None = None,
) -> list[Job]:
    """The jobs of a sweep."""
    executor = Large()
    sweep = Sweep(
        store=store,
        executor=executor,
        capacity=Capacity(2, 2, 2),
        owner="me",
        worker_lost=(),
        options=options,
        options_of=options_of or {},
    )
    sweep.run(wanted)
    assert sorted(config.run_id for config in sweep.finished) == sorted({config.run_id for config in wanted})
    return executor.jobs


def test_a_run_is_computed_once_with_the_census_and_snapshots_that_it_had(store: Store) -> None:
    store.finish(with_census(fake_result(tiny()), (1,)), None, {}, "me")
    options = RunOptions(census=False, keep_weights=True)
    [job] = computed(store, [tiny()], options)
    assert (job.options.census, job.options.snapshots) == (True, (1,))
    assert store.weights(tiny().run_id)
    assert store.weights(tiny().run_id, 1)
    assert computed(store, [tiny()], options) == []


def test_snapshots_that_are_wanted_are_taken_once(store: Store) -> None:
    store.finish(with_census(fake_result(tiny())), None, {}, "me")
    options = RunOptions(snapshots=(1, 50))  # the run ended after two epochs
    [job] = computed(store, [tiny()], options)
    assert not job.options.keep_weights
    result = store.result(tiny().run_id)
    assert result is not None
    assert [snapshot.epoch for snapshot in result.snapshots] == [1]
    assert store.weights(tiny().run_id, 1) is None, "answers suffice"
    assert computed(store, [tiny()], options) == []
    assert computed(store, [tiny()], RunOptions()) == []


def test_a_run_that_is_computed_again_keeps_its_weights(store: Store) -> None:
    store.finish(with_census(fake_result(tiny()), (1,)), WEIGHTS, {}, "me", {1: SNAPSHOT})
    options = RunOptions(snapshots=(2,))
    assert len(computed(store, [tiny()], options)) == 1
    assert all(store.weights(tiny().run_id, epoch) for epoch in (None, 1, 2))
    assert computed(store, [tiny()], options) == []


def test_a_run_without_snapshots_may_be_claimed_by_who_wants_them(store: Store) -> None:
    store.finish(with_census(fake_result(tiny()), (1,)), None, {}, "me")
    assert store.claim(tiny(), "me", snapshots=(1, 3)) is Claim.FINISHED
    assert store.claim(tiny(), "me", snapshots=(1, 2)) is Claim.ACQUIRED


def test_only_the_runs_whose_weights_are_wanted_are_computed_for_them(store: Store) -> None:
    for seed in (0, 1):
        store.finish(with_census(fake_result(tiny(seed))), None, {}, "me")
    special = {tiny(1).run_id: RunOptions(keep_weights=True)}
    assert complete_runs(store, {tiny(0).run_id: RunOptions(), **special}) == {tiny(0).run_id}
    [job] = computed(store, [tiny(0), tiny(1)], RunOptions(), special)
    assert job.config == tiny(1)
    assert store.weights(tiny(0).run_id) is None


def test_a_run_that_is_wanted_twice_is_computed_once(store: Store) -> None:
    assert len(computed(store, [tiny(), tiny()], RunOptions())) == 1


@pytest.mark.parametrize("options", [RunOptions(), RunOptions(census=False, snapshots=(2,))])
def test_a_new_run_is_computed_as_it_is_wanted(store: Store, options: RunOptions) -> None:
    assert with_extras(options, store, tiny()) == options
