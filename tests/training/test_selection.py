"""Which epoch's weights are kept: those of the lowest held-out loss, and those of snapshots."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import split
from pconv.data.examples import encode
from pconv.engines.registry import make_engine
from pconv.models.pconv import PrimeConvNet
from pconv.models.weights import Model
from pconv.result import Epoch, RunResult
from pconv.sweeps.job import ComputedRun, Job, collect, compute
from pconv.sweeps.run import train
from pconv.training.checkpoint import resume
from pconv.training.loop import run_to_end
from pconv.training.options import RunOptions
from pconv.training.trainer import Training, TrainingDiverged

CONFIG = RunConfig(
    modulus=5,
    offsets=(0, 1, 2, 3),
    primes=8,
    kernel=(3,),
    batches=15,
    batch_size=32,
    epochs=4,
    test_size=300,
    limit=13_000,
    early_stop=False,
)
EVERY = (1, 2, 3, 4)


def finished(training: Training) -> Training:
    while not training.done:
        training.run_epoch()
    return training


def same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


def plain(weights: dict[str, Tensor], numbers: IntArray) -> tuple[list[list[int]], float]:
    """The confusion and the mean loss of PyTorch's network on these numbers."""
    network = PrimeConvNet.of(CONFIG)
    network.load_state_dict(weights)
    with torch.no_grad():
        logits = network(torch.from_numpy(encode(CONFIG, numbers).dense()))
    truth = torch.from_numpy(numbers % 5)
    confusion = np.zeros((5, 5), dtype=int)
    np.add.at(confusion, (truth.numpy(), logits.argmax(dim=1).numpy()), 1)
    return confusion.tolist(), float(nn.functional.cross_entropy(logits.double(), truth))


@pytest.fixture(scope="module")
def whole() -> Training:
    """A run of which all weights are kept."""
    return finished(Training(CONFIG, threads=1, snapshots=EVERY))


def test_the_held_out_loss_is_that_of_the_selection_sample(whole: Training) -> None:
    selection = split(CONFIG).selection
    assert len(selection) == 10_000
    for epoch in whole.epochs:
        _, loss = plain(whole.snapshots[epoch.epoch].weights, selection)
        assert epoch.held_out_loss == pytest.approx(loss, rel=1e-5)


def test_the_chosen_epoch_has_the_lowest_held_out_loss(whole: Training) -> None:
    result = whole.result()
    losses = [epoch.held_out_loss for epoch in result.epochs]
    assert None not in losses
    assert result.loss_epoch == 1 + int(np.argmin(np.array(losses, dtype=float)))
    assert whole.chosen is not None
    assert whole.chosen.epoch == result.loss_epoch
    assert result.census is not None
    assert result.census.epoch == result.loss_epoch
    assert same(whole.chosen.weights, whole.snapshots[whole.chosen.epoch].weights)


class Scripted(Training):
    """The same run, with given accuracies and held-out losses."""

    accuracies: tuple[float, ...]
    held_out: tuple[float, ...]

    def _accuracy(self, answers: object) -> float:
        return self.accuracies[len(self.epochs)]

    def _held_out_loss(self, validation: object) -> float:
        return self.held_out[len(self.epochs)]


def scripted(accuracies: tuple[float, ...], losses: tuple[float, ...]) -> Scripted:
    training = Scripted(CONFIG, threads=1)
    training.accuracies, training.held_out = accuracies, losses
    return training


CASES = [
    ((0.2, 0.9, 0.3, 0.4), (1.0, 0.9, 0.5, 0.7), 3),
    ((0.9, 0.2, 0.3, 0.4), (1.0, 0.9, 0.5, 0.4), 4),
    ((0.2, 0.3, 0.4, 0.5), (0.1, 0.2, 0.3, 0.4), 1),
    ((0.2, 0.3, 0.4, 0.5), (0.7, 0.6, 0.6, 0.6), 2),  # the first of equals
    ((0.2, 0.3, 0.4, 0.5), (0.7, 0.0, 0.5, 0.0), 2),  # no loss is lower than 0
]


@pytest.mark.parametrize(("accuracies", "losses", "chosen"), CASES)
def test_weights_are_chosen_by_loss_and_by_nothing_else(
    whole: Training, accuracies: tuple[float, ...], losses: tuple[float, ...], chosen: int
) -> None:
    training = scripted(accuracies, losses)
    finished(training)
    result = training.result()
    assert [epoch.held_out_loss for epoch in result.epochs] == list(losses)
    assert result.loss_epoch == chosen
    assert training.chosen is not None
    assert training.chosen.epoch == chosen
    assert same(training.chosen.weights, whole.snapshots[chosen].weights)
    assert result.census is not None
    assert result.census.epoch == chosen


