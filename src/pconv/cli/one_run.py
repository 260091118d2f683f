"""The result of one run: from the store if it is there, else by training it here and now."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from pconv._atomic import atomic_write
from pconv.cli.views.progress import progress
from pconv.config import RunConfig
from pconv.errors import InputError, PconvError
from pconv.store.judging import verdicts_on
from pconv.store.sqlite import CLAIM_TIMEOUT, Claim, Store
from pconv.sweeps.heartbeat import working
from pconv.sweeps.job import weights_to_keep

if TYPE_CHECKING:
    from pconv.result import RunResult
    from pconv.training.trainer import StepCallback, Training


@dataclass(frozen=True)
class Request:
    """How one run is to be computed, and what is kept of it."""

    engine: str
    device: str
    save: Path | None
    keep_weights: bool
    census: bool
    snapshots: tuple[int, ...]
    quiet: bool

    @property
    def needs_weights(self) -> bool:
        return bool(self.save or self.keep_weights)


def trained(config: RunConfig, request: Request, path: Path) -> RunResult:
    """A finished run is not trained twice, unless weights are asked for that were not kept."""
    save, quiet = request.save, request.quiet
    with Store.open(path) as store:
        result, weights = store.result(config.run_id), store.weights(config.run_id)
        epochs = len(result.epochs) if result else 0  # fewer than asked for after an early stop
        has_snapshots = all(store.weights(config.run_id, e) for e in request.snapshots if e <= epochs)
        if result and has_snapshots and (weights or not request.needs_weights):
            if sys.stderr.isatty() and not quiet:
                print(f"Run {config.run_id} is in {path} already.", file=sys.stderr)
            if save and weights:
                _copy(weights, save)
            return result
        with working(path) as owner:
            if store.claim(config, owner, again=True) is Claim.HELD:
                worker = store.find(config.run_id).owner
                raise PconvError(
                    f"run {config.run_id} is being trained by {worker}; if that is dead, wait "
                    f"{CLAIM_TIMEOUT:.0f} s"
                )
            request = _with_what_is_there(request, result)
            training = _train(config, request, store)
            with progress("census", "numbers", quiet or not request.census) as on_progress:
                result = training.result(request.census, on_progress)
            keep = request.keep_weights or bool(request.snapshots)
            kept, snapshots = weights_to_keep(training, keep)
            store.finish(result, kept, verdicts_on(result), owner, snapshots)
            return result


def _with_what_is_there(request: Request, result: RunResult | None) -> Request:
    """The store keeps a result until another lacks nothing of it."""
    if result is None:
        return request
    epochs = {*request.snapshots, *(snapshot.epoch for snapshot in result.snapshots)}
    census = request.census or result.census is not None
    return replace(request, snapshots=tuple(sorted(epochs)), census=census)


def _train(config: RunConfig, request: Request, store: Store) -> Training:
    from pconv.models.weights import check_writable, save_weights
    from pconv.training.checkpoint import run_to_end
    from pconv.training.trainer import Training

    save = request.save
    if save:
        check_writable(save)
    training = Training(config, engine=request.engine, device=request.device, snapshots=request.snapshots)
    checkpoint = store.files.checkpoint(config.run_id)
    try:
        with _progress(training, request.quiet) as on_step:
            run_to_end(training, checkpoint, on_step)
    except KeyboardInterrupt:
        _say_what_is_kept(training, save, checkpoint)
        raise typer.Exit(130) from None
    if save and training.chosen:
        save_weights(save, training.chosen.weights, config, training.chosen.epoch)
    return training


def _copy(weights: Path, save: Path) -> None:
    try:
        with atomic_write(save) as beside:
            shutil.copyfile(weights, beside)
    except OSError as error:
        raise InputError("save", save, f"could not be written ({error.strerror or error})") from None


def _say_what_is_kept(training: Training, save: Path | None, checkpoint: Path) -> None:
    from pconv.models.weights import save_weights

    said = [f"interrupted after {len(training.epochs)} of {training.config.epochs} epochs"]
    if training.chosen and save:
        save_weights(save, training.chosen.weights, training.config, training.chosen.epoch)
        said.append(f"the weights of epoch {training.chosen.epoch}, the best so far, are in {save}")
    if checkpoint.exists():
        said.append("the same command goes on from its checkpoint")
    elif not training.epochs:
        said.append("nothing was kept, because no epoch was finished")
    print(f"pconv: {'; '.join(said)}", file=sys.stderr)


@contextmanager
def _progress(training: Training, quiet: bool) -> Iterator[StepCallback | None]:
    """A live line on stderr: epoch, loss, accuracy, time left. None off a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    config = training.config
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as display:
        bar = display.add_task(f"m={config.modulus}", total=config.epochs * config.batches)

        def on_step(step: tuple[int, int, float, float | None]) -> None:
            epoch, i, loss, accuracy = step
            so_far = "" if accuracy is None else f"  accuracy {accuracy:.3f}"
            display.update(
                bar,
                completed=(epoch - 1) * config.batches + i,
                description=f"m={config.modulus}  epoch {epoch}/{config.epochs}  loss {loss:.4f}{so_far}",
            )

        yield on_step
