"""A study after its runs: each cell with ours, the paper's, the ceiling and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from pconv.config import DEFAULT_THEORY, RunConfig
from pconv.data.domain import Domain
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.result import Epoch, Matrix, RunResult
from pconv.store.run import JudgedRun, RunSource
from pconv.store.sqlite import Store
from pconv.store.timing import estimated_seconds
from pconv.studies.catalog import Study, StudyCell
from pconv.studies.paper import agrees

if TYPE_CHECKING:
    from pconv.probes.finding import Finding


@dataclass(frozen=True)
class Replicated:
    """The status of the signature theory over all seeds of a cell."""

    status: str
    sentence: str


@dataclass(frozen=True)
class CellResult:
    """A cell of a study; what is not known, because the run is not there, is None."""

    cell: StudyCell
    ceiling: float | None  # of the signature theory; None: it does not apply to the run
    accuracy: float | None = None  # of the best epoch on 512 numbers, as the paper measures it
    test_accuracy: float | None = None  # of the same weights
    census_accuracy: float | None = None  # of the weights with the lowest held-out loss; None: no census
    loss: float | None = None  # the census's mean cross-entropy, in nats
    floor: float | None = None  # the least loss of a reader of the groups
    parts: Mapping[str, str] | None = None  # of the verdict on the signature theory: yes, no or open
    verdicts: dict[str, str] | None = None  # the status of each theory
    seconds: float | None = None
    epochs: tuple[Epoch, ...] = ()
    confusion: Matrix | None = None  # of the census, or of the test set where there is none
    beyond: tuple[Finding, ...] = ()  # on numbers past those it was trained on
    replicates: Replicated | None = None  # None: fewer than two seeds have a run

    @property
    def agrees(self) -> bool | None:
        """With the paper; None where one of the two figures is missing."""
        if self.accuracy is None or self.cell.paper is None:
            return None
        return agrees(self.accuracy, self.cell.paper)

    @property
    def has_census(self) -> bool:
        return self.census_accuracy is not None

    @property
    def verdict(self) -> str | None:
        """On the signature theory."""
        return (self.verdicts or {}).get(DEFAULT_THEORY)

    def to_dict(self) -> dict[str, Any]:
        config = self.cell.config
        return {
            "modulus": config.modulus,
            "successors": config.offsets[-1],
            "kernel": config.kernel[0] if len(config.kernel) == 1 else list(config.kernel),
            "architecture": config.architecture,
            "representation": config.representation,
            "seed": config.seed,
            "accuracy": self.accuracy,
            "test_accuracy": self.test_accuracy,
            "has_census": self.has_census,
            "census_accuracy": self.census_accuracy,
            "loss": self.loss,
            "floor": self.floor,
            "paper": self.cell.paper,
            "agrees": self.agrees,
            "ceiling": self.ceiling,
            "verdict": self.verdict,
            "parts": dict(self.parts) if self.parts else None,
            "replicates": asdict(self.replicates) if self.replicates else None,
            "theories": self.verdicts,
            "seconds": self.seconds,
            "paper_minutes": self.cell.minutes,
            "row": self.cell.row,
            "column": self.cell.column,
            "epochs": [{"loss": e.loss, "accuracy": e.accuracy, "seconds": e.seconds} for e in self.epochs],
            "beyond": [b.to_dict() for b in self.beyond],
            "run_id": config.run_id,
        }


def left_out(studies: Sequence[Study], store: Store, max_hours: float | None) -> dict[str, float]:
    """The runs that would take longer than that, with their estimated seconds."""
    if max_hours is None:
        return {}
    configs = {cell.config.run_id: cell.config for study in studies for cell in study.cells}
    known, there = store.timings(), store.finished(configs)
    seconds = {
        run_id: estimated_seconds(config, known) for run_id, config in configs.items() if run_id not in there
    }
    return {run_id: time for run_id, time in seconds.items() if time > 3600 * max_hours}


def evaluate_study(study: Study, source: RunSource) -> list[CellResult]:
    """The study's cells with what the source knows of their runs."""
    runs = [source.run(cell.config.run_id) for cell in study.cells]
    found = replicates(run.result for run in runs if run)
    further = study.name == "extrapolation"
    return [
        replace(
            _filled(cell, run, source.extrapolated(cell.config.run_id) if further and run else ()),
            replicates=found.get(replace(cell.config, seed=0)),
        )
        for cell, run in zip(study.cells, runs, strict=True)
    ]


def _filled(cell: StudyCell, run: JudgedRun | None, beyond: tuple[Finding, ...]) -> CellResult:
    ceiling = ceiling_of(cell.config)
    if run is None:
        return CellResult(cell, ceiling)
    result, census = run.result, run.result.census
    verdict = run.verdict
    return CellResult(
        cell,
        ceiling,
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


def replicates(results: Iterable[RunResult]) -> dict[RunConfig, Replicated]:
    """The status over all seeds of each configuration that was run under several, by that of seed 0.

    Configurations that the signature theory does not apply to are left out.
    """
    by_config: dict[RunConfig, dict[int, RunResult]] = {}
    for result in results:
        by_config.setdefault(replace(result.config, seed=0), {})[result.config.seed] = result
    several = {config: list(found.values()) for config, found in by_config.items() if len(found) > 1}
    if not several:
        return {}
    from pconv.evaluate.comparison import judge_replicates  # loads scipy

    judged = {
        config: judge_replicates(found)
        for config, found in several.items()
        if not isinstance(predict_run(config), NotApplicable)
    }
    return {config: Replicated(str(each.status), each.sentence) for config, each in judged.items()}


@cache
def ceiling_of(config: RunConfig) -> float | None:
    """The exact ceiling of the signature theory on the run's domain; None where it does not apply."""
    prediction = predict_run(config)
    if isinstance(prediction, NotApplicable):
        return None
    exact = prediction.exact_ceiling(Domain.of(config))
    return float(prediction.ceiling) if exact is None else exact
