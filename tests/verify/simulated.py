"""Readers of known behaviour, in place of trained networks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pconv.arithmetic.domain import Domain
from pconv.arithmetic.primes import IntArray
from pconv.config import RunConfig, successors
from pconv.learn.census import confusion_matrix
from pconv.result import Environment, Epoch, Evaluation, RunResult
from pconv.theory.registry import theory_named
from pconv.verify.verdict import question_of

Reader = Callable[[IntArray, np.random.Generator], IntArray]
"""From true classes to answers: what a reader knows of a number beyond its class is chance."""


def result_of(reader: Reader, modulus: int, rows: int = 9, size: int = 20_000, seed: int = 0) -> RunResult:
    """A run whose test answers are the reader's."""
    config = RunConfig(modulus=modulus, offsets=successors(rows - 1), seed=seed, test_size=size)
    rng = np.random.default_rng(seed)
    members = Domain.of(config).members
    labels = members[rng.integers(0, len(members), size)] % modulus
    answers = reader(labels, rng)
    gap = rng.random(size) < 0.2

    def evaluation(chosen: NDArray[np.bool_]) -> Evaluation:
        return Evaluation.from_lists(confusion_matrix(labels[chosen], answers[chosen], modulus).tolist())

    everything = evaluation(np.ones(size, dtype=bool))
    return RunResult(
        config=config,
        losses=(1.0,),
        epochs=(Epoch(1, 1.0, everything.accuracy, 0.0),),
        best_epoch=1,
        validation=everything,
        test=everything,
        gap=evaluation(gap) if gap.any() else None,
        environment=Environment("simulated", "cpu", 1, {}),
    )


def ideal(modulus: int, rows: int = 9, theory: str = "signature", favourite: bool = False) -> Reader:
    """Knows the group of a number and guesses inside it: at random, or always the likeliest class."""
    config = RunConfig(modulus=modulus, offsets=successors(rows - 1))
    prediction = theory_named(theory).predict(question_of(config))
    assert prediction is not None
    counts = Domain.of(config).class_counts(modulus)
    labels, groups = prediction.labels, [np.array(group) for group in prediction.groups]
    best = np.array([group[counts[group].argmax()] for group in groups])
    sizes = np.array([len(group) for group in groups])
    listed = np.concatenate(groups)
    starts = np.cumsum(sizes) - sizes

    def read(classes: IntArray, rng: np.random.Generator) -> IntArray:
        if favourite:
            return np.asarray(best[labels[classes]])
        group = labels[classes]
        return np.asarray(listed[starts[group] + rng.integers(0, sizes[group])])

    return read


def guesser(modulus: int) -> Reader:
    """Knows nothing."""
    return lambda classes, rng: rng.integers(0, modulus, len(classes))


def mixture(first: Reader, second: Reader, share: float) -> Reader:
    """Answers like the second for this share of the numbers."""

    def read(classes: IntArray, rng: np.random.Generator) -> IntArray:
        chosen = rng.random(len(classes)) < share
        return np.where(chosen, second(classes, rng), first(classes, rng))

    return read


def omniscient(classes: IntArray, rng: np.random.Generator) -> IntArray:
    """Knows the true residue."""
    return classes
