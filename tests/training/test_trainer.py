"""One training: it learns, repeats to the bit, and has a consistent result."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import split
from pconv.data.grid import prime_grid
from pconv.engines.threads import default_threads
from pconv.errors import InputError
from pconv.models.weights import Model, save_weights
from pconv.result import RunResult
from pconv.sweeps.run import train
from pconv.training.trainer import Step, Training

SMALL = RunConfig(
    modulus=5,
    offsets=tuple(range(4)),
    primes=8,
    kernel=(3,),
    batches=30,
    batch_size=64,
    epochs=3,
    test_size=600,
    limit=30_000,
)


def without_times(result: RunResult) -> RunResult:
    epochs = tuple(dataclasses.replace(epoch, seconds=0.0) for epoch in result.epochs)
    return dataclasses.replace(result, epochs=epochs)


@pytest.fixture(scope="module")
def small() -> RunResult:
    return train(SMALL, threads=1)


def test_it_learns_what_can_be_told_apart() -> None:
    """Four rows tell the classes modulo 3 apart: all of them are learned, and training then stops."""
    config = RunConfig(**{**SMALL.to_dict(), "modulus": 3, "batches": 150, "epochs": 10})
    result = train(config, threads=1)
    assert result.best_accuracy == 1
    assert result.test.accuracy > 0.98
    assert result.best_epoch == len(result.epochs) < 10


def test_without_early_stop_all_epochs_are_run() -> None:
    config = RunConfig(
        **{**SMALL.to_dict(), "modulus": 2, "batches": 60, "epochs": 6, "early_stop": False, "test_size": 50}
    )
    result = train(config)
    assert len(result.epochs) == 6
    assert result.best_accuracy == 1
    assert result.best_epoch == min(e.epoch for e in result.epochs if e.accuracy == 1)


def test_the_same_run_gives_the_same_bits(small: RunResult) -> None:
    torch.rand(7)  # the state of torch's own random numbers does not matter
    assert without_times(train(SMALL, threads=1)) == without_times(small)


def test_the_result_is_consistent(small: RunResult) -> None:
    assert small.environment.threads == 1
    assert len(small.losses) == 30 * len(small.epochs)
    assert small.epochs[0].loss == pytest.approx(np.mean(small.losses[:30]))
    assert (
        small.best_accuracy
        == max(e.accuracy for e in small.epochs)
        == small.epochs[small.best_epoch - 1].accuracy
    )
    assert small.validation.size == 512
    assert small.test.size == 600
    truth = np.bincount(split(SMALL).test % 5, minlength=5)
    assert [sum(row) for row in small.test.confusion] == truth.tolist()
    assert small.disjoint_test is not None
    assert small.disjoint_test.size == split(SMALL).disjoint_test.sum()


def test_json_both_ways(small: RunResult) -> None:
    assert RunResult.from_dict(json.loads(json.dumps(small.to_dict()))) == small
    document = small.to_dict()
    for spoiled in ({**document, "run_id": "0" * 16}, {k: v for k, v in document.items() if k != "test"}):
        with pytest.raises(InputError):
            RunResult.from_dict(spoiled)


def test_the_test_set_is_judged_at_the_best_epoch(tmp_path: Path) -> None:
    """Recomputed from the weights of that epoch with the plain network."""
    training = Training(SMALL, snapshots=range(1, 4))
    while not training.done:
        training.run_epoch()
    result = training.result(census=False)
    path = tmp_path / "w.safetensors"
    save_weights(path, training.snapshots[result.best_epoch].weights, SMALL, result.best_epoch)
    numbers = split(SMALL).test
    answers = Model.load(path).probabilities(numbers.tolist()).argmax(axis=1)
    assert (answers == numbers % 5).mean() == pytest.approx(result.test.accuracy, abs=2 / 600)


def test_batches_keep_their_order_in_every_epoch() -> None:
    training = Training(SMALL)
    seen: list[IntArray] = []
    step = training.engine.step
    training.engine.step = lambda grid, labels: (seen.append(labels.copy()), step(grid, labels))[1]  # type: ignore
    training.run_epoch()
    training.run_epoch()
    expected = split(SMALL).training % 5
    assert (np.array(seen) == np.concatenate([expected, expected])).all()


def test_on_step_is_called_after_every_step() -> None:
    steps: list[Step] = []
    training = Training(SMALL)
    training.run_epoch(steps.append)
    training.run_epoch(steps.append)
    assert [(s.epoch, s.step) for s in steps] == [(e, i) for e in (1, 2) for i in range(1, 31)]
    assert [s.loss for s in steps] == training.losses
    assert steps[0].accuracy is None
    assert steps[-1].accuracy == training.epochs[0].accuracy


def test_torchs_thread_count_is_given_back() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    inside: set[int] = set()
    try:
        Training(SMALL, threads=1).run_epoch(lambda _: inside.add(torch.get_num_threads()))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert inside == {1}


def test_small_models_take_one_thread() -> None:
    assert default_threads(RunConfig(modulus=11)) == 1
    assert default_threads(RunConfig(modulus=11, primes=5_000)) >= 1


def test_unknown_devices_are_refused() -> None:
    with pytest.raises(InputError, match="device"):
        Training(SMALL, device="abacus")


def test_windows_of_a_run_are_those_of_its_offsets() -> None:
    """The first batch, seen by the engine, is the prime grid of the first numbers drawn."""
    config = RunConfig(**{**SMALL.to_dict(), "offsets": [-2, 0, 3, 5]})
    training = Training(config)
    seen = []
    training.engine.step = lambda grid, labels: (seen.append(grid.dense()), 0.0)[1]  # type: ignore
    training.run_epoch()
    expected = prime_grid(split(config).training[3], (-2, 0, 3, 5), 8).dense()
    assert (seen[3] == expected).all()
