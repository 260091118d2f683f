"""The limit reader: the answer that is best for n drawn from all integers, given what the columns show."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.data.splitting import PrimeFactors
from pconv.theory.best_reader import least_loss, most_correct
from pconv.theory.labels import for_task
from pconv.theory.prediction import Prediction
from pconv.theory.readers.evidence import label_laws, own_row, residue_groups
from pconv.theory.readers.limit_law import Law, limit_law
from pconv.theory.readers.task_problem import TaskProblem
from pconv.theory.signature import parts

SAMPLED = 20_000
"""The rows, or numbers, that are drawn where there is no closed form."""
SAMPLED_BELOW = 10**15
"""Functions without a known structure are sampled on numbers below it."""
CONFIDENCE = 0.99
"""The probability that an interval from a sample holds the exact figure."""


@dataclass(frozen=True)
class Density:
    """The Bayes accuracy and the loss floor in the limit of all integers.

    `low` and `high` bound the accuracy: by the truncation of an infinite product if `kind` is "exact", with
    a probability of 0.99 if it is "interval".
    """

    accuracy: float
    loss_floor: float
    kind: str
    low: float
    high: float


def density(problem: TaskProblem) -> Density:
    """The Bayes accuracy among all integers."""
    if problem.task.of_residue:
        return _of_residues(problem)
    if problem.splitting is None:
        return _sampled_numbers(problem)
    return _of_states(problem) if problem.cap is None else _sampled_rows(problem)


def limit_laws(problem: TaskProblem, local: IntArray) -> Law:
    """The limit law of the label given each class of local evidence, (classes of evidence, labels)."""
    count = int(local.max()) + 1
    if problem.splitting is not None:
        own = own_row(problem)
        numbers = np.bincount(own.part)  # of each visible part
        mean = np.zeros((count, problem.classes))
        np.add.at(mean, own.evidence, label_laws(problem, own.parts) * numbers[:, None])
        return np.asarray(mean / np.maximum(1, np.bincount(local, minlength=count))[:, None])
    if problem.task.of_residue:
        residues = np.arange(problem.modulus)
        groups, labels = residue_groups(problem), problem.task.labels(residues, problem.modulus)
    else:
        numbers = _drawn(problem)
        groups = residue_groups(problem)[numbers % problem.modulus]
        labels = problem.task.labels(numbers, problem.modulus)
    counts = np.zeros((max(count, int(groups.max()) + 1), problem.classes))
    np.add.at(counts, (groups, labels), 1)
    counts[counts.sum(axis=1) == 0] = 1  # not drawn: nothing is known
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _of_residues(problem: TaskProblem) -> Density:
    prediction = for_task(Prediction("limit", problem.problem, parts(problem.problem)), problem.task)
    ceiling = float(prediction.ceiling)
    return Density(ceiling, prediction.loss_floor, "exact", ceiling, ceiling)


def _of_states(problem: TaskProblem) -> Density:
    assert problem.splitting is not None
    law = limit_law(problem.splitting, len(problem.primes))
    given = law.labels_given(problem.classes)
    accuracy = min(1.0, float(law.visible @ given.max(axis=1)))
    floor = float(law.visible @ _entropies(given))
    low, high = max(0.0, accuracy - law.error), min(1.0, accuracy + law.error)
    return Density(accuracy, floor, "exact", low, high)


def _entropies(laws: Law) -> NDArray[np.float64]:
    return np.asarray((laws * -np.log(np.where(laws > 0, laws, 1))).sum(axis=1))


def _sampled_rows(problem: TaskProblem) -> Density:
    """Rows of capped exponents, drawn from their exact law; given a row, the law of the label is exact."""
    assert problem.splitting is not None
    assert problem.cap is not None
    random = np.random.default_rng(0)
    found = []
    for prime in problem.primes.tolist():
        exponents = np.minimum(random.geometric(1 - 1 / prime, SAMPLED) - 1, problem.cap)
        at = np.flatnonzero(exponents)
        found.append(np.stack([at, np.full_like(at, prime), exponents[at]]))
    law = limit_law(problem.splitting, len(problem.primes))
    shown = PrimeFactors(*np.concatenate(found, axis=1))
    laws = law.labels_of(law.given_divisors(shown, SAMPLED, problem.cap), problem.classes)
    accuracy, floor = float(laws.max(axis=1).mean()), float(_entropies(laws).mean())
    margin = sqrt(log(2 / (1 - CONFIDENCE)) / (2 * SAMPLED)) + law.error  # Hoeffding
    return Density(accuracy, floor, "interval", max(0.0, accuracy - margin), min(1.0, accuracy + margin))


def _drawn(problem: TaskProblem) -> IntArray:
    lowest = 1 - min(0, problem.offsets[0])
    return np.random.default_rng(0).integers(lowest, SAMPLED_BELOW, 2 * SAMPLED, dtype=np.int64)


def _sampled_numbers(problem: TaskProblem) -> Density:
    """A function of unknown structure on random numbers below 10^15, given the signature at the primes of m.

    The best answers on one half, applied to the other, are a reader, so that its accuracy there is a lower
    bound up to chance (Hoeffding). The best accuracy on a sample is on average at least the Bayes accuracy,
    and changes by at most 1/N with one number, hence the upper bound (McDiarmid).
    """
    numbers = _drawn(problem)
    labels = problem.task.labels(numbers, problem.modulus)
    pair = residue_groups(problem)[numbers % problem.modulus] * problem.classes + labels
    counts = np.bincount(pair)
    groups = np.arange(len(counts)) // problem.classes
    best = most_correct(counts, groups) / len(numbers)
    half = np.zeros((int(groups[-1]) + 1) * problem.classes)
    half[: len(counts)] = np.bincount(pair[::2], minlength=len(counts))
    answers = half.reshape(-1, problem.classes).argmax(axis=1)
    held_out = float((answers[pair[1::2] // problem.classes] == labels[1::2]).mean())
    level = log(2 / (1 - CONFIDENCE)) / 2
    low = max(0.0, held_out - sqrt(level / len(labels[1::2])))
    high = min(1.0, best + sqrt(level / len(numbers)))
    return Density(best, least_loss(counts, groups), "interval", low, high)
