"""`pconv train`: one run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv.cli.config_options import with_config_options
from pconv.cli.exit_codes import INVALID_INPUT, REFUTED_THEORY
from pconv.cli.options import (
    DEFAULT_STORE,
    AsJson,
    Device,
    EngineName,
    KeepWeights,
    Level,
    NoCensus,
    Quiet,
    SaveFile,
    Snapshots,
    StoreFile,
    TaskFile,
    TestedTheory,
    Tolerance,
    flag,
)
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line
from pconv.config import DEFAULT_THEORY, RunConfig
from pconv.config_args import parse_epochs

if TYPE_CHECKING:
    from pconv.evaluate.assessment import Settings
    from pconv.evaluate.comparison import Comparison
    from pconv.evaluate.predict_run import NotApplicable
    from pconv.result import RunResult
    from pconv.theory import BasePrediction


@command(50)
@with_config_options
def train(
    config: RunConfig,
    engine: EngineName = "auto",
    device: Device = "cpu",
    save: SaveFile = None,
    theory: TestedTheory = None,
    tolerance: Tolerance = 0.01,
    level: Level = 0.01,
    snapshots: Snapshots = None,
    keep_weights: KeepWeights = False,
    no_census: NoCensus = False,
    dry_run: Annotated[
        bool, flag("--dry-run", help="Print the run's estimated time and memory, and stop.")
    ] = False,
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
    quiet: Quiet = False,
    task_file: TaskFile = None,
) -> None:
    """Train one network, and test a theory on numbers it has never seen."""
    from pconv.cli.one_run import train_in_terminal
    from pconv.cli.views.progress import show_untested
    from pconv.cli.views.run import print_document, show_result, show_verdict
    from pconv.evaluate.assessment import Settings
    from pconv.evaluate.predict_run import NotApplicable, predict_run
    from pconv.evaluate.verdict import Status
    from pconv.store.checks import check_names
    from pconv.theory.readers import ReaderPrediction
    from pconv.training.options import RunOptions

    settings, config = Settings(tolerance, level), _with_task(config, task_file)
    check_names(config)  # invalid names, and a theory that does not apply, are reported before the training
    prediction = predict_run(config, theory or DEFAULT_THEORY)
    reason = prediction.reason if isinstance(prediction, NotApplicable) else None
    if theory and isinstance(prediction, NotApplicable) and not prediction.nor_others:
        raise prediction.error()
    kept = parse_epochs(snapshots, config.epochs)
    options = RunOptions(engine, device, census=not no_census, snapshots=kept, keep_weights=keep_weights)
    if dry_run:
        from pconv.cli.views.run_plan import show_run_plan

        show_run_plan(config, options, store, as_json)
        return
    result, verdicts = train_in_terminal(config, options, store, save, quiet)
    verdicts = _completed(verdicts, result, prediction, settings)
    verdict = verdicts.find(prediction.theory)
    untested = verdicts.failed.get(prediction.theory)
    show_untested(verdicts.failed)
    if as_json:
        print_document(result, verdict, verdicts)
    else:
        show_result(result, quiet)
        show_verdict(verdict or reason or f"The theory was not tested: {untested}.", verdicts, quiet)
        if save and not quiet:
            print_line(f"Weights: {save}")
    asked = theory is not None or not isinstance(prediction, ReaderPrediction)
    if asked and verdict and verdict.status is Status.REFUTED:
        raise typer.Exit(REFUTED_THEORY)
    if untested:
        raise typer.Exit(INVALID_INPUT)


def _with_task(config: RunConfig, task_file: Path | None) -> RunConfig:
    """With the task of a file, if one is given; `--task` chooses among several."""
    if task_file is None:
        return config
    from pconv.cli.task_options import chosen_task

    named = None if config.task == RunConfig.task else config.task
    return replace(config, task=chosen_task(named, task_file).name)


def _completed(
    verdicts: Comparison | None,
    result: RunResult,
    prediction: BasePrediction | NotApplicable,
    settings: Settings,
) -> Comparison:
    """The verdicts at these settings, with that on the tested reader, which comparisons may leave out."""
    from pconv.evaluate.assessment import Settings
    from pconv.evaluate.comparison import compare
    from pconv.evaluate.judge import judge
    from pconv.theory.readers import ReaderPrediction

    if verdicts is None or settings != Settings():
        verdicts = compare(result, settings)
    if isinstance(prediction, ReaderPrediction) and verdicts.find(prediction.theory) is None:
        verdicts = verdicts.adding(judge(result, prediction.theory, settings))
    return verdicts
