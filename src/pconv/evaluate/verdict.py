"""A prediction against a run: confirmed, underfitted, overfitted, refuted or undecided, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from pconv import _notebook_html as html
from pconv.config import RunConfig
from pconv.data.domain import Domain
from pconv.data.representations import representation_named, representations
from pconv.data.tasks import task_named, tasks
from pconv.errors import InputError
from pconv.evaluate.assessment import Assessment, Figures, Holds, Settings, assess
from pconv.evaluate.sentence import CONCLUSIONS, part_figures, remembered
from pconv.evaluate.statistics import difference_pvalue
from pconv.result import Census, Evaluation, RunResult
from pconv.theory.labels import Forecast, LabelPrediction, merged
from pconv.theory.problem import Problem
from pconv.theory.registry import Theory, theory_named


class Status(StrEnum):
    """The possible outcomes of testing a prediction against a run."""

    CONFIRMED = "confirmed"  # all four parts hold
    UNDERFITTED = "underfitted"  # short of the prediction, and the training loss is above the floor
    OVERFITTED = "overfitted"  # short of it, the training loss has reached the floor, the held-out loss not
    REFUTED = "refuted"  # the network knows more than the theory allows
    UNDECIDED = "undecided"  # too few numbers to say: a small sample, or all of a small domain


@dataclass(frozen=True)
class Memory:
    """Numbers near a training number against those whose windows share no number with a training window."""

    near_accuracy: float
    far_accuracy: float
    pvalue: float
    memorised: bool  # the difference is significant


@dataclass(frozen=True)
class Answered:
    """What a verdict rests on: the numbers asked, the answers to them, and the losses that were recorded.

    Parameters
    ----------
    answers
        The confusion matrix.
    far
        That of the numbers whose windows share no number with a training window.
    loss
        The mean cross-entropy of the answers in nats; None: not recorded.
    training_loss
        The mean cross-entropy of the last training epoch; None: not recorded.
    complete
        All unseen numbers of the domain were asked (a census).
    """

    answers: Evaluation
    far: Evaluation | None = None
    loss: float | None = None
    training_loss: float | None = None
    complete: bool = False

    @classmethod
    def by(cls, result: RunResult) -> Answered:
        """The census of a run, or its test set where there is none."""
        training_loss = result.epochs[-1].loss
        if result.census:
            return cls.by_census(result.census, training_loss)
        return cls(result.test, result.disjoint_test, None, training_loss)

    @classmethod
    def by_census(cls, census: Census, training_loss: float | None) -> Answered:
        """A census."""
        return cls(census.answers, census.far, census.loss, training_loss, complete=True)


@dataclass(frozen=True)
class Verdict:
    """A status, and what it rests on."""

    theory: str
    status: Status
    assessment: Assessment
    far: Assessment | None  # the same for numbers far from all training numbers; None: there are none
    memory: Memory | None
    training_loss: float | None
    settings: Settings
    prediction: Forecast = field(repr=False)
    answers: Evaluation = field(repr=False)

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        parts = "; ".join(f"{name} {holds} ({figure})" for name, (holds, figure) in self.figures.items())
        asked = f"{self.assessment.size:,} numbers asked, {_completeness(self.assessment)}"
        return f"The theory '{self.theory}' is {self.status}: {asked}: {parts}. {self.conclusion}"

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

    def _repr_html_(self) -> str:
        says = html.badge(str(self.status)) + html.paragraph(self.sentence)
        if self.prediction.classes > html.MOST_CLASSES:
            return says
        free = self.prediction.pattern.tolist()

        def colour(i: int, j: int) -> str:
            if not free[i][j]:
                return html.STRAY
            return html.MIXED if sum(free[i]) > 1 else html.IDENTIFIED

        predicted = html.pattern(f"Predicted by {self.theory}", free)
        caption = f"Answered, {self.answers.size:,} numbers (grey: outside the prediction)"
        return says + html.beside(predicted, html.confusion(caption, self.answers.confusion, colour))


def _completeness(found: Assessment) -> str:
    return "all unseen ones" if found.complete else "a sample"


def question_of(config: RunConfig) -> Problem:
    """What the theories are asked about a run."""
    shown = representation_named(config.representation)
    return Problem(config.modulus, config.offsets, config.primes, shown.cap, shown.shows)


def no_theory(config: RunConfig) -> str | None:
    """Why no theory applies to a run; None where theories may speak."""
    task = tasks().get(config.task)
    if config.representation not in representations():
        return f"The representation {config.representation} is not known here."
    if task is None:
        return f"The task {config.task} is not known here."
    if task.of_residue:
        return None
    return f"No theory applies: the task {config.task} is not a function of n modulo m."


def forecast(config: RunConfig, theory: Theory) -> Forecast | None:
    """What the theory says about a run; None where it has nothing to say."""
    if no_theory(config):
        return None
    prediction = theory.predict(question_of(config))
    return prediction and merged(prediction, task_named(config.task))


def silence(config: RunConfig, theory: str = "signature") -> str | None:
    """Why a theory has nothing to say about a run; None where it speaks."""
    if reason := no_theory(config):
        return reason
    if forecast(config, theory_named(theory)) is not None:
        return None
    return f"The theory '{theory}' does not speak of {_unspoken(config)}."


def _unspoken(config: RunConfig) -> str:
    if config.representation == RunConfig.representation:
        return "this window and these columns"
    return f"the representation {config.representation}"


def predicted(config: RunConfig, theory: str) -> Forecast:
    """What the theory says about a run; an error where it has nothing to say."""
    says = forecast(config, theory_named(theory))
    if says is None:
        raise InputError("theory", theory, no_theory(config) or f"does not speak of {_unspoken(config)}")
    return says


def judge(result: RunResult, theory: str = "signature", settings: Settings | None = None) -> Verdict:
    """Put a theory to the test of a run: of its census, or of its test set where there is none.

    Parameters
    ----------
    result
        A finished run.
    theory
        The theory's name.
    settings
        Tolerance and level; 1% each by default.
    """
    return judge_prediction(result, predicted(result.config, theory), settings)


def judge_prediction(result: RunResult, prediction: Forecast, settings: Settings | None = None) -> Verdict:
    """Put a prediction to the test of a run."""
    answered = Answered.by(result)
    figures = figures_on(answered, prediction, Domain.of(result.config))
    return judge_answers(answered, prediction, figures, settings)


def judge_answers(
    answered: Answered, prediction: Forecast, figures: Figures, settings: Settings | None = None
) -> Verdict:
    """Put a prediction to the test of answers.

    Parameters
    ----------
    answered
        The answers and the losses that were recorded.
    prediction
        The groups of classes that will be mixed.
    figures
        The ceiling and the loss floor that the answers are measured against, and their own loss.
    settings
        Tolerance and level.
    """
    settings = settings or Settings()
    answers, far = answered.answers, answered.far
    assessment = assess(answers, prediction, figures, settings, answered.complete)
    return Verdict(
        theory=prediction.theory,
        status=_status(assessment, answered.training_loss),
        assessment=assessment,
        far=assess(far, prediction, replace(figures, loss=None), settings) if far else None,
        memory=_memory(answers, far, settings.level) if far else None,
        training_loss=answered.training_loss,
        settings=settings,
        prediction=prediction,
        answers=answers,
    )


def figures_on(answered: Answered, prediction: Forecast, domain: Domain) -> Figures:
    """Ceiling and floor: on the very numbers of a census, or on the domain that a sample was drawn from."""
    if answered.complete and not isinstance(
        prediction, LabelPrediction
    ):  # labels do not tell how many residues
        counts = np.array([sum(row) for row in answered.answers.confusion])
        ceiling, floor = prediction.ceiling_on(counts), prediction.loss_floor_on(counts)
    else:
        ceiling, floor = prediction.exact_ceiling(domain), prediction.exact_loss_floor(domain)
    if ceiling is None or floor is None:  # fewer numbers than classes: their frequencies say nothing
        ceiling, floor = float(prediction.ceiling), prediction.loss_floor
    return Figures(ceiling, floor, answered.loss)


def _status(found: Assessment, training_loss: float | None) -> Status:
    if found.nothing_beyond.above_chance or found.attained.above or found.loss.below:
        return Status.REFUTED
    parts = found.parts.values()
    if all(holds is Holds.YES for holds in parts):
        return Status.CONFIRMED
    if found.nothing_beyond.holds is Holds.NO:  # below chance: it remembers its training numbers
        return Status.OVERFITTED
    if Holds.NO in parts:
        return Status.OVERFITTED if _overfitted(found, training_loss) else Status.UNDERFITTED
    return Status.UNDECIDED


def _overfitted(found: Assessment, training_loss: float | None) -> bool:
    """The training numbers are fitted as well as the theory allows, or better, and unseen ones are not.

    Where the held-out loss was not recorded, a training loss surely below the floor says as much: such a
    network has learned what holds for its training numbers alone.
    """
    if training_loss is None:
        return False
    loss = found.loss
    if loss.loss is None:
        return training_loss < loss.floor - loss.tolerance
    return loss.holds is Holds.NO and training_loss <= loss.floor + loss.tolerance


def _memory(asked: Evaluation, far: Evaluation, level: float) -> Memory | None:
    """A difference between the two sets is memory: the theory knows nothing of training numbers."""
    near = asked.size - far.size
    if near == 0:
        return None
    near_correct = asked.correct - far.correct
    pvalue = difference_pvalue(near_correct, near - near_correct, far.correct, far.size - far.correct)
    return Memory(near_correct / near, far.accuracy, pvalue, pvalue <= level)
