"""Tests one set of answers against one prediction."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf, log, sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

from pconv.data.domain import Domain
from pconv.evaluate.assessment import (
    Assessment,
    Attained,
    GroupTest,
    Holds,
    LossAtFloor,
    NothingBeyond,
    Separated,
    Settings,
)
from pconv.evaluate.statistics import dependence_interval, lower_bound, upper_bound
from pconv.result import Census, Epoch, Evaluation, RunResult
from pconv.theory.prediction import BasePrediction, Prediction

Table = NDArray[np.int64]

_FEW_LOSSES = 30
"""The mean of fewer losses than this is not taken as normal, and has no bounds."""


@dataclass(frozen=True)
class Answered:
    """The answers of a network, and the losses that were recorded.

    Parameters
    ----------
    answers
        The confusion matrix.
    far
        The confusion matrix of the numbers whose windows share no number with a training window.
    loss
        The mean cross-entropy of the answers in nats; None: not recorded.
    training_loss
        The mean cross-entropy of the last training epoch; None: not recorded.
    last_held_out_loss
        The held-out loss after that epoch; None: not recorded.
    complete
        Whether these are the answers to all unseen numbers of the domain (a census).
    loss_error
        The standard error of `loss`; 0 for a census.
    """

    answers: Evaluation
    far: Evaluation | None = None
    loss: float | None = None
    training_loss: float | None = None
    last_held_out_loss: float | None = None
    complete: bool = False
    loss_error: float = 0.0

    @classmethod
    def by(cls, result: RunResult) -> Self:
        """The census of a run, or its test set where there is none."""
        last = result.epochs[-1]
        if result.census:
            return cls.by_census(result.census, last)
        return cls(result.test, result.disjoint_test, None, last.loss, last.held_out_loss)

    @classmethod
    def by_census(cls, census: Census, last: Epoch | None) -> Self:
        """The answers of a census, with the losses of the last training epoch where it is known."""
        training, held_out = (last.loss, last.held_out_loss) if last else (None, None)
        return cls(census.answers, census.far, census.loss, training, held_out, complete=True)


@dataclass(frozen=True)
class Reference:
    """The ceiling and the loss floor of a prediction on a set of numbers.

    Parameters
    ----------
    ceiling
        The best accuracy.
    floor
        The least cross-entropy, in nats.
    draws
        How many independent draws from the domain come as near to its ceiling and floor as the numbers of a
        census; infinite where these are exactly the numbers that ceiling and floor are of.
    """

    ceiling: float
    floor: float
    draws: float = inf

    @classmethod
    def on(cls, answered: Answered, prediction: BasePrediction, domain: Domain) -> Self:
        """The reference on the numbers of a census, or on the domain that a sample was drawn from.

        Parameters
        ----------
        answered
            The answers.
        prediction
            The prediction that they are tested against.
        domain
            The domain that the numbers are from.

        Examples
        --------
        One row separates the multiples of 3 from the two other classes:

        >>> from pconv import Domain, predict
        >>> answered = Answered(Evaluation.from_lists([[100, 0, 0], [0, 51, 49], [0, 52, 48]]))
        >>> round(Reference.on(answered, predict(3, [0]), Domain()).ceiling, 3)
        0.684
        """
        size, draws = answered.answers.size, inf
        if answered.complete and isinstance(prediction, Prediction):
            counts = np.array([sum(row) for row in answered.answers.confusion])
            ceiling, floor = prediction.ceiling_on(counts), prediction.loss_floor_on(counts)
        else:  # labels do not show how many numbers of each residue, or with which evidence, were asked
            ceiling, floor = prediction.exact_ceiling(domain), prediction.exact_loss_floor(domain)
            draws = _draws(size, domain.size)
        if ceiling is None or floor is None:  # fewer numbers than classes: take equally likely residues
            ceiling, floor, draws = float(prediction.ceiling), prediction.loss_floor, size
        return cls(ceiling, floor, draws)


def _draws(size: int, members: int) -> float:
    """How many draws with replacement from the domain have means that vary as little as those without.

    The numbers of a census are as good as drawn without replacement: the more of the domain they are, the
    less their ceiling and floor can differ from those of the domain.
    """
    return inf if size >= members else size / (1 - size / members)


def assess(
    answered: Answered, prediction: BasePrediction, reference: Reference, settings: Settings
) -> Assessment:
    """Test all parts of a prediction on one set of answers.

    Parameters
    ----------
    answered
        The answers, and their mean loss where it was recorded.
    prediction
        The groups of classes that will be mixed.
    reference
        The ceiling and the loss floor on these numbers.
    settings
        Tolerance and level.

    Examples
    --------
    >>> from pconv import predict
    >>> answered = Answered(Evaluation.from_lists([[100, 0, 0], [0, 51, 49], [0, 52, 48]]), complete=True)
    >>> assess(answered, predict(3, [0]), Reference(2 / 3, 0.462), Settings()).separated.holds.value
    'yes'
    """
    confusion = np.array(answered.answers.confusion, dtype=np.int64)
    return Assessment(
        size=int(confusion.sum()),
        complete=answered.complete,
        separated=_separated(confusion, prediction, settings, answered.complete),
        attained=_attained(confusion, reference, settings, answered.complete),
        nothing_beyond=_nothing_beyond(confusion, prediction, reference.ceiling, settings),
        loss=_loss_at_floor(answered, reference, settings, prediction.classes),
    )


def _separated(confusion: Table, prediction: BasePrediction, settings: Settings, complete: bool) -> Separated:
    sizes = confusion.sum(axis=1)
    outside = np.where(prediction.pattern, 0, confusion).sum(axis=1)
    drawn = np.flatnonzero(sizes)
    rates = outside[drawn] / sizes[drawn]
    worst = int(drawn[rates.argmax()])
    if complete:
        low = high = float(rates.max())
    else:
        level = settings.level / len(drawn)  # Bonferroni: simultaneous over the classes
        low = max(lower_bound(int(outside[c]), int(sizes[c]), level) for c in drawn)
        high = max(upper_bound(int(outside[c]), int(sizes[c]), level) for c in drawn)
    holds = _within(low, high, 0.0, settings.tolerance)
    return Separated(holds, worst, float(rates.max()), low, high, int(outside.sum()))


def _attained(confusion: Table, reference: Reference, settings: Settings, complete: bool) -> Attained:
    size, correct = int(confusion.sum()), int(np.trace(confusion))
    ceiling, draws = reference.ceiling, reference.draws if complete else size
    low = high = correct / size
    if not isinf(draws):
        trials = round(draws)
        count = correct * trials / size
        low = lower_bound(count, trials, settings.level)
        high = upper_bound(count, trials, settings.level)
    holds = _within(low, high, ceiling - settings.tolerance, ceiling + settings.tolerance)
    return Attained(holds, correct / size, ceiling, low, high)


def _within(low: float, high: float, least: float, most: float) -> Holds:
    """Whether a figure between `low` and `high` lies between `least` and `most`."""
    if least <= low and high <= most:
        return Holds.YES
    return Holds.NO if high < least or low > most else Holds.OPEN


def _nothing_beyond(
    confusion: Table, prediction: BasePrediction, ceiling: float, settings: Settings
) -> NothingBeyond:
    if not prediction.by_chance:
        return _not_above(confusion, ceiling, settings)
    size = int(confusion.sum())
    tables = [confusion[np.ix_(group, group)] for group in prediction.mixed]
    level = settings.level / (len(tables) + 1)  # Bonferroni: the groups, and all of them together
    groups = tuple(
        _group_test(group, table, level) for group, table in zip(prediction.mixed, tables, strict=True)
    )
    inside = sum(group.size for group in groups)
    effect, low, high = dependence_interval(tables, level)
    known, least, most = (share * inside / size for share in (effect, low, high))
    if any(group.low > settings.tolerance for group in groups):
        holds = Holds.NO
    else:
        holds = Holds.YES if most <= settings.tolerance else Holds.OPEN
    return NothingBeyond(holds, known, least, most, settings.tolerance, groups)


def _group_test(group: tuple[int, ...], table: Table, level: float) -> GroupTest:
    expected = float(table.sum(axis=1) @ table.sum(axis=0) / max(1, table.sum()))
    effect, low, high = dependence_interval([table], level)
    return GroupTest(group, int(table.sum()), int(np.trace(table)), expected, effect, low, high)


def _not_above(confusion: Table, ceiling: float, settings: Settings) -> NothingBeyond:
    """The accuracy above the ceiling: labels of several residues have no chance level inside a group."""
    size, correct = int(confusion.sum()), int(np.trace(confusion))
    bounds = lower_bound(correct, size, settings.level), upper_bound(correct, size, settings.level)
    known, low, high = (max(0.0, share - ceiling) for share in (correct / size, *bounds))
    holds = _within(low, high, 0.0, settings.tolerance)
    return NothingBeyond(holds, known, low, high, settings.tolerance, ())


def _loss_at_floor(answered: Answered, reference: Reference, settings: Settings, classes: int) -> LossAtFloor:
    floor, tolerance = reference.floor, settings.loss_tolerance(classes)
    if answered.loss is None:
        return LossAtFloor(Holds.OPEN, None, None, None, floor, tolerance)
    exact = answered.complete and isinf(reference.draws)
    if not exact and answered.answers.size < _FEW_LOSSES:
        return LossAtFloor(Holds.OPEN, answered.loss, None, None, floor, tolerance)
    error = answered.loss_error
    if answered.complete and not exact:
        error = loss_deviation(classes) / sqrt(reference.draws)
    margin = error * float(special.ndtri(1 - settings.level))
    low, high = answered.loss - margin, answered.loss + margin
    holds = _within(low, high, floor - tolerance, floor + tolerance)
    return LossAtFloor(holds, answered.loss, low, high, floor, tolerance)


def loss_deviation(classes: int) -> float:
    """An upper bound on the standard deviation of the losses of a reader at the floor, in nats.

    A census keeps no losses of single numbers. Such a reader gives the label i its true probability p_i, and
    the sum of p_i ln^2 p_i is at most ln^2 m for m >= 3 labels; two labels are three of which one is never
    drawn.
    """
    return log(max(3, classes))
