"""The weights that a user refers to: a file, or a run in the store."""

from __future__ import annotations

from pathlib import Path

from pconv.config import RunConfig, may_start_id
from pconv.config_args import as_flags
from pconv.errors import InputError
from pconv.store.sqlite import Store


def weights_of(name: str, store: Path) -> Path:
    """The file of this name, or else the stored weights of the run whose id starts with it.

    `RUN@10` names the weights of a snapshot, here after epoch 10.
    """
    prefix, at, after = name.partition("@")
    if Path(name).exists() or not may_start_id(prefix):
        return Path(name)
    if not store.exists():
        raise InputError("run", repr(name), f"is no file, and there is no store {store} that could have it")
    if at and not (after.isdecimal() and len(after) < 10 and int(after)):
        raise InputError("run", repr(name), "after @ must be the epoch of a snapshot")
    with Store.read(store) as opened:
        run = opened.find(prefix)
        if at and run.status == "finished":
            return _snapshot(opened, run.run_id, int(after))
        weights = opened.weights(run.run_id)
    if run.status != "finished":
        raise InputError("run", run.run_id, f"is not finished ({run.status}), so there are no weights")
    if weights is None:
        again = f"pconv train {as_flags(RunConfig.from_dict(run.config))} --keep-weights --store {store}"
        missing = "are gone" if run.weights else "were not kept"
        raise InputError("run", run.run_id, f"its weights {missing}; this keeps them: {again}")
    return weights


def _snapshot(store: Store, run_id: str, epoch: int) -> Path:
    weights = store.weights(run_id, epoch)
    if weights is None:
        result = store.result(run_id)
        kept = [s.epoch for s in result.snapshots if store.weights(run_id, s.epoch)] if result else []
        there = f"there are: {', '.join(map(str, kept))}" if kept else "`pconv train --snapshots` keeps them"
        raise InputError("run", f"{run_id}@{epoch}", f"the store has no snapshot of this epoch; {there}")
    return weights
