"""The loop over epochs: when it saves a checkpoint, and its callbacks."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.result import Epoch
from pconv.training import loop
from pconv.training.loop import run_to_end
from pconv.training.trainer import Step, Training

CONFIG = RunConfig(
    modulus=5,
    offsets=(0, 1, 2, 3),
    primes=8,
    kernel=(3,),
    batches=5,
    batch_size=32,
    epochs=3,
    test_size=100,
    limit=13_000,
    early_stop=False,
)


def test_short_runs_are_not_saved(tmp_path: Path) -> None:
    run_to_end(Training(CONFIG, threads=1), tmp_path / "run", save_after=1e6)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("save_after", "save_last", "at"),
    [
        (10.0, False, [1, 5, 9]),
        (1.0, False, [1, 5, 9]),
        (60.0, False, [5]),
        (60.0, True, [5, 10]),
        (10.0, True, [1, 5, 9]),  # the tenth comes too soon after the ninth
        (0.0, False, list(range(1, 10))),
        (0.0, True, list(range(1, 11))),
    ],
)
def test_what_takes_long_to_save_is_saved_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save_after: float, save_last: bool, at: list[int]
) -> None:
    now = 0.0
    saved = []

    def pass_time(epoch: Epoch) -> None:
        nonlocal now
        now += 12.0

    def save(path: Path, training: Training) -> None:
        nonlocal now
        now += 2.0  # a twentieth of 40 s of training
        saved.append(len(training.epochs))

    monkeypatch.setattr("pconv.training.loop.time.monotonic", lambda: now)
    monkeypatch.setattr(loop, "save_checkpoint", save)
    config = dataclasses.replace(CONFIG, batches=1, epochs=10, early_stop=False)
    run_to_end(
        Training(config, threads=1),
        tmp_path / "run",
        on_epoch=pass_time,
        save_after=save_after,
        save_last=save_last,
    )
    assert saved == at


def test_callbacks_see_every_step_and_epoch() -> None:
    steps: list[Step] = []
    epochs: list[Epoch] = []
    training = Training(CONFIG, threads=1)
    run_to_end(training, on_step=steps.append, on_epoch=epochs.append)
    assert [(step.epoch, step.step) for step in steps] == [(e, i) for e in (1, 2, 3) for i in range(1, 6)]
    assert [step.loss for step in steps] == training.losses
    assert epochs == training.epochs


def test_a_training_between_two_epochs_is_continued() -> None:
    whole, parts = (Training(CONFIG, threads=1) for _ in range(2))
    run_to_end(whole)
    parts.run_epoch()
    run_to_end(parts)
    assert parts.losses == whole.losses
    assert len(parts.epochs) == 3
