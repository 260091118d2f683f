"""Readers of known behaviour, in place of trained networks.

A reader looks at a number and has one of several views of it, and all that it knows of the class is the view.
It is calibrated: its probability of a class is that of the class given the view, so that its loss is
H(class | view).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import Domain, split, unseen
from pconv.evaluate.assess import Answered, Reference
from pconv.evaluate.assessment import Settings
from pconv.evaluate.judge import judge_answers
from pconv.evaluate.predict_run import predict_run
from pconv.evaluate.verdict import Verdict
from pconv.result import Census, Environment, Epoch, Evaluation, RunResult
from pconv.theory.prediction import Prediction
from pconv.window import successor_window

Shares = NDArray[np.float64]

FAR = 0.2
"""The share of the numbers asked whose windows share no number with a training window."""


@dataclass(frozen=True)
class Reader:
    """What a reader sees of a class, and what it answers.

    Parameters
    ----------
    views
        (views, classes): how likely a number of the class looks so; each column adds up to 1.
    answers
        (views, classes): how likely the reader then names each class; each row adds up to 1.
    """

    views: Shares
    answers: Shares

    def __post_init__(self) -> None:
        assert self.views.shape == self.answers.shape
        np.testing.assert_allclose(self.views.sum(axis=0), 1)
        np.testing.assert_allclose(self.answers.sum(axis=1), 1)

    @cached_property
    def table(self) -> Shares:
        """(class, answer): how likely a number of the class is called so."""
        table = self.views.T @ self.answers
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def accuracy(self, counts: IntArray) -> float:
        """Expected on so many numbers of each class."""
        return float(counts @ np.diag(self.table) / counts.sum())

    def loss(self, counts: IntArray) -> float:
        """H(class | view) on so many numbers of each class, in nats."""
        joint, losses = self._losses(counts)
        return float((joint * losses).sum()) + 0.0  # no -0.0

    def loss_error(self, counts: IntArray, size: int) -> float:
        """The standard error of the mean loss of a sample of this size."""
        joint, losses = self._losses(counts)
        return float(np.sqrt((joint * (losses - self.loss(counts)) ** 2).sum() / size))

    def _losses(self, counts: IntArray) -> tuple[Shares, Shares]:
        """(views, classes): the share of the numbers, and the loss of each of them."""
        joint = self.views * counts / counts.sum()
        seen = joint.sum(axis=1, keepdims=True)
        return joint, -np.log(np.divide(joint, seen, out=np.ones_like(joint), where=joint > 0))

    def answer(self, counts: IntArray, rng: np.random.Generator) -> NDArray[np.int64]:
        """The confusion matrix of so many numbers of each class."""
        return np.asarray(rng.multinomial(counts, self.table))


def config_of(modulus: int, rows: int = 9, seed: int = 0, size: int = 20_000) -> RunConfig:
    """64 columns: also primes up to 311 tell something."""
    return RunConfig(
        modulus=modulus, offsets=successor_window(rows - 1), primes=64, seed=seed, test_size=size
    )


@cache
def census_counts(modulus: int) -> IntArray:
    """How many of the 671,947 numbers that a run of seed 0 has not seen fall into each class."""
    config = RunConfig(modulus=2)
    return np.bincount(_unseen(config) % modulus, minlength=modulus)


@cache
def _unseen(config: RunConfig) -> IntArray:
    return unseen(config, split(config))


def sample_counts(config: RunConfig, size: int, rng: np.random.Generator) -> IntArray:
    """How many of so many numbers drawn from the domain fall into each class."""
    counts = Domain.of(config).class_counts(config.modulus)
    return np.asarray(rng.multinomial(size, counts / counts.sum()))


def result_of(
    reader: Reader,
    modulus: int,
    rows: int = 9,
    size: int = 20_000,
    seed: int = 0,
    *,
    census: bool = False,
    training_loss: float | None = None,
    held_out: Sequence[float] = (),
) -> RunResult:
    """A run whose answers are the reader's.

    Parameters
    ----------
    reader
        Who answers in place of a network.
    modulus, rows, seed
        Of the run's configuration; the seed also draws the answers.
    size
        Of the test set.
    census
        Whether a census was taken.
    training_loss
        Of the last epoch; by default what the reader's loss is on other numbers.
    held_out
        The held-out loss of each epoch. By default there is one epoch, and its loss was recorded if a census
        was taken.
    """
    config = config_of(modulus, rows, seed, size)
    rng = np.random.default_rng(seed)
    loss = reader.loss(census_counts(modulus))
    losses = tuple(held_out) or ((loss,) if census else (None,))
    last = loss if training_loss is None else training_loss
    test, disjoint_test = _answered(reader, sample_counts(config, size, rng), rng)
    epochs = tuple(Epoch(i, last, test.accuracy, 0.0, each) for i, each in enumerate(losses, start=1))
    return RunResult(
        config=config,
        losses=(last,) * len(epochs),
        epochs=epochs,
        best_epoch=len(epochs),
        validation=test,
        test=test,
        disjoint_test=disjoint_test,
        environment=Environment("simulated", "cpu", 1, {}),
        census=census_of(reader, modulus, rng, len(epochs)) if census else None,
    )


def census_of(reader: Reader, modulus: int, rng: np.random.Generator, epoch: int = 1) -> Census:
    """The reader's answers to every number that a run has not seen."""
    counts = census_counts(modulus)
    answers, far = _answered(reader, counts, rng)
    by_class = tuple((sum(row), row[c]) for c, row in enumerate(answers.confusion))
    nobody = ((0, 0),) * modulus
    return Census("unseen", epoch, reader.loss(counts), answers, far, (by_class, nobody, nobody, nobody))


