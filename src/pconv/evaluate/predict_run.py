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
from pconv.theory.readers import READERS, ReaderPrediction, predict_reader
from pconv.theory.registry import theories, theory_named


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
        The name of a theory or of a reader (limit, local, size, any); an `InputError` if there is none of
        this name. For tasks that are not functions of n modulo m the signature theory is the reader `local`.

    Examples
    --------
    >>> predict_run(RunConfig(modulus=11)).ceiling
    Fraction(10, 11)
    >>> round(float(predict_run(RunConfig(modulus=2, task="liouville", limit=10_000)).ceiling), 4)
    0.5663
    >>> predict_run(RunConfig(modulus=2, task="liouville"), "paper").reason
    "The theory 'paper' does not apply to the task liouville."
    """
    is_reader = theory in READERS and theory not in theories()
    chosen = None if is_reader else theory_named(theory)
    if reason := _outside_all_theories(config):
        return NotApplicable(theory, reason, nor_others=True)
    if chosen is None or not task_named(config.task).of_residue:
        return _predict_reader(config, theory)
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


def _predict_reader(config: RunConfig, theory: str) -> ReaderPrediction | NotApplicable:
    """What a reader, or the signature theory in its place, predicts about labels of any kind."""
    reader = "local" if theory == DEFAULT_THEORY else theory
    if reader not in READERS:
        return NotApplicable(theory, f"The theory '{theory}' does not apply to the task {config.task}.")
    if reader != "any" and task_named(config.task).splitting and 0 not in config.offsets:
        reason = f"The task {config.task} is about the row n itself, which the window does not contain."
        return NotApplicable(theory, reason)
    prediction = predict_reader(config, reader, theory)
    if reader == "limit" and prediction.reading.loss_floor is None:
        reason = "The reader 'limit' excludes labels that occur on the domain, so its loss is not finite."
        return NotApplicable(theory, reason)
    return prediction


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
    return None if config.task in tasks() else f"The task {config.task} is not known here."
