"""What a theory predicts about a run, or why it does not apply to it."""

from __future__ import annotations

from dataclasses import dataclass

from pconv.config import DEFAULT_THEORY, RunConfig
from pconv.data.representations import representation_named, representations
from pconv.data.tasks import task_named, tasks
from pconv.errors import InputError
from pconv.theory.labels import for_task
from pconv.theory.prediction import BasePrediction
from pconv.theory.problem import Problem
from pconv.theory.registry import theory_named


@dataclass(frozen=True)
class NotApplicable:
    """That a theory does not apply to a run, and why."""

    theory: str
    reason: str  # a sentence
    nor_others: bool = False  # no other theory applies to the run either

    def error(self) -> InputError:
        """The error to raise where a prediction is required."""
        return InputError("theory", self.theory, self.reason)


def predict_run(config: RunConfig, theory: str = DEFAULT_THEORY) -> BasePrediction | NotApplicable:
    """What a theory predicts about a run.

    Parameters
    ----------
    config
        The run's configuration.
    theory
        The theory's name; an `InputError` if there is none of this name.

    Examples
    --------
    >>> predict_run(RunConfig(modulus=11)).ceiling
    Fraction(10, 11)
    >>> predict_run(RunConfig(modulus=11, task="omega")).reason
    'No theory applies: the task omega is not a function of n modulo m.'
    """
    chosen = theory_named(theory)
    if reason := _outside_all_theories(config):
        return NotApplicable(theory, reason, nor_others=True)
    try:
        prediction = chosen.predict(problem_of(config))
    except Exception as error:  # theories are code of users, too
        raise InputError("theory", theory, raised(error)) from error
    if prediction is not None:
        return for_task(prediction, task_named(config.task))
    if config.representation == RunConfig.representation:
        subject = "this window and these columns"
    else:
        subject = f"the representation {config.representation}"
    return NotApplicable(theory, f"The theory '{theory}' does not apply to {subject}.")


def raised(error: Exception) -> str:
    """An exception in words.

    >>> raised(ValueError("no"))
    'it raised ValueError: no'
    """
    return f"it raised {type(error).__name__}: {error}"


def problem_of(config: RunConfig) -> Problem:
    """The problem that a run poses to the theories."""
    representation = representation_named(config.representation)
    return Problem(config.modulus, config.offsets, config.primes, representation.cap, representation.shows)


def _outside_all_theories(config: RunConfig) -> str | None:
    """Why no theory applies to a run; None where some may."""
    if config.representation not in representations():
        return f"The representation {config.representation} is not known here."
    task = tasks().get(config.task)
    if task is None:
        return f"The task {config.task} is not known here."
    if not task.of_residue:
        return f"No theory applies: the task {config.task} is not a function of n modulo m."
    return None
