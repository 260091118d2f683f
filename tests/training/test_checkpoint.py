"""A run that is resumed from a checkpoint ends with the same bits; a damaged checkpoint is not used."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

import pytest
import torch

from pconv.config import RunConfig
from pconv.result import Epoch, RunResult
from pconv.training import checkpoint
from pconv.training.checkpoint import resume, save_checkpoint
from pconv.training.loop import run_to_end
from pconv.training.trainer import Training

CONFIG = RunConfig(
    modulus=5,
    offsets=(0, 1, 2, 3),
    primes=8,
    kernel=(3,),
    batches=20,
    batch_size=32,
    epochs=4,
    test_size=100,
    limit=13_000,
)


def fresh() -> Training:
    return Training(CONFIG, threads=1)


def bits(training: Training) -> tuple[RunResult, list[bytes]]:
    """The result without its times, and the weights that are kept."""
    result = training.result()
    epochs = tuple(dataclasses.replace(epoch, seconds=0.0) for epoch in result.epochs)
    assert training.chosen is not None
    weights = [w.numpy().tobytes() for w in training.chosen.weights.values()]
    return dataclasses.replace(result, epochs=epochs), weights


@pytest.fixture(scope="module")
def undisturbed() -> tuple[RunResult, list[bytes]]:
    training = fresh()
    run_to_end(training)
    return bits(training)


@pytest.mark.parametrize("stop_after", [1, 2, 3])
def test_a_resumed_run_ends_with_the_same_bits(
    tmp_path: Path, stop_after: int, undisturbed: tuple[RunResult, list[bytes]]
) -> None:
    path = tmp_path / "checkpoints" / "run"

    class Killed(Exception):
        pass

    def kill(epoch: Epoch) -> None:
        if epoch.epoch == stop_after + 1:
            raise Killed

    with pytest.raises(Killed):
        run_to_end(fresh(), path, on_epoch=kill, save_after=0)
    training = fresh()
    assert resume(path, training)
    assert len(training.epochs) == stop_after
    again = fresh()
    run_to_end(again, path, save_after=0)
    assert bits(again) == undisturbed
    assert [file.name for file in path.parent.iterdir()] == ["run"], "no temporary file is left"


@pytest.mark.parametrize("damage", ["byte", "cut", "empty", "another run", "another way"])
def test_a_damaged_or_foreign_checkpoint_is_said_and_not_used(
    tmp_path: Path,
    damage: str,
    caplog: pytest.LogCaptureFixture,
    undisturbed: tuple[RunResult, list[bytes]],
) -> None:
    path = tmp_path / "run"
    training = fresh()
    if damage == "another run":
        training = Training(dataclasses.replace(CONFIG, seed=1), threads=1)
    if damage == "another way":
        training = Training(CONFIG, threads=2)
    training.run_epoch()
    save_checkpoint(path, training)
    data = bytearray(path.read_bytes())
    if damage == "byte":
        data[-100] ^= 1
    kept = {"cut": len(data) - 9, "empty": 0}.get(damage, len(data))
    path.write_bytes(data[:kept])
    again = fresh()
    with caplog.at_level(logging.WARNING):
        run_to_end(again, path)
    assert "starts over" in caplog.text
    assert bits(again) == undisturbed


def test_a_checkpoint_that_cannot_be_written_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "write_tensors", full)
    training = fresh()
    with caplog.at_level(logging.WARNING):
        run_to_end(training, tmp_path / "run", save_after=0)
    assert training.done
    assert "goes on without a checkpoint" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_the_state_is_a_copy() -> None:
    training = fresh()
    training.run_epoch()
    state = {name: tensor.clone() for name, tensor in training.engine.state_items()}
    kept = dict(training.engine.state_items())
    training.run_epoch()
    assert all(torch.equal(kept[name], state[name]) for name in state)
