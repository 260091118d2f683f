"""`pconv train`: one run."""

from __future__ import annotations

import typer

from pconv.cli.config_options import with_config_options
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
    TestedTheory,
    Tolerance,
)
from pconv.config import RunConfig
from pconv.config_args import parse_epochs


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
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Train one network, and put a theory to the test on numbers it has never seen."""
    from pconv.cli.one_run import Request, trained
    from pconv.evaluate.assessment import Settings
    from pconv.evaluate.comparison import compare
    from pconv.evaluate.verdict import Status, no_theory, predicted, silence
    from pconv.store.checks import check_names
    from pconv.theory.registry import theory_named

    settings = Settings(tolerance, level)
    check_names(config)  # before the training, like all else that can be wrong
    tested = theory_named(theory or "signature").name
    if theory and not no_theory(config):
        predicted(config, theory)  # refuses a theory that does not apply to the run
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
