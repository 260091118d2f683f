"""Runs small enough to be done by the dozen, and a result made without training."""

from __future__ import annotations

from dataclasses import replace

import torch

from pconv.config import RunConfig
from pconv.models.weights import packed_weights
from pconv.result import Census, Environment, Epoch, Evaluation, RunResult, Snapshot
from pconv.store.files import Weights


def tiny(seed: int = 0, modulus: int = 3) -> RunConfig:
    """On few numbers: a census of them takes no time."""
    return RunConfig(
        modulus=modulus,
        offsets=(0, 1, 2, 3),
        primes=8,
        kernel=(3,),
        batches=10,
        batch_size=16,
        epochs=2,
        test_size=50,
        seed=seed,
        early_stop=False,
        limit=13_000,
    )


def fake_result(config: RunConfig) -> RunResult:
    """A result that no network gave."""
    right = Evaluation(
        tuple(tuple(10 * (i == j) for j in range(config.modulus)) for i in range(config.modulus))
    )
    return RunResult(
        config=config,
        losses=(1 / 3, 0.1, 1e-300),
        epochs=(Epoch(1, 1.0986122886681098, 0.5, 0.25), Epoch(2, 0.1, 1.0, 0.5)),
        best_epoch=2,
        validation=right,
        test=right,
        disjoint_test=None,
        environment=Environment("dense", "cpu", 1, {"pconv": "0"}),
    )


def fake_weights(seed: int = 0, epoch: int = 2) -> Weights:
    """A sound file of the weights of no network."""
    return Weights(*packed_weights({"bias": torch.tensor([float(seed)])}, tiny(seed), epoch))


def with_census(result: RunResult, snapshots: tuple[int, ...] = ()) -> RunResult:
    """The same with what version 0.2 added: held-out losses, a census, snapshots, the engine's revision."""
    classes = result.config.modulus
    answers = Evaluation(tuple(tuple(1000 * (i == j) for j in range(classes)) for i in range(classes)))
    strata = tuple(tuple((250, 250 - i) for _ in range(classes)) for i in range(4))
    epochs = tuple(replace(epoch, held_out_loss=1 / 3 / epoch.epoch) for epoch in result.epochs)
    return replace(
        result,
        epochs=epochs,
        census=Census("unseen", 2, 1e-17 + 1 / 7, answers, result.test, strata),
        snapshots=tuple(Snapshot(epoch, result.validation) for epoch in snapshots),
        environment=replace(result.environment, revision=3),
    )
