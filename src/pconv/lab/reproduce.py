"""A study after its runs: each cell with ours, the paper's, the ceiling and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pconv.arithmetic.domain import Domain
from pconv.config import RunConfig
from pconv.lab.estimate import estimated_seconds
from pconv.lab.paper import agrees
from pconv.lab.source import Source
from pconv.lab.store import Store
from pconv.lab.studies import Study, StudyCell
from pconv.result import Epoch, Matrix
from pconv.theory.registry import predict

if TYPE_CHECKING:
    from pconv.verify.finding import Finding


@dataclass(frozen=True)
class Filled:
    """A cell of a study; what is not known, because the run is not there, is None."""

    cell: StudyCell
    ceiling: float
    accuracy: float | None = None
    test_accuracy: float | None = None
    verdicts: dict[str, str] | None = None  # the word for each theory
    seconds: float | None = None
    epochs: tuple[Epoch, ...] = ()
    confusion: Matrix | None = None
    beyond: tuple[Finding, ...] = ()  # on numbers past those it was trained on

    @property
    def agrees(self) -> bool | None:
        """With the paper; None where one of the two figures is missing."""
        if self.accuracy is None or self.cell.paper is None:
            return None
        return agrees(self.accuracy, self.cell.paper)

    @property
    def verdict(self) -> str | None:
        """On the signature theory."""
        return (self.verdicts or {}).get("signature")

    def to_dict(self) -> dict[str, Any]:
        config = self.cell.config
        return {
            "modulus": config.modulus,
            "successors": config.offsets[-1],
            "kernel": config.kernel[0] if len(config.kernel) == 1 else list(config.kernel),
            "seed": config.seed,
            "accuracy": self.accuracy,
            "test_accuracy": self.test_accuracy,
            "paper": self.cell.paper,
            "agrees": self.agrees,
            "ceiling": self.ceiling,
            "verdict": self.verdict,
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


def fill(study: Study, source: Source) -> list[Filled]:
    """The study's cells with what the source knows of their runs."""
    return [_filled(cell, source, study.name == "extrapolation") for cell in study.cells]


def _filled(cell: StudyCell, source: Source, further: bool) -> Filled:
    config = cell.config
    ceiling = ceiling_of(config)
    run = source.run(config.run_id)
    if run is None:
        return Filled(cell, ceiling)
    result = run.result
    return Filled(
        cell,
        ceiling,
        result.best_accuracy,
        result.test.accuracy,
        {theory: says["status"] for theory, says in run.verdicts.items()},
        run.seconds,
        result.epochs,
        result.test.confusion,
        source.extrapolated(config.run_id) if further else (),
    )


def ceiling_of(config: RunConfig) -> float:
    """The exact ceiling of the signature theory on the run's domain."""
    return _ceiling(config.modulus, config.offsets, config.primes, Domain.of(config))


@cache
def _ceiling(modulus: int, offsets: tuple[int, ...], primes: int, domain: Domain) -> float:
    says = predict(modulus, offsets, primes)
    exact = says.exact_ceiling(domain)
    return float(says.ceiling) if exact is None else exact