def test_kept_are_the_chosen_weights_and_the_test_set_is_of_the_best_epoch(
    tmp_path: Path, whole: Training
) -> None:
    """A held-out loss that always rises chooses the first epoch; accuracy on 512 numbers does not."""
    training = scripted((), (0.1, 0.2, 0.3, 0.4))
    training._accuracy = super(Scripted, training)._accuracy  # type: ignore[method-assign, assignment]
    finished(training)
    result = training.result()
    accuracies = [epoch.accuracy for epoch in result.epochs]
    assert result.best_epoch == 1 + accuracies.index(max(accuracies))
    assert result.best_epoch != 1, "else this shows nothing"
    best, _ = plain(whole.snapshots[result.best_epoch].weights, split(CONFIG).test)
    first, _ = plain(whole.snapshots[1].weights, split(CONFIG).test)
    assert [list(row) for row in result.test.confusion] == best != first
    computed = collect(training, census=False, keep_weights=False)
    assert computed.snapshots == {}
    assert computed.weights is not None
    (tmp_path / "w").write_bytes(computed.weights.data)
    model = Model.load(tmp_path / "w")
    assert model.epoch == 1
    assert same(dict(model.network.state_dict()), whole.snapshots[1].weights)
    census = result.census
    assert census is not None
    engine = make_engine(CONFIG, threads=1)
    engine.load_weights(whole.snapshots[1].weights)
    answers = engine.logits(encode(CONFIG, split(CONFIG).test)).argmax(axis=1)
    assert (answers == split(CONFIG).test % 5).mean() != result.test.accuracy


def test_of_equally_accurate_epochs_the_first_is_the_best() -> None:
    training = finished(Training(replace(CONFIG, learning_rate=1e-12, epochs=2), threads=1))
    first, second = (epoch.accuracy for epoch in training.epochs)
    assert first == second
    assert training.best is not None
    assert training.best.epoch == 1


def test_a_snapshot_is_the_run_that_was_stopped_there(whole: Training) -> None:
    for epoch in (1, 2, 3):
        shorter = finished(Training(replace(CONFIG, epochs=epoch), threads=1))
        assert same(shorter.engine.weights(), whole.snapshots[epoch].weights)
        assert [e.loss for e in shorter.epochs] == [e.loss for e in whole.epochs[:epoch]]
    assert same(whole.engine.weights(), whole.snapshots[4].weights)


def test_snapshots_do_not_change_the_run(whole: Training) -> None:
    without = finished(Training(CONFIG, threads=1))
    assert without.losses == whole.losses
    assert without.snapshots == {}
    assert without.chosen is not None
    assert whole.chosen is not None
    assert same(without.chosen.weights, whole.chosen.weights)


def test_a_snapshot_has_its_answers_to_the_test_numbers(whole: Training) -> None:
    result = whole.result(census=False)
    assert [snapshot.epoch for snapshot in result.snapshots] == list(EVERY)
    for snapshot in result.snapshots:
        confusion, _ = plain(whole.snapshots[snapshot.epoch].weights, split(CONFIG).test)
        assert [list(row) for row in snapshot.test.confusion] == confusion
    assert RunResult.from_dict(json.loads(json.dumps(result.to_dict()))) == result


class Killed(Exception):
    pass


@pytest.mark.parametrize("after", [1, 2, 3])
@pytest.mark.parametrize("wanted", [(1, 3), (2,), EVERY])
def test_snapshots_survive_a_killed_worker(
    tmp_path: Path, whole: Training, after: int, wanted: tuple[int, ...]
) -> None:
    path = tmp_path / "checkpoint"

    def kill(epoch: Epoch) -> None:
        if epoch.epoch == after + 1:
            raise Killed

    with pytest.raises(Killed):
        run_to_end(Training(CONFIG, threads=1, snapshots=wanted), path, on_epoch=kill, save_after=0)
    again = Training(CONFIG, threads=1, snapshots=wanted)
    assert resume(path, again)
    assert len(again.epochs) == after
    assert sorted(again.snapshots) == [epoch for epoch in wanted if epoch <= after]
    finished(again)
    assert sorted(again.snapshots) == list(wanted)
    for epoch, kept in again.snapshots.items():
        assert same(kept.weights, whole.snapshots[epoch].weights)
    assert again.chosen is not None
    assert whole.chosen is not None
    assert again.chosen.epoch == whole.chosen.epoch
    assert same(again.chosen.weights, whole.chosen.weights)
    snapshots = again.result(census=False).snapshots
    assert snapshots == tuple(s for s in whole.result(census=False).snapshots if s.epoch in wanted)


