"""`pconv train`: one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pconv.cli.options import (
    DEFAULT_STORE,
    AsJson,
    KeepWeights,
    Modulus,
    NoCensus,
    Offsets,
    Quiet,
    RepresentationName,
    StoreFile,
    Successors,
    TaskName,
)
from pconv.config import RunConfig
from pconv.config_args import parse_epochs, run_config, sizes


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
    learning_rate: Annotated[
        float, typer.Option(help="Adam's step size, at most 10.", metavar="RATE")
    ] = RunConfig.learning_rate,
    weight_decay: Annotated[
        float, typer.Option(help="Decoupled, as in AdamW: from 0, none, to 100.", metavar="RATE")
    ] = RunConfig.weight_decay,
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
        str,
        typer.Option(
            help="How the run is computed: auto (the fastest), sparse, dense, or one of your own.",
            metavar="NAME",
        ),
    ] = "auto",
    device: Annotated[str, typer.Option(help="A torch device.", metavar="NAME")] = "cpu",
    save: Annotated[
        Path | None, typer.Option(help="Save the weights of the lowest held-out loss here.", metavar="FILE")
    ] = None,
    architecture: Annotated[
        str,
        typer.Option(help="The network: pconv, mlp, transformer, or one of your own.", metavar="NAME"),
    ] = RunConfig.architecture,
    representation: RepresentationName = RunConfig.representation,
    task: TaskName = RunConfig.task,
    theory: Annotated[
        str | None,
        typer.Option(
            help="The theory that is put to the test, signature if not given; exit code 1 if refuted.",
            metavar="NAME",
        ),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Share of answers that may leave the predicted groups.", metavar="SHARE")
    ] = 0.01,
    level: Annotated[
        float, typer.Option(help="Probability of calling a true theory refuted.", metavar="SHARE")
    ] = 0.01,
    snapshots: Annotated[
        str | None,
        typer.Option(help="Epochs whose weights are kept, as RUN@EPOCH: 1,2,5 or all.", metavar="EPOCHS"),
    ] = None,
    keep_weights: KeepWeights = False,
    no_census: NoCensus = False,
    store: StoreFile = DEFAULT_STORE,
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
        learning_rate=learning_rate,
        weight_decay=weight_decay,
        seed=seed,
        limit=limit,
        smooth=smooth,
        test_size=test_size,
        early_stop=not no_early_stop,
        architecture=architecture,
        representation=representation,
        task=task,
    )
    from pconv.cli.one_run import Request, trained
    from pconv.evaluate.assessment import Settings
    from pconv.evaluate.comparison import compare
    from pconv.evaluate.verdict import Status, no_theory, predicted, silence
    from pconv.store.checks import check_names
    from pconv.theory.registry import theory_named

    settings = Settings(tolerance, level)
    check_names(config)  # what is not there is noticed before the training ..
    tested = theory_named(theory or "signature").name
    if theory and not no_theory(config):
        predicted(config, theory)  # .. and so is a theory that was asked for and has nothing to say
    kept = parse_epochs(snapshots, config.epochs)
    result = trained(config, Request(engine, device, save, keep_weights, not no_census, kept, quiet), store)
    verdicts = compare(result, settings)
    verdict = verdicts.find(tested)
    silent = None if verdict else silence(config, tested)
    from pconv.cli.views.run import print_document, show_result, show_verdict

    if as_json:
        print_document(result, verdict, verdicts)
    else:
        show_result(result, quiet)
        show_verdict(verdict or silent, verdicts, quiet)
        if save and not quiet:
            print(f"Weights: {save}")
    if verdict and verdict.status is Status.REFUTED:
        raise typer.Exit(1)
