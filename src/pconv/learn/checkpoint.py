"""A run on disk between two epochs, so that a killed run goes on and ends with the same bits.

A training draws random numbers only before its first step, from the run's seed; all that a later epoch
depends on is the engine's state. The checkpoint holds that, and what the result will tell of the epochs.
"""

from __future__ import annotations

import json
import logging
import time
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from pconv.disk import written_whole
from pconv.errors import InputError
from pconv.learn.training import Best, EpochCallback, Selected, Training, Watcher
from pconv.learn.weights import checksum, contiguous, unpack
from pconv.result import Epoch, Evaluation

_KIND = "pconv checkpoint 2"
_ENGINE, _BEST, _CHOSEN, _SNAPSHOT, _LOSSES = "engine.", "best.", "chosen.", "snapshot", "losses"
SAVE_AFTER = 10.0
"""Seconds of training worth saving; shorter runs are done again as fast as their state would be read."""
_WORTH = 0.5  # seconds that saving may take for so much training: a twentieth; where it takes more, it waits

log = logging.getLogger(__name__)


def run_to_end(
    training: Training,
    path: Path | None,
    watch: Watcher | None = None,
    on_epoch: EpochCallback | None = None,
    save_after: float = SAVE_AFTER,
) -> None:
    """All epochs that are left, from the checkpoint if there is one, saving after one where it is due."""
    if path:
        resume(path, training)
    saved, due = time.monotonic(), save_after
    while not training.done:
        epoch = training.run_epoch(watch)
        if on_epoch:
            on_epoch(epoch)
        started = time.monotonic()
        if path and not training.done and started - saved >= due:
            save_checkpoint(path, training)
            saved = time.monotonic()
            due = save_after * max(1.0, (saved - started) / _WORTH)


def save_checkpoint(path: Path, training: Training) -> None:
    """Keep the state after the last epoch; a run that cannot be saved goes on without."""
    assert training.best  # the first epoch is the best so far
    assert training.chosen
    tensors = {_ENGINE + name: tensor for name, tensor in training.engine.state().items()}
    tensors |= {_BEST + name: tensor for name, tensor in training.best.weights.items()}
    if training.chosen.epoch != training.best.epoch:
        tensors |= {_CHOSEN + name: tensor for name, tensor in training.chosen.weights.items()}
    for epoch, kept in training.snapshots.items():
        tensors |= {f"{_SNAPSHOT}{epoch}.{name}": tensor for name, tensor in kept.weights.items()}
    tensors[_LOSSES] = torch.tensor(training.losses, dtype=torch.float64)
    metadata = {
        **_identity(training),
        "epochs": json.dumps([asdict(epoch) for epoch in training.epochs]),
        "best_epoch": str(training.best.epoch),
        "chosen_epoch": str(training.chosen.epoch),
        "snapshots": json.dumps(list(training.snapshots)),
        "validation": json.dumps(training.best.validation.confusion),
    }
    metadata["checksum"] = checksum(tensors, metadata)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as beside:
            save_file(contiguous(tensors), beside, metadata)
    except (OSError, SafetensorError) as error:
        log.warning("run %s goes on without a checkpoint: %s", training.config.run_id, error)


def resume(path: Path, training: Training) -> bool:
    """Put a fresh training where the checkpoint left it; without a usable one it starts at the beginning."""
    if not path.exists():
        return False
    try:
        tensors, metadata = unpack(path)
    except InputError as error:
        return _refused(path, error.allowed)
    if checksum(tensors, metadata) != metadata.get("checksum"):
        return _refused(path, "its checksum does not match")
    identity = _identity(training)
    if {name: metadata.get(name) for name in identity} != identity:
        return _refused(path, "it was computed in another way, and the result would not have the same bits")
    training.engine.restore(_part(tensors, _ENGINE))
    training.losses = tensors[_LOSSES].tolist()
    training.epochs = [Epoch(**epoch) for epoch in json.loads(metadata["epochs"])]
    validation = Evaluation.from_lists(json.loads(metadata["validation"]))
    training.best = Best(int(metadata["best_epoch"]), _part(tensors, _BEST), validation)
    chosen = _part(tensors, _CHOSEN) or training.best.weights
    training.chosen = Selected(int(metadata["chosen_epoch"]), chosen)
    training.snapshots = {
        epoch: Selected(epoch, _part(tensors, f"{_SNAPSHOT}{epoch}."))
        for epoch in json.loads(metadata["snapshots"])
    }
    return True


def _identity(training: Training) -> dict[str, str]:
    """What must agree for the rest of the run to end in the same bits."""
    return {
        "kind": _KIND,
        "config": json.dumps(training.config.to_dict()),
        "environment": json.dumps(asdict(training.environment), sort_keys=True),
        "wanted_snapshots": json.dumps(sorted(training.wanted_snapshots)),
    }


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}


def _refused(path: Path, reason: str) -> bool:
    log.warning("the checkpoint %s is not used, the run starts over: %s", path, reason)
    return False
