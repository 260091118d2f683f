"""Tests predictions against runs."""

from __future__ import annotations

import numpy as np

from pconv.config import DEFAULT_THEORY
from pconv.data.domain import Domain
from pconv.evaluate.assess import Answered, Reference, assess
from pconv.evaluate.assessment import Assessment, Holds, LossAtFloor, Settings
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.evaluate.statistics import stratified_pvalue
from pconv.evaluate.verdict import Memory, Status, Verdict
from pconv.result import Evaluation, RunResult
from pconv.theory.prediction import BasePrediction


def judge(result: RunResult, theory: str = DEFAULT_THEORY, settings: Settings | None = None) -> Verdict:
    """Test a theory against a run: its census, or its test set where there is none.

    Parameters
    ----------
    result
        A finished run.
    theory
        The theory's name; an `InputError` where it does not apply to the run.
    settings
        Tolerance and level; 1% each by default.

    Examples
    --------
    >>> from pconv import RunConfig, train
    >>> config = RunConfig(modulus=4, primes=8, batches=8, epochs=2, limit=20_000, test_size=100)
    >>> judge(train(config)).status.value  # 8 batches are few
    'underfitted'
    """
    prediction = predict_run(result.config, theory)
    if isinstance(prediction, NotApplicable):
        raise prediction.error()
    answered = Answered.by(result)
    reference = Reference.on(answered, prediction, Domain.of(result.config))
    return judge_answers(answered, prediction, reference, settings)


def judge_answers(
    answered: Answered, prediction: BasePrediction, reference: Reference, settings: Settings | None = None
) -> Verdict:
    """Test a prediction against the answers of a network.

    Parameters
    ----------
    answered
        The answers and the losses that were recorded.
    prediction
        The groups of classes that will be mixed.
    reference
        The ceiling and the loss floor on these numbers.
    settings
        Tolerance and level; 1% each by default.

    Examples
    --------
    One row separates the multiples of 3 from the two other classes, and not these:

    >>> from pconv import predict
    >>> from pconv.result import Evaluation
    >>> all_known = Answered(Evaluation.from_lists([[9_000, 0, 0], [0, 9_000, 0], [0, 0, 9_000]]))
    >>> judge_answers(all_known, predict(3, [0]), Reference(2 / 3, 0.462)).status.value
    'refuted'
    """
    settings = settings or Settings()
    answers, far = answered.answers, answered.far
    assessment = assess(answered, prediction, reference, settings)
    return Verdict(
        theory=prediction.theory,
        status=_status(assessment, answered),
        assessment=assessment,
        far=assess(Answered(far), prediction, reference, settings) if far else None,
        memory=_memory(answers, far, settings.level) if far and prediction.same_everywhere else None,
        training_loss=answered.training_loss,
        settings=settings,
        prediction=prediction,
        answers=answers,
    )


def _status(found: Assessment, answered: Answered) -> Status:
    if found.nothing_beyond.above_chance or found.attained.above or found.loss.below:
        return Status.REFUTED
    parts = found.parts.values()
    if all(holds is Holds.YES for holds in parts):
        return Status.CONFIRMED
    if found.nothing_beyond.holds is Holds.NO:  # below chance: see `NothingBeyond.above_chance`
        return Status.OVERFITTED
    if Holds.NO in parts:
        return Status.OVERFITTED if _overfitted(found.loss, answered) else Status.UNDERFITTED
    return Status.UNDECIDED


def _overfitted(loss: LossAtFloor, answered: Answered) -> bool:
    """Whether the training ended with the training loss at the floor and the held-out loss above it.

    The answers may be those of an earlier epoch, whose held-out loss was lower: the network began to fit
    its training numbers alone before it had learned the rest. Where no held-out loss was recorded, a
    training loss below the floor by more than the tolerance decides: such a network has learned what holds
    for its training numbers alone.
    """
    training, held_out = answered.training_loss, answered.last_held_out_loss
    if training is None:
        return False
    if loss.loss is None and held_out is None:
        return training < loss.floor - loss.tolerance
    above = held_out is not None and held_out > loss.floor + loss.tolerance
    return training <= loss.floor + loss.tolerance and (above or loss.holds is Holds.NO)


def _memory(answers: Evaluation, far: Evaluation, level: float) -> Memory | None:
    """A difference in accuracy near to and far from training numbers, which no theory predicts.

    Near and far numbers are compared class by class, because their classes are not equally frequent and not
    equally hard: far from training numbers more windows have a number with a large prime factor.
    """
    every, away = (np.array(each.confusion, dtype=np.int64) for each in (answers, far))
    tables = every - away, away
    sizes = np.stack([table.sum(axis=1) for table in tables], axis=1)
    correct = np.stack([np.diag(table) for table in tables], axis=1)
    both = (sizes > 0).all(axis=1)
    if not both.any():
        return None
    sizes, correct = sizes[both], correct[both]
    near_accuracy, far_accuracy = np.average(
        correct / sizes, axis=0, weights=sizes.prod(axis=1) / sizes.sum(axis=1)
    )
    pvalue = stratified_pvalue(np.stack([correct, sizes - correct], axis=2))
    return Memory(float(near_accuracy), float(far_accuracy), pvalue, pvalue <= level)
