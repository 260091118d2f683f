"""Evaluates a study: the figures of each run, the paper's, the ceiling and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from pconv.config import DEFAULT_THEORY, RunConfig
from pconv.data.domain import Domain
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.result import RunResult
from pconv.store.judging import judged_by
from pconv.store.reading import StoreReader
from pconv.store.run import JudgedRun, RunSource
from pconv.store.timing import estimated_seconds
from pconv.studies.cell import CellResult, Replicated, StudyCell
from pconv.studies.study import Study
from pconv.sweeps.run import complete_runs
from pconv.training.options import RunOptions

if TYPE_CHECKING:
    from pconv.probes.finding import Finding


def study_options(studies: Iterable[Study], options: RunOptions | None = None) -> dict[str, RunOptions]:
    """The options of each run by its id, with the weights and snapshots that any of its studies wants.

    Parameters
    ----------
    studies
        Whose runs.
    options
        The options that the studies do not decide.
    """
    found: dict[str, RunOptions] = {}
    for study, config in ((each, config) for each in studies for config in each.configs()):
        before = found.get(config.run_id, options or RunOptions())
        found[config.run_id] = replace(
            before,
            snapshots=tuple(sorted({*before.snapshots, *study.snapshots_of(config)})),
            keep_weights=before.keep_weights or study.keeps_weights,
        )
    return found


def left_out(
    studies: Sequence[Study], store: StoreReader | None, max_hours: float | None
) -> dict[str, float]:
    """The runs that would take too long, with their estimated seconds.

    Parameters
    ----------
    studies
        Whose runs.
    store
        Knows which runs there is nothing left to do for, and how long others took; None where there is no
        store yet.
    max_hours
        The longest a run may take; None for no limit.
    """
    if max_hours is None:
        return {}
    configs = {config.run_id: config for study in studies for config in study.configs()}
    known, there = (
        (store.timings(), complete_runs(store, study_options(studies))) if store else ([], set[str]())
    )
    seconds = {
        run_id: estimated_seconds(config, known) for run_id, config in configs.items() if run_id not in there
    }
    return {run_id: time for run_id, time in seconds.items() if time > 3600 * max_hours}


def evaluate_study(study: Study, source: RunSource, theory: str = DEFAULT_THEORY) -> list[CellResult]:
    """The cells of a study with the figures of their runs, as far as the source has them.

    Parameters
    ----------
    study
        For example `pconv.study("headline")`.
    source
        A store or a directory of results.
    theory
        The theory whose ceilings and verdicts the cells have.

    Examples
    --------
    >>> from pconv import study
    >>> from pconv.studies.directory import ResultsDirectory
    >>> nothing = ResultsDirectory({}, {})
    >>> [round(cell.ceiling, 3) for cell in evaluate_study(study("headline"), nothing)]
    [1.0, 0.911, 1.0, 0.564, 0.911, 1.0]
    >>> [round(cell.ceiling, 3) for cell in evaluate_study(study("headline"), nothing, "grid")]
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    stored = [source.run(cell.config.run_id) for cell in study.cells]
    runs = [run and judged_by(run, theory) for run in stored]
    found = replicates((run.result for run in runs if run), theory)
    cells = []
    for cell, run in zip(study.cells, runs, strict=True):
        beyond = source.extrapolated(cell.config.run_id) if study.extrapolates and run else ()
        over_seeds = found.get(replace(cell.config, seed=0))
        cells.append(replace(_evaluate_cell(cell, run, theory, beyond), replicates=over_seeds))
    return cells


def _evaluate_cell(
    cell: StudyCell, run: JudgedRun | None, theory: str, beyond: tuple[Finding, ...]
) -> CellResult:
    ceiling = ceiling_of(cell.config, theory)
    if run is None:
        return CellResult(cell, ceiling, theory)
    result, census = run.result, run.result.census
    verdict = run.verdicts.get(theory)
    return CellResult(
        cell,
        ceiling,
        theory,
        accuracy=result.best_accuracy,
        test_accuracy=result.test.accuracy,
        census_accuracy=census.accuracy if census else None,
        loss=census.loss if census else None,
        floor=verdict.assessment.loss.floor if verdict else None,
        parts=verdict.assessment.parts if verdict else None,
        verdicts={theory: str(verdict.status) for theory, verdict in run.verdicts.items()},
        seconds=run.seconds,
        epochs=result.epochs,
        confusion=(census.answers if census else result.test).confusion,
        beyond=beyond,
    )


def replicates(results: Iterable[RunResult], theory: str = DEFAULT_THEORY) -> dict[RunConfig, Replicated]:
    """The status of a theory over all seeds of each configuration with several seeds. Keys have seed 0.

    Configurations that the theory does not apply to are left out.
    """
    by_config: dict[RunConfig, dict[int, RunResult]] = {}
    for result in results:
        by_config.setdefault(replace(result.config, seed=0), {})[result.config.seed] = result
    several = {config: list(found.values()) for config, found in by_config.items() if len(found) > 1}
    if not several:
        return {}
    from pconv.evaluate.comparison import judge_replicates  # loads scipy

    judged = {
        config: judge_replicates(found, theory)
        for config, found in several.items()
        if not isinstance(predict_run(config, theory), NotApplicable)
    }
    return {config: Replicated(str(each.status), each.sentence) for config, each in judged.items()}


@cache
def ceiling_of(config: RunConfig, theory: str = DEFAULT_THEORY) -> float | None:
    """The exact ceiling of a theory on the run's domain; None where it does not apply."""
    prediction = predict_run(config, theory)
    if isinstance(prediction, NotApplicable):
        return None
    exact = prediction.exact_ceiling(Domain.of(config))
    return float(prediction.ceiling) if exact is None else exact