def test_a_checkpoint_without_the_snapshots_that_are_wanted_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its first epochs are gone: nothing could give their weights again."""
    path = tmp_path / "checkpoint"
    with pytest.raises(Killed):
        run_to_end(Training(CONFIG, threads=1), path, on_epoch=_stop_after_two, save_after=0)
    assert path.exists()
    assert not resume(path, Training(CONFIG, threads=1, snapshots=(1,)))
    assert "starts over" in caplog.text


def _stop_after_two(epoch: Epoch) -> None:
    if epoch.epoch == 2:
        raise Killed


def test_snapshots_of_epochs_that_were_not_run_are_left_out() -> None:
    config = replace(CONFIG, modulus=2, epochs=30, early_stop=True)
    training = finished(Training(config, threads=1, snapshots=(1, 30)))
    assert len(training.epochs) < 30
    assert list(training.snapshots) == [1]


def test_a_job_returns_its_snapshots(tmp_path: Path, whole: Training) -> None:
    outcome = compute(Job(CONFIG, RunOptions(threads=1, census=False, snapshots=(2, 4))))
    assert isinstance(outcome, ComputedRun)
    assert outcome.result.census is None
    assert [snapshot.epoch for snapshot in outcome.result.snapshots] == list(outcome.snapshots) == [2, 4]
    for epoch, weights in outcome.snapshots.items():
        (tmp_path / "w").write_bytes(weights.data)
        model = Model.load(tmp_path / "w")
        assert model.epoch == epoch
        assert same(dict(model.network.state_dict()), whole.snapshots[epoch].weights)


def test_on_epoch_is_called_once_an_epoch_and_may_end_the_training() -> None:
    seen: list[Epoch] = []
    result = train(CONFIG, on_epoch=seen.append, census=False)
    assert tuple(seen) == result.epochs
    assert result.census is None

    def stop(epoch: Epoch) -> None:
        raise Killed

    with pytest.raises(Killed):
        train(CONFIG, on_epoch=stop)


DIVERGING = replace(CONFIG, learning_rate=10.0, weight_decay=1.0)
"""A step multiplies every weight by -9."""


def test_a_training_that_diverges_says_so() -> None:
    training = Training(DIVERGING, threads=1)
    with pytest.raises(TrainingDiverged) as raised:
        finished(training)
    assert str(raised.value) == (
        f"run {DIVERGING.run_id} diverged: the loss of epoch 1 is not a finite number (--learning-rate 10)"
    )
    assert not training.epochs
    assert not training.losses


def test_diverging_in_the_last_step_is_noticed_too() -> None:
    """Every loss was finite when its step was made, and then the weights are not: no census could be taken of
    them, and there are no others."""
    whole = Training(DIVERGING, threads=1)
    steps = [whole.engine.step(*batch) for batch in whole._batches()]
    finite = int(np.argmin(np.isfinite(steps)))
    assert 0 < finite < CONFIG.batches
    training = Training(replace(DIVERGING, batches=finite, epochs=1), threads=1)
    with pytest.raises(TrainingDiverged, match="the held-out loss of epoch 1 is not a finite number"):
        finished(training)
    assert not training.epochs
    assert not training.losses


@pytest.mark.parametrize("loss", [float("nan"), float("inf"), -float("inf")])
def test_one_step_without_a_finite_loss_ends_the_training(loss: float) -> None:
    training = Training(CONFIG, threads=1)
    training.run_epoch()
    step, count = training.engine.step, 0

    def spoiled(*batch: object) -> float:
        nonlocal count
        count += 1
        return loss if count == 7 else step(*batch)  # type: ignore[arg-type]

    training.engine.step = spoiled  # type: ignore[method-assign, assignment]
    with pytest.raises(TrainingDiverged, match="the loss of epoch 2 is not a finite number"):
        training.run_epoch()
    assert len(training.epochs) == 1
    assert len(training.losses) == CONFIG.batches
