"""One run in the terminal: its progress, Ctrl-C, and the file of `--save`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pconv._atomic import WEIGHTS_ENDINGS, atomic_write, check_output
from pconv.cli.interrupts import Interrupted
from pconv.cli.views.progress import progress, shown_log, training_progress
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.store.sqlite import Store
from pconv.sweeps.run import ClaimedRun, FinishedRun, claimed, stored_result
from pconv.training.options import RunOptions

if TYPE_CHECKING:
    from pconv.evaluate.comparison import Comparison
    from pconv.result import RunResult
    from pconv.training.trainer import Training


def train_in_terminal(
    config: RunConfig, options: RunOptions, path: Path, save: Path | None, quiet: bool
) -> tuple[RunResult, Comparison | None]:
    """The result of a run and, if it was trained now, the verdicts that were stored with it.

    Parameters
    ----------
    config
        What the run computes.
    options
        How it is computed, and what is kept of it.
    path
        The store. A run that it has is not trained, unless weights or snapshots are missing.
    save
        The file for the weights of the lowest held-out loss, if any.
    quiet
        Show no progress.
    """
    if save:
        check_output(save, WEIGHTS_ENDINGS, "save")
    needs_weights = bool(save) or options.keep_weights
    if result := stored_result(path, config, options.snapshots, needs_weights):
        if sys.stderr.isatty() and not quiet:
            print(f"Run {config.run_id} is in {path} already.", file=sys.stderr)
        if save:
            _copy_weights(path, config, save)
        return result, None
    check_run_memory(config, options)
    with shown_log(quiet), Store.open(path) as store, claimed(store, config, options) as run:
        finished = _train(run, save, quiet)
        try:
            _save_weights(run.training, save)
        except InputError as error:
            kept = f"{error.allowed}; run {config.run_id} is in the store {path}"
            raise InputError(error.name, error.value, kept) from None
        return finished


def check_run_memory(config: RunConfig, options: RunOptions) -> None:
    """Raise an error if a run on the CPU needs more memory than there is."""
    from pconv.engines.memory import check_memory
    from pconv.engines.registry import chosen_engine, usable_device

    device = usable_device(options.device)
    engine = chosen_engine(config, options.engine, device)
    if device.type == "cpu":
        check_memory(config, engine, options.census, len(options.snapshots))


def _train(run: ClaimedRun, save: Path | None, quiet: bool) -> FinishedRun:
    """Trains and stores a run. Ctrl-C saves the best weights so far and ends the program."""
    try:
        with training_progress(run.training.config, quiet) as on_step:
            run.train(on_step)
        with progress("census", "numbers", quiet or not run.options.census) as on_census:
            return run.finish(on_census)
    except KeyboardInterrupt:
        _save_weights(run.training, save)
        raise Interrupted(_interrupted(run, save)) from None


def _save_weights(training: Training, save: Path | None) -> None:
    """The weights of the lowest held-out loss so far, if an epoch is finished."""
    from pconv.models.weights import save_weights

    if save and training.chosen:
        save_weights(save, training.chosen.weights, training.config, training.chosen.epoch)


def _interrupted(run: ClaimedRun, save: Path | None) -> str:
    """What is kept of an interrupted run."""
    training = run.training
    if training.done:
        parts = ["interrupted after the training"]
    else:
        parts = [f"interrupted after {len(training.epochs)} of {training.config.epochs} epochs"]
    if training.chosen and save:
        parts.append(f"the weights of epoch {training.chosen.epoch}, the best so far, are in {save}")
    if run.checkpoint.exists():
        parts.append("the same command goes on from its checkpoint")
    elif not training.epochs:
        parts.append("nothing was kept, because no epoch was finished")
    return "; ".join(parts)


def _copy_weights(path: Path, config: RunConfig, save: Path) -> None:
    with Store.read(path) as store:
        weights = store.weights(config.run_id)
    assert weights  # `stored_result` has required them
    with atomic_write(save, "save") as temporary:
        shutil.copyfile(weights, temporary)
