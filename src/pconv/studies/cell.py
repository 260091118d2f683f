"""A cell of a study's table, before and after its run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pconv.config import DEFAULT_THEORY, RunConfig
from pconv.result import Epoch, Matrix
from pconv.studies.paper import agrees

if TYPE_CHECKING:
    from pconv.probes.finding import Finding


@dataclass(frozen=True)
class StudyCell:
    """A run of a study, its place in the table, and the figures that the paper prints for it."""

    row: str
    column: str
    config: RunConfig
    paper: float | None = None  # accuracy
    minutes: float | None = None


@dataclass(frozen=True)
class Replicated:
    """The status of a theory over all seeds of a cell."""

    status: str
    sentence: str


@dataclass(frozen=True)
class CellResult:
    """A cell with the figures of its run. Without a run, all but the cell and the ceiling are empty."""

    cell: StudyCell
    ceiling: float | None  # of the theory; None: it does not apply to the run
    theory: str = DEFAULT_THEORY  # that ceiling, floor, parts, verdict and replicates are about
    accuracy: float | None = None  # of the best epoch on 512 numbers, as the paper measures it
    test_accuracy: float | None = None  # of the same weights
    census_accuracy: float | None = None  # of the weights with the lowest held-out loss; None: no census
    loss: float | None = None  # the census's mean cross-entropy, in nats
    floor: float | None = None  # the lowest loss that the theory allows
    parts: Mapping[str, str] | None = None  # of the verdict on the theory: yes, no or open
    verdicts: dict[str, str] | None = None  # the status of each theory
    seconds: float | None = None
    epochs: tuple[Epoch, ...] = ()
    confusion: Matrix | None = None  # of the census, or of the test set where there is none
    beyond: tuple[Finding, ...] = ()  # on numbers past the domain
    replicates: Replicated | None = None  # None: fewer than two seeds have a run

    @property
    def agrees(self) -> bool | None:
        """Whether the accuracy agrees with the paper's; None where one of the two is missing."""
        if self.accuracy is None or self.cell.paper is None:
            return None
        return agrees(self.accuracy, self.cell.paper)

    @property
    def has_census(self) -> bool:
        return self.census_accuracy is not None

    @property
    def verdict(self) -> str | None:
        """The status of the theory."""
        return (self.verdicts or {}).get(self.theory)

    def to_dict(self) -> dict[str, Any]:
        """The cell in `pconv reproduce --json`."""
        config = self.cell.config
        return {
            "modulus": config.modulus,
            "successors": config.successors,
            "offsets": list(config.offsets),
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