def _answered(
    reader: Reader, counts: IntArray, rng: np.random.Generator
) -> tuple[Evaluation, Evaluation | None]:
    """All numbers, and those far from training numbers."""
    away = rng.binomial(counts, FAR)
    far, near = reader.answer(away, rng), reader.answer(counts - away, rng)
    every = Evaluation.from_lists((near + far).tolist())
    return every, Evaluation.from_lists(far.tolist()) if far.any() else None


def verdict_on(
    reader: Reader,
    modulus: int,
    rows: int = 9,
    seed: int = 0,
    *,
    size: int | None = None,
    theory: str = "signature",
    settings: Settings | None = None,
) -> Verdict:
    """The verdict on a census of the reader, or on a sample of this size; the loss is known of either."""
    rng = np.random.default_rng(seed)
    config = config_of(modulus, rows)
    counts = census_counts(modulus) if size is None else sample_counts(config, size, rng)
    error = 0.0 if size is None else reader.loss_error(census_counts(modulus), size)
    loss = reader.loss(census_counts(modulus)) + error * rng.standard_normal()
    answers = Evaluation.from_lists(reader.answer(counts, rng).tolist())
    answered = Answered(answers, None, loss, loss, complete=size is None, loss_error=error)
    prediction = predicted(modulus, rows, theory)
    return judge_answers(
        answered, prediction, Reference.on(answered, prediction, Domain.of(config)), settings
    )


@cache
def predicted(modulus: int, rows: int = 9, theory: str = "signature") -> Prediction:
    """What a theory predicts about consecutive rows."""
    prediction = predict_run(config_of(modulus, rows), theory)
    assert isinstance(prediction, Prediction)
    return prediction


# Readers.


def ideal(modulus: int, rows: int = 9, theory: str = "signature", favourite: bool = False) -> Reader:
    """Knows the group of a number and guesses inside it: at random, or always the likeliest class."""
    groups = predicted(modulus, rows, theory).groups
    counts = Domain().class_counts(modulus)
    views, answers = np.zeros((len(groups), modulus)), np.zeros((len(groups), modulus))
    for view, group in enumerate(groups):
        views[view, group] = 1
        named = [max(group, key=counts.__getitem__)] if favourite else list(group)
        answers[view, named] = 1 / len(named)
    return Reader(views, answers)


def biased(modulus: int, rows: int, favourite: float) -> Reader:
    """Knows the group of a number, and at this share of the numbers names its first class, else another."""
    reader = ideal(modulus, rows)
    answers = reader.answers.copy()
    for view, group in enumerate(predicted(modulus, rows).groups):
        if len(group) > 1:
            answers[view, group] = (1 - favourite) / (len(group) - 1)
            answers[view, group[0]] = favourite
    return Reader(reader.views, answers)


def guesser(modulus: int) -> Reader:
    """Knows nothing."""
    return Reader(np.ones((1, modulus)), np.full((1, modulus), 1 / modulus))


def omniscient(modulus: int) -> Reader:
    """Knows the true residue."""
    return Reader(np.eye(modulus), np.eye(modulus))


def mixture(first: Reader, second: Reader, share: float) -> Reader:
    """Looks like the second at this share of the numbers, and knows at which."""
    views = np.vstack([(1 - share) * first.views, share * second.views])
    return Reader(views, np.vstack([first.answers, second.answers]))


def noisy(reader: Reader, share: float) -> Reader:
    """Has the view of a number of another class at this share of the numbers, and does not know at which."""
    modulus = reader.views.shape[1]
    others = (reader.views.sum(axis=1, keepdims=True) - reader.views) / (modulus - 1)
    return Reader((1 - share) * reader.views + share * others, reader.answers)


def blind_to(reader: Reader, missing: int, instead: int) -> Reader:
    """Takes numbers of one class for those of another, and never names the class."""
    views, answers = reader.views.copy(), reader.answers.copy()
    views[:, missing] = views[:, instead]
    answers[:, instead] += answers[:, missing]
    answers[:, missing] = 0
    return Reader(views, answers)


def contrary(modulus: int, rows: int, share: float, guesses: Reader | None = None) -> Reader:
    """Knows the class of this share of the numbers, and of these names the next class in their group.

    The other numbers are answered at random inside their groups, or like another reader does.
    """
    knows = omniscient(modulus)
    wrong = np.zeros((modulus, modulus))
    for group in predicted(modulus, rows).groups:
        for c, following in zip(group, (*group[1:], group[0]), strict=True):
            wrong[c, following] = 1
    return mixture(guesses or ideal(modulus, rows), Reader(knows.views, wrong), share)
