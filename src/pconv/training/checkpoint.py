"""The state of a training between two epochs as a file; a resumed run ends with the same bits.

A training draws random numbers only before its first step, from the run's seed; a later epoch depends on
nothing but the engine's state. The checkpoint holds this state and the records of the epochs so far.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from pconv._atomic import atomic_write
from pconv._text import shortened
from pconv.data.examples import class_count
from pconv.errors import InputError
from pconv.models.tensor_file import read_tensors, write_tensors
from pconv.result import Epoch, Evaluation, RunResult, Snapshot, check_figures
from pconv.training.definitions import Redefined, check_definitions
from pconv.training.trainer import Best, Kept, KeptSnapshot, Training

_KIND = "pconv checkpoint 3"
_ENGINE, _KEPT, _LOSSES = "engine.", "kept", "losses"

_MOST_THREADS = 256  # that a checkpoint is believed

log = logging.getLogger(__name__)


def save_checkpoint(path: Path, training: Training) -> None:
    """Writes the state after the last epoch; if that fails, it logs a warning and the run continues."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as temporary:
            write_tensors(Path(temporary), _tensors(training), _metadata(training))
    except OSError as error:
        log.warning("run %s goes on without a checkpoint: %s", training.config.run_id, error)


def _tensors(training: Training) -> Iterator[tuple[str, Tensor]]:
    """A generator: at the paper's size, all tensors at once would double the memory of a run."""
    for name, tensor in training.engine.state_items():
        yield _ENGINE + name, tensor
        del tensor
    for epoch, weights in _kept(training).items():
        for name, tensor in weights.items():
            yield f"{_KEPT}{epoch}.{name}", tensor
    yield _LOSSES, torch.tensor(training.losses, dtype=torch.float64)


def _kept(training: Training) -> dict[int, dict[str, Tensor]]:
    """The weights of the chosen epoch and of the snapshots, by epoch."""
    assert training.chosen  # set by the first epoch
    # the chosen ones last: a snapshot of the same epoch may be without weights
    return {kept.epoch: kept.weights for kept in (*training.snapshots.values(), training.chosen)}


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
    """Restores a new training from a checkpoint; False if there is none that can be used.

    The training is changed only when all of the file has been checked: one that starts over must not have
    weights of the checkpoint. If the run's task, or another part of it, has another definition than in the
    checkpoint, that is an error: the checkpoint would be overwritten by another run.
    """
    if not path.exists():
        return False
    try:
        with read_tensors(path) as (tensors, metadata):
            identity = _identity(training)
            if metadata.get("config") == identity["config"]:
                check_definitions(training.config, json.loads(metadata["environment"])["versions"])
            if {name: metadata.get(name) for name in identity} != identity:
                reason = "it was computed in another way, and the result would not have the same bits"
                return _refused(path, reason)
            _check_shapes(training, tensors)
            documents = {name: metadata[name] for name in metadata if name not in identity}
            records = _read_records(training, tensors, documents)
            if training.keeps_snapshots and not all(kept.weights for kept in records.snapshots.values()):
                return _refused(path, "it has no weights of its snapshots, and they are to be kept now")
            training.engine.restore(_Part(tensors, _ENGINE))
    except Redefined:
        raise
    except InputError as error:
        return _refused(path, error.allowed)
    except _DAMAGE as error:
        return _refused(path, f"it is damaged ({shortened(repr(error), 200)})")
    training.losses, training.epochs, training.best, training.chosen, training.snapshots = records
    return True


def other_threads(path: Path, training: Training) -> int | None:
    """The number of threads of a checkpoint, if that alone is in the way of resuming it.

    The number changes the rounding, so the run can only go on with that of its first epochs.
    """
    try:
        opened: Any = safe_open(path, framework="pt")
        with opened as file:
            metadata = file.metadata() or {}
        threads = json.loads(metadata["environment"])["threads"]
    except (SafetensorError, OSError, *_DAMAGE):
        return None
    environment = {**asdict(training.environment), "threads": threads}
    identity = {**_identity(training), "environment": json.dumps(environment, sort_keys=True)}
    is_other = type(threads) is int and 1 <= threads <= _MOST_THREADS and threads != training.threads
    return threads if is_other and {name: metadata.get(name) for name in identity} == identity else None


_DAMAGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What reading a file raises that is intact but does not hold what a checkpoint does."""


class _Records(NamedTuple):
    """The records of the epochs so far, in the order in which `resume` sets them."""

    losses: list[float]
    epochs: list[Epoch]
    best: Best
    chosen: Kept
    snapshots: dict[int, KeptSnapshot]


def _read_records(training: Training, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> _Records:
    """The records in a checkpoint; one of `_DAMAGE` if no training can have them."""
    found = {name: json.loads(text) for name, text in metadata.items()}
    best = Best(
        found["best_epoch"],
        Evaluation.from_lists(found["validation"]),
        Evaluation.from_lists(found["test"]),
        Evaluation.from_lists(found["gap"]) if found["gap"] else None,
    )
    chosen = found["chosen_epoch"]
    records = _Records(
        losses=tensors[_LOSSES].tolist(),
        epochs=[Epoch(**epoch) for epoch in found["epochs"]],
        best=best,
        chosen=Kept(chosen, dict(_Part(tensors, f"{_KEPT}{chosen}."))),
        snapshots={
            int(epoch): KeptSnapshot(
                int(epoch),
                dict(_Part(tensors, f"{_KEPT}{epoch}.")) if training.keeps_snapshots else {},
                Evaluation.from_lists(confusion),
            )
            for epoch, confusion in found["snapshots"].items()
        },
    )
    _check_records(training, records)
    return records


def _check_records(training: Training, records: _Records) -> None:
    """The records are those of a result whose last epochs are missing."""
    config, best, done = training.config, records.best, len(records.epochs)
    snapshots = [Snapshot(kept.epoch, kept.test) for kept in records.snapshots.values()]
    check_figures(
        RunResult(
            config=config,
            losses=tuple(records.losses),
            epochs=tuple(records.epochs),
            best_epoch=best.epoch,
            validation=best.validation,
            test=best.test,
            disjoint_test=best.disjoint_test,
            environment=training.environment,
            snapshots=tuple(snapshots),
        )
    )
    if len(best.test.confusion) != class_count(config):
        raise ValueError(f"answers in {len(best.test.confusion)} classes")
    if len(records.losses) != done * config.batches or not np.isfinite(records.losses).all():
        raise ValueError(f"{len(records.losses)} losses in {done} epochs, or one that is not finite")
    if any(epoch.held_out_loss is None for epoch in records.epochs):
        raise ValueError("an epoch without its held-out loss")
    if not {*records.snapshots, records.chosen.epoch} <= set(range(1, done + 1)):
        raise ValueError(f"weights of an epoch after the last, {done}")


def _check_shapes(training: Training, tensors: Mapping[str, Tensor]) -> None:
    """The engine's tensors have the shapes and types that the engine would save, and so have kept weights."""
    expected = {name: _shape(tensor) for name, tensor in training.engine.state_items()}
    if {name: _shape(tensor) for name, tensor in _Part(tensors, _ENGINE).items()} != expected:
        raise ValueError("tensors that are not those of the engine")
    for name in tensors:
        kept, _, weight = name.partition(".")
        if kept.startswith(_KEPT) and _shape(tensors[name]) != expected.get(weight):
            raise ValueError(f"kept weights that are not the network's: {shortened(name)}")


def _shape(tensor: Tensor) -> tuple[torch.Size, torch.dtype]:
    return tensor.shape, tensor.dtype


def _identity(training: Training) -> dict[str, str]:
    """What must be equal for the resumed run to end with the same bits."""
    return {
        "kind": _KIND,
        "config": json.dumps(training.config.to_dict()),
        "environment": json.dumps(asdict(training.environment), sort_keys=True),
        "wanted_snapshots": json.dumps(sorted(training.wanted_snapshots)),
    }


class _Part(Mapping[str, Tensor]):
    """The tensors whose names start with a prefix, under their names without it; each is read on access."""

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
