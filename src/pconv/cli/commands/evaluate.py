"""`pconv evaluate`: evaluates a trained network on every number of its domain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv._json import strict_json
from pconv.cli.options import DEFAULT_STORE, AsJson, Quiet, Source, StoreFile
from pconv.cli.registry import command
from pconv.config import DEFAULT_THEORY

if TYPE_CHECKING:
    from pconv.evaluate.comparison import Comparison
    from pconv.result import Census, RunResult


@command(70)
def evaluate(
    source: Source,
    numbers: Annotated[
        str,
        typer.Option(
            help="unseen: all that it was not trained or selected on; all: the whole domain.", metavar="WHICH"
        ),
    ] = "unseen",
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Take a census: evaluate a network on every number of its domain, and test every theory on the answers.

    If a stored run has no census yet, that of its unseen numbers is added to it.
    """
    from pconv.cli.views.progress import progress, shown_log
    from pconv.cli.weights_of import weights_of
    from pconv.engines.census import check_numbers, evaluate_model
    from pconv.models.weights import Model

    check_numbers(numbers)
    model = Model.load(weights_of(source, store))
    stored = None if Path(source).exists() else _stored(model.config.run_id, store)
    new = stored is not None and not stored.census and numbers == "unseen" and "@" not in source
    if new:
        _check_writable(store)  # before the census, which may take minutes
    with shown_log(quiet), progress("census", "numbers", quiet) as on_progress:
        census = evaluate_model(model, numbers, on_progress, epoch=stored.best_epoch if stored else 0)
    verdicts = None
    if numbers == "unseen" or model.compiled:  # answers to training numbers do not test a theory
        from pconv.evaluate.assess import Answered
        from pconv.evaluate.comparison import compare_answers

        last = stored.epochs[-1] if stored else None
        verdicts = compare_answers(model.config, Answered.by_census(census, last))
        if new:
            _add(model.config.run_id, census, verdicts, store)
    _report(model.run_id, census, verdicts, as_json, quiet)


def _stored(run_id: str, path: Path) -> RunResult | None:
    from pconv.store.sqlite import Store

    with Store.read(path) as store:
        return store.result(run_id)


def _check_writable(path: Path) -> None:
    from pconv.store.sqlite import Store

    Store.open(path).close()


def _add(run_id: str, census: Census, verdicts: Comparison, path: Path) -> None:
    from pconv.store.sqlite import Store

    with Store.open(path) as store:
        store.set_census(run_id, census, {v.theory: v for v in verdicts.verdicts})


def _report(
    run_id: str | None, census: Census, verdicts: Comparison | None, as_json: bool, quiet: bool
) -> None:
    from pconv.cli.views.run import show_census, show_verdict
    from pconv.evaluate.comparison import census_document

    verdict = verdicts.find(DEFAULT_THEORY) if verdicts else None
    if as_json:
        document = {
            "run_id": run_id,
            "census": census_document(census, verdict),
            "verdict": verdict and verdict.to_dict(),
            "theories": verdicts.words if verdicts else None,
        }
        print(strict_json(document))
        return
    show_census(census, quiet)
    if verdicts is None:
        print(
            "verdict: none, because training numbers are among those evaluated (--numbers unseen gives one)"
        )
    else:
        show_verdict(verdict or verdicts.sentence, verdicts, quiet)
