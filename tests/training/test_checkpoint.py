"""A run that is resumed from a checkpoint ends with the same bits; a damaged checkpoint is not used."""

from __future__ import annotations

import dataclasses
import json
import logging
from pathlib import Path
from typing import Any

import pytest
import torch

from pconv.config import RunConfig
from pconv.models.tensor_file import read_tensors, write_tensors
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


Changes = dict[str, Any]
"""Metadata and tensors of a checkpoint in place of its own."""

HOSTILE: dict[str, Changes] = {
    "nested": {"epochs": "[" * 100_000},
    "digits": {"best_epoch": "9" * 5_000},
    "another document": {"snapshots": "7"},
    "missing document": {"validation": None},
    "empty matrix": {"test": json.dumps([[0] * 5] * 5)},
    "other classes": {name: json.dumps([[1, 0], [0, 1]]) for name in ("validation", "test", "gap")},
    "counts": {"test": json.dumps([[10**30] * 5] * 5)},
    "best epoch": {"best_epoch": "2"},
    "chosen epoch": {"chosen_epoch": "2"},
    "held-out loss": {"epochs": json.dumps([{"epoch": 1, "loss": 1.0, "accuracy": 0.5, "seconds": 1.0}])},
    "losses": {"losses": torch.zeros(3)},
    "infinite losses": {"losses": torch.full((20,), torch.inf, dtype=torch.float64)},
    "shape": {"engine.linear.fc1.weight": torch.zeros(3)},
    "type": {"engine.step": torch.tensor(20.0)},
    "kept": {"kept1.linear.fc4.bias": torch.zeros(3)},
    "no tensor": {"engine.mean.linear.fc2.bias": None},
}


@pytest.fixture(scope="module")
def after_one_epoch(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tensors and the metadata of a checkpoint."""
    path = tmp_path_factory.mktemp("checkpoint") / "run"
    training = fresh()
    training.run_epoch()
    save_checkpoint(path, training)
    with read_tensors(path) as (tensors, metadata):
        return dict(tensors), dict(metadata)


@pytest.mark.parametrize("changes", HOSTILE.values(), ids=HOSTILE)
def test_a_checkpoint_that_no_training_can_have_changes_nothing(
    tmp_path: Path,
    changes: Changes,
    after_one_epoch: tuple[dict[str, Any], dict[str, Any]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Its checksum is right, so only its contents can be refused."""
    assert changes.keys() <= after_one_epoch[0].keys() | after_one_epoch[1].keys()
    tensors, metadata = ({name: changes.get(name, part[name]) for name in part} for part in after_one_epoch)
    for part in (tensors, metadata):
        for name in [name for name, value in part.items() if value is None]:
            del part[name]
    write_tensors(tmp_path / "run", tensors.items(), metadata)
    training = fresh()
    with caplog.at_level(logging.WARNING):
        assert not resume(tmp_path / "run", training)
    assert "starts over" in caplog.text
    assert (training.epochs, training.losses, training.best, training.chosen) == ([], [], None, None)
    untouched = dict(fresh().engine.state_items())
    assert all(torch.equal(tensor, untouched[name]) for name, tensor in training.engine.state_items())


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
