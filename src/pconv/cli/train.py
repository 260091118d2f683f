"""`pconv train`: one run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv.cli.options import AsJson, Modulus, Offsets, Quiet, Successors, run_config, sizes
from pconv.config import RunConfig

if TYPE_CHECKING:
    from pconv.learn.training import Training, Watcher
    from pconv.result import RunResult


def train(
    modulus: Modulus,
    successors: Successors = None,
    offsets: Offsets = None,
    kernel: Annotated[
        str, typer.Option("--kernel", "-k", help="Kernel size, odd and >= 3; 7,3: one a layer.", metavar="k")
    ] = "7",
    primes: Annotated[
        int | None,
        typer.Option("--primes", "-N", help="Columns of the grid: 32 quick, 5000 paper.", metavar="N"),
    ] = None,
    channels: Annotated[
        str, typer.Option("--channels", "-C", help="Channels; 8,16: two layers.", metavar="C")
    ] = "4",
    batches: Annotated[
        int, typer.Option("--batches", "-r", help="Training batches.", metavar="r")
    ] = RunConfig.batches,
    batch_size: Annotated[
        int, typer.Option("--batch-size", "-s", help="Numbers a batch.", metavar="s")
    ] = RunConfig.batch_size,
    epochs: Annotated[
        int, typer.Option("--epochs", "-t", help="Passes over the batches.", metavar="t")
    ] = RunConfig.epochs,
    seed: Annotated[int, typer.Option(help="Fixes draws and first weights.", metavar="INT")] = RunConfig.seed,
    limit: Annotated[int, typer.Option(help="Numbers are below it.", metavar="INT")] = RunConfig.limit,
    smooth: Annotated[
        int, typer.Option(help="Prime factors of n are among the first K primes; 0: any.", metavar="K")
    ] = RunConfig.smooth,
    test_size: Annotated[
        int, typer.Option(help="Fresh numbers that no choice is made on.", metavar="INT")
    ] = RunConfig.test_size,
    no_early_stop: Annotated[
        bool, typer.Option("--no-early-stop", help="Go on after validation accuracy 1.")
    ] = False,
    preset: Annotated[
        str, typer.Option(help="quick or paper: where the defaults come from.", metavar="NAME")
    ] = "quick",
    engine: Annotated[
        str, typer.Option(help="auto, sparse or dense: the same run, sooner or later.", metavar="NAME")
    ] = "auto",
    device: Annotated[str, typer.Option(help="A torch device.", metavar="NAME")] = "cpu",
    save: Annotated[
        Path | None, typer.Option(help="Keep the best epoch's weights here.", metavar="FILE")
    ] = None,
    theory: Annotated[
        str, typer.Option(help="The theory that is put to the test; exit code 1 if refuted.", metavar="NAME")
    ] = "signature",
    tolerance: Annotated[
        float, typer.Option(help="Share of answers that may leave the predicted groups.", metavar="SHARE")
    ] = 0.01,
    level: Annotated[
        float, typer.Option(help="Probability of calling a true theory refuted.", metavar="SHARE")
    ] = 0.01,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Train one network, and put a theory to the test on numbers it has never seen."""
    config = run_config(
        preset,
        successors,
        offsets,
        modulus=modulus,
        kernel=sizes("kernel", kernel),
        primes=primes,
        channels=sizes("channels", channels),
        batches=batches,
        batch_size=batch_size,
        epochs=epochs,
        seed=seed,
        limit=limit,
        smooth=smooth,
        test_size=test_size,
        early_stop=not no_early_stop,
    )
    from pconv.verify.assessment import Settings
    from pconv.verify.comparison import compare
    from pconv.verify.verdict import Status, predicted

    settings = Settings(tolerance, level)
    predicted(config, theory)  # a theory that has nothing to say is noticed before the training
    result = _run(config, engine, device, save, quiet)
    verdicts = compare(result, settings)
    verdict = verdicts.of(theory)
    if as_json:
        print(json.dumps({**result.to_dict(), "verdict": verdict.to_dict(), "theories": verdicts.words}))
    else:
        from pconv.cli.show import show_result, show_verdict

        show_result(result, quiet)
        show_verdict(verdict, verdicts, quiet)
        if save and not quiet:
            print(f"Weights: {save}")
    if verdict.status is Status.REFUTED:
        raise typer.Exit(1)


def _run(config: RunConfig, engine: str, device: str, save: Path | None, quiet: bool) -> RunResult:
    from pconv.learn.training import Training
    from pconv.learn.weights import check_writable, save_weights

    if save:
        check_writable(save)
    training = Training(config, engine=engine, device=device)
    try:
        with _progress(training, quiet) as watch:
            while not training.done:
                training.run_epoch(watch)
        result = training.result()
    except KeyboardInterrupt:
        _say_what_is_kept(training, save)
        raise typer.Exit(130) from None
    if save and training.best:
        save_weights(save, training.best.weights, config, len(training.epochs))
    return result


def _say_what_is_kept(training: Training, save: Path | None) -> None:
    from pconv.learn.weights import save_weights

    done = f"interrupted after {len(training.epochs)} of {training.config.epochs} epochs"
    if training.best and save:
        save_weights(save, training.best.weights, training.config, len(training.epochs))
        kept = f"the weights of epoch {training.best.epoch}, the best so far, are in {save}"
    elif save:
        kept = "nothing was kept, because no epoch was finished"
    else:
        kept = "nothing was kept (--save FILE keeps the best weights so far)"
    print(f"pconv: {done}; {kept}", file=sys.stderr)


@contextmanager
def _progress(training: Training, quiet: bool) -> Iterator[Watcher | None]:
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

        def watch(step: tuple[int, int, float, float | None]) -> None:
            epoch, i, loss, accuracy = step
            so_far = "" if accuracy is None else f"  accuracy {accuracy:.3f}"
            display.update(
                bar,
                completed=(epoch - 1) * config.batches + i,
                description=f"m={config.modulus}  epoch {epoch}/{config.epochs}  loss {loss:.4f}{so_far}",
            )

        yield watch
