"""A network's answers to many numbers, computed in chunks of bounded memory, and the census of a whole
domain."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import Domain, far_from, split, unseen
from pconv.data.examples import class_count, encode, labels_of
from pconv.data.representations import representation_named
from pconv.engines.base import Engine
from pconv.engines.pieces import CELLS_AT_ONCE, CENSUS_CHUNK, LEAST_PIECE
from pconv.engines.registry import make_engine
from pconv.engines.threads import default_threads, torch_threads
from pconv.errors import InputError, PconvError
from pconv.models.weights import NOT_FINITE, Model
from pconv.result import Census, Evaluation

NUMBERS = ("unseen", "all")

Progress = Callable[[int, int], None]
"""Called with the numbers answered so far, and how many there are."""


class Answers(NamedTuple):
    """A network's answers to some numbers."""

    labels: IntArray
    answers: IntArray
    losses: NDArray[np.float64]  # cross-entropy of each number, in nats

    def where(self, chosen: NDArray[np.bool_]) -> Answers:
        """The answers to the chosen numbers."""
        return Answers(self.labels[chosen], self.answers[chosen], self.losses[chosen])

    def evaluation(self, classes: int) -> Evaluation:
        """The confusion matrix."""
        return Evaluation.from_lists(confusion_matrix(self.labels, self.answers, classes).tolist())


def ask(config: RunConfig, engine: Engine, numbers: IntArray, on_progress: Progress | None = None) -> Answers:
    """The network's answers to some numbers.

    Parameters
    ----------
    config
        The run's configuration, which determines a number's grid and class.
    engine
        An engine that holds the network's weights.
    numbers
        The numbers.
    on_progress
        Called after each chunk.
    """
    labels = labels_of(config, numbers)
    answers = np.empty(len(numbers), dtype=np.int64)
    losses = np.empty(len(numbers))
    size = _chunk_size(config)
    for start in range(0, len(numbers), size):
        part = slice(start, start + size)
        logits = engine.logits(encode(config, numbers[part]))
        answers[part] = logits.argmax(axis=1)
        losses[part] = _cross_entropy(logits, labels[part])
        if on_progress:
            on_progress(min(start + size, len(numbers)), len(numbers))
    return Answers(labels, answers, losses)


def _cross_entropy(logits: NDArray[np.float32], labels: IntArray) -> NDArray[np.float64]:
    """The loss of each number, in double precision: in single precision that of a confident answer is
    lost."""
    below = logits.astype(np.float64)
    with np.errstate(invalid="ignore"):  # infinite logits: the loss is nan
        below -= below.max(axis=1, keepdims=True)
    truth = below[np.arange(len(labels)), labels]
    return np.asarray(np.log(np.exp(below, out=below).sum(axis=1)) - truth)  # in place: it may be large


def _chunk_size(config: RunConfig) -> int:
    """A multiple of the engines' own pieces, so that the chunks do not change the rounding."""
    if representation_named(config.representation).sparse:
        piece = max(config.batch_size, LEAST_PIECE)
        return piece * max(1, CENSUS_CHUNK // piece)
    return max(1, CELLS_AT_ONCE // (config.rows * config.primes))


def take_census(
    config: RunConfig,
    engine: Engine,
    epoch: int,
    numbers: str = "unseen",
    on_progress: Progress | None = None,
) -> Census:
    """Evaluate the network on every number that it was not trained or selected on, or on the whole domain.

    Parameters
    ----------
    config
        The run's configuration; it determines which numbers were seen.
    engine
        An engine that holds the weights to evaluate.
    epoch
        The epoch after which the weights were taken, for the record.
    numbers
        `unseen` or `all`.
    on_progress
        Called after each chunk with the numbers answered so far and their total.
    """
    check_numbers(numbers)
    drawn = split(config)
    evaluated = unseen(config, drawn) if numbers == "unseen" else Domain.of(config).members
    answers = ask(config, engine, evaluated, on_progress)
    classes = class_count(config)
    training = drawn.training.ravel()
    far = far_from(config.offsets, evaluated, training)
    return Census(
        numbers=numbers,
        epoch=epoch,
        loss=float(answers.losses.mean()),
        answers=answers.evaluation(classes),
        far=answers.where(far).evaluation(classes) if far.any() else None,
        neighbours=_neighbours(evaluated, answers, training, classes),
    )


def check_numbers(numbers: str) -> None:
    """Raise an error unless `numbers` is one of `NUMBERS`."""
    if numbers not in NUMBERS:
        raise InputError("numbers", repr(numbers), f"must be one of: {', '.join(NUMBERS)}")


def evaluate_model(
    model: Model, numbers: str = "unseen", on_progress: Progress | None = None, epoch: int = 0
) -> Census:
    """The census of a network that was loaded from a file.

    Parameters
    ----------
    model
        The network and the configuration of its run.
    numbers
        `unseen` or `all`.
    on_progress
        Called after each chunk with the numbers answered so far and their total.
    epoch
        The epoch of the weights, where the file does not name it.
    """
    threads = default_threads(model.config)
    engine = make_engine(model.config, threads=threads)
    engine.load_weights(model.network.state_dict())
    with torch_threads(threads):
        census = take_census(model.config, engine, model.epoch or epoch, numbers, on_progress)
    if not isfinite(census.loss):
        raise PconvError(NOT_FINITE)
    return census


def _neighbours(
    numbers: IntArray, answers: Answers, training: IntArray, classes: int
) -> tuple[tuple[tuple[int, int], ...], ...]:
    """(numbers, correct answers) of each class, in four groups: no neighbour of n was trained on, n-1 alone,
    n+1 alone, both."""
    trained = np.sort(training)
    stratum = np.isin(numbers - 1, trained) + 2 * np.isin(numbers + 1, trained)
    code = stratum * classes + answers.labels
    counts = np.bincount(code, minlength=4 * classes)
    correct = np.bincount(code[answers.answers == answers.labels], minlength=4 * classes)
    pairs = list(zip(counts.tolist(), correct.tolist(), strict=True))
    return tuple(tuple(pairs[i * classes : (i + 1) * classes]) for i in range(4))


def confusion_matrix(labels: IntArray, answers: IntArray, classes: int) -> NDArray[np.int64]:
    """Entry (i, j) counts the numbers of class i that were answered with class j.

    Parameters
    ----------
    labels, answers
        The class and the answer of each number.
    classes
        The number of classes.

    Examples
    --------
    >>> confusion_matrix(np.array([0, 1, 1]), np.array([0, 0, 1]), 2).tolist()
    [[1, 0], [1, 1]]
    """
    return np.bincount(labels * classes + answers, minlength=classes**2).reshape(classes, classes)
