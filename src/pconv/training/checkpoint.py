"""A run on disk between two epochs, so that a killed run goes on and ends with the same bits.

A training draws random numbers only before its first step, from the run's seed; all that a later epoch
depends on is the engine's state. The checkpoint holds that, and what the result will tell of the epochs.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pconv._atomic import atomic_write
from pconv.errors import InputError
from pconv.models.tensor_file import read_tensors, write_tensors
from pconv.result import Epoch, Evaluation
from pconv.training.trainer import Best, EpochCallback, Kept, KeptSnapshot, StepCallback, Training

_KIND = "pconv checkpoint 3"
_ENGINE, _KEPT, _LOSSES = "engine.", "kept", "losses"
SAVE_AFTER = 10.0
"""Seconds of training worth saving; shorter runs are done again as fast as their state would be read."""
_WORTH = 0.5  # seconds that saving may take for so much training: a twentieth; where it takes more, it waits

log = logging.getLogger(__name__)


def run_to_end(
    training: Training,
    path: Path | None,
    on_step: StepCallback | None = None,
    on_epoch: EpochCallback | None = None,
    save_after: float = SAVE_AFTER,
) -> None:
    """All epochs that are left, from the checkpoint if there is one, saving after one where it is due."""
    if path:
        resume(path, training)
    saved, due = time.monotonic(), save_after
    while not training.done:
        epoch = training.run_epoch(on_step)
        if on_epoch:
            on_epoch(epoch)
        started = time.monotonic()
        if path and not training.done and started - saved >= due:
            save_checkpoint(path, training)
            saved = time.monotonic()
            due = save_after * max(1.0, (saved - started) / _WORTH)


def save_checkpoint(path: Path, training: Training) -> None:
    """Keep the state after the last epoch; a run that cannot be saved goes on without."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as beside:
            write_tensors(Path(beside), _tensors(training), _metadata(training))
    except OSError as error:
        log.warning("run %s goes on without a checkpoint: %s", training.config.run_id, error)


def _tensors(training: Training) -> Iterator[tuple[str, Tensor]]:
    """One after the other: at the paper's size all of them at once would double a run's memory."""
    for name, tensor in training.engine.state_items():
        yield _ENGINE + name, tensor
        del tensor
    for epoch, weights in _kept(training).items():
        for name, tensor in weights.items():
            yield f"{_KEPT}{epoch}.{name}", tensor
    yield _LOSSES, torch.tensor(training.losses, dtype=torch.float64)


def _kept(training: Training) -> dict[int, dict[str, Tensor]]:
    """The weights of each epoch that is chosen or a snapshot, once."""
    assert training.chosen  # the first epoch is the best so far
    return {kept.epoch: kept.weights for kept in (training.chosen, *training.snapshots.values())}


def _metadata(training: Training) -> dict[str, str]:
    assert training.best
    assert training.chosen
    snapshots = {kept.epoch: kept.test.confusion for kept in training.snapshots.values()}
    best = training.best
    documents: dict[str, Any] = {
        "epochs": [asdict(epoch) for epoch in training.epochs],
        "best_epoch": best.epoch,
        "validation": best.validation.confusion,
        "test": best.test.confusion,
        "gap": best.disjoint_test.confusion if best.disjoint_test else None,
        "chosen_epoch": training.chosen.epoch,
        "snapshots": snapshots,
    }
    return _identity(training) | {name: json.dumps(document) for name, document in documents.items()}


def resume(path: Path, training: Training) -> bool:
    """Put a fresh training where the checkpoint left it; without a usable one it starts at the beginning."""
    if not path.exists():
        return False
    try:
        with read_tensors(path) as (tensors, metadata):
            identity = _identity(training)
            if {name: metadata.get(name) for name in identity} != identity:
                reason = "it was computed in another way, and the result would not have the same bits"
                return _refused(path, reason)
            _restore(training, tensors, {name: metadata[name] for name in metadata if name not in identity})
    except InputError as error:
        return _refused(path, error.allowed)
    return True


def _restore(training: Training, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    found = {name: json.loads(text) for name, text in metadata.items()}
    training.engine.restore(_Part(tensors, _ENGINE))
    training.losses = tensors[_LOSSES].tolist()
    training.epochs = [Epoch(**epoch) for epoch in found["epochs"]]
    training.best = Best(
        found["best_epoch"],
        Evaluation.from_lists(found["validation"]),
        Evaluation.from_lists(found["test"]),
        Evaluation.from_lists(found["gap"]) if found["gap"] else None,
    )
    chosen = found["chosen_epoch"]
    training.chosen = Kept(chosen, dict(_Part(tensors, f"{_KEPT}{chosen}.")))
    training.snapshots = {
        int(epoch): KeptSnapshot(
            int(epoch), dict(_Part(tensors, f"{_KEPT}{epoch}.")), Evaluation.from_lists(confusion)
        )
        for epoch, confusion in found["snapshots"].items()
    }


def _identity(training: Training) -> dict[str, str]:
    """What must agree for the rest of the run to end in the same bits."""
    return {
        "kind": _KIND,
        "config": json.dumps(training.config.to_dict()),
        "environment": json.dumps(asdict(training.environment), sort_keys=True),
        "wanted_snapshots": json.dumps(sorted(training.wanted_snapshots)),
    }


class _Part(Mapping[str, Tensor]):
    """The tensors whose names start with a prefix, without it. Each is read when it is asked for."""

    def __init__(self, tensors: Mapping[str, Tensor], prefix: str) -> None:
        self._tensors, self._prefix = tensors, prefix
        self._names = [name.removeprefix(prefix) for name in tensors if name.startswith(prefix)]

    def __getitem__(self, name: str) -> Tensor:
        return self._tensors[self._prefix + name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _refused(path: Path, reason: str) -> bool:
    log.warning("the checkpoint %s is not used, the run starts over: %s", path, reason)
    return False
