"""A verdict: whether a run confirms a prediction, and the figures that decide it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Self

from pconv import _notebook_html as html
from pconv._field_types import check_field_types
from pconv._text import shortened
from pconv.errors import InputError
from pconv.evaluate.assessment import Assessment, Holds, Settings
from pconv.evaluate.sentence import CONCLUSIONS, part_figures, remembered
from pconv.result import Evaluation
from pconv.theory.prediction import BasePrediction

VERSION = 3
"""Of the tests behind a verdict; a stored verdict of another version is computed again."""


def is_current(document: Mapping[str, Any]) -> bool:
    """Whether the document of a verdict was written by this version of the tests."""
    return document.get("version") == VERSION


class Status(StrEnum):
    """The possible outcomes of testing a prediction against a run."""

    CONFIRMED = "confirmed"  # all four parts hold
    UNDERFITTED = "underfitted"  # a part fails, and neither of the two next is the case
    OVERFITTED = "overfitted"  # a part fails; the training loss ends at the floor, the held-out loss above it
    REFUTED = "refuted"  # the network knows more than the theory allows
    UNDECIDED = "undecided"  # too few numbers to decide: a small sample, or all of a small domain


@dataclass(frozen=True)
class Memory:
    """Accuracy near training numbers and on numbers whose windows share no number with a training window.

    Both accuracies are means over the classes with the same weights, those of the Mantel-Haenszel test.
    """

    near_accuracy: float
    far_accuracy: float
    pvalue: float
    memorised: bool  # the difference is significant


@dataclass(frozen=True)
class Verdict:
    """The outcome of testing a prediction against a run, and the figures that decide it.

    A verdict that was stored and read back is equal to the one that was computed. The prediction and the
    answers are not stored; they only serve the picture in a notebook.
    """

    theory: str
    status: Status
    assessment: Assessment
    far: Assessment | None  # of the numbers far from all training numbers; None: there are none
    memory: Memory | None
    training_loss: float | None
    settings: Settings
    prediction: BasePrediction | None = field(default=None, repr=False, compare=False)
    answers: Evaluation | None = field(default=None, repr=False, compare=False)

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        parts = "; ".join(f"{name} {holds} ({figure})" for name, (holds, figure) in self.figures.items())
        numbers = f"{self.assessment.size:,} numbers asked, {_completeness(self.assessment)}"
        return f"The theory '{self.theory}' is {self.status}: {numbers}: {parts}. {self.conclusion}"

    @property
    def figures(self) -> dict[str, tuple[Holds, str]]:
        """For each part whether it holds, and its figure in words."""
        return part_figures(self.assessment, self.training_loss)

    @property
    def conclusion(self) -> str:
        """What the status means, and whether the network remembers its training numbers."""
        return CONCLUSIONS[self.status] + remembered(self.memory)

    def to_dict(self) -> dict[str, Any]:
        """The `verdict` of a run's JSON document."""
        return {
            "version": VERSION,
            "theory": self.theory,
            "status": str(self.status),
            "sentence": self.sentence,
            "tolerance": self.settings.tolerance,
            "level": self.settings.level,
            "parts": {name: str(holds) for name, holds in self.assessment.parts.items()},
            "assessment": self.assessment.to_dict(),
            "far": self.far.to_dict() if self.far else None,
            "memory": asdict(self.memory) if self.memory else None,
            "training_loss": self.training_loss,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; what is derived in the document is derived again."""
        try:
            verdict = cls(
                theory=str(data["theory"]),
                status=Status(data["status"]),
                assessment=Assessment.from_dict(data["assessment"]),
                far=Assessment.from_dict(data["far"]) if data["far"] else None,
                memory=Memory(**data["memory"]) if data["memory"] else None,
                training_loss=data["training_loss"],
                settings=Settings(data["tolerance"], data["level"]),
            )
            return check_field_types(verdict)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            reason = shortened(repr(error), 200)
            raise InputError("verdict", "document", f"is not a verdict ({reason})") from None

    def _repr_html_(self) -> str:
        words = html.badge(str(self.status)) + html.paragraph(self.sentence)
        prediction, answers = self.prediction, self.answers
        if prediction is None or answers is None or prediction.classes > html.MOST_CLASSES:
            return words
        free = prediction.pattern.tolist()

        def colour(i: int, j: int) -> str:
            if not free[i][j]:
                return html.STRAY
            return html.MIXED if sum(free[i]) > 1 else html.IDENTIFIED

        predicted = html.pattern(f"Predicted by {self.theory}", free)
        caption = f"Answered, {answers.size:,} numbers (grey: outside the prediction)"
        return words + html.side_by_side(predicted, html.confusion(caption, answers.confusion, colour))


def _completeness(found: Assessment) -> str:
    return "all unseen ones" if found.complete else "a sample"
