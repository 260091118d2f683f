"""Runs simulated with a known truth: censuses with and without memory, and answers spread as one likes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv.config import RunConfig
from pconv.result import Census, Epoch, Evaluation, RunResult, Snapshot
from pconv.store.judging import verdicts_on
from pconv.store.run import JudgedRun
from pconv.theory import predict
from tests.report.fakes import result

Strata = NDArray[np.int64]
"""Of numbers asked and correct, shape (4, classes, 2)."""


def judged(made: RunResult) -> JudgedRun:
    return JudgedRun(made, verdicts_on(made))


def ideal(**fields: Any) -> JudgedRun:
    """A reader who knows what the signature tells, and no more."""
    return judged(result(RunConfig(**{"test_size": 20_000, **fields})))


def knowing(share: float, **fields: Any) -> JudgedRun:
    """A reader who is right so often, whatever the theory predicts, and names the next class otherwise."""
    made = result(RunConfig(**fields))
    return judged(replace(made, test=next_class(made.config.modulus, share, 20_000)))


def validated(config: RunConfig, right: int) -> JudgedRun:
    """A run with so many correct answers to the 512 validation numbers."""
    confusion = [[0] * config.modulus for _ in range(config.modulus)]
    confusion[0][:2] = [right, 512 - right]
    made = result(replace(config, batches=2, epochs=1))
    return JudgedRun(replace(made, config=config, validation=Evaluation.from_lists(confusion)))


def next_class(modulus: int, share: float, size: int) -> Evaluation:
    """So many answers right in every class, the others off by one."""
    each = size // modulus
    right = round(share * each)
    counts = [
        [right * (i == j) + (each - right) * ((i + 1) % modulus == j) for j in range(modulus)]
        for i in range(modulus)
    ]
    return Evaluation.from_lists(counts)


def censused(config: RunConfig, excess: float = 0.01, strata: Strata | None = None) -> JudgedRun:
    """An ideal reader with a census, whose loss is so far above the floor."""
    made = result(config, census=200_000)
    assert made.census is not None
    floor = predict(config.modulus, config.offsets).loss_floor
    neighbours = (
        tuple(tuple((int(n), int(c)) for n, c in table) for table in strata) if strata is not None else ()
    )
    census = replace(made.census, loss=floor + excess, neighbours=neighbours)
    epochs = tuple(replace(epoch, loss=floor + excess / 2) for epoch in made.epochs)
    return judged(replace(made, census=census, epochs=epochs))


def strata(
    config: RunConfig, push: float = 0.0, preference: float = 0.0, seed: int = 0, size: int = 4_000
) -> Strata:
    """Answers of a reader of the groups, to numbers with and without a neighbour that was trained on.

    Parameters
    ----------
    config
        The run's configuration.
    push
        How much the odds of a correct answer fall next to a training number (log-odds), inside groups.
    preference
        How much more often the first class of a group is named next to a training number, whatever the class.
    seed
        Of the simulation.
    size
        Numbers of a class with one trained neighbour; ten times as many have none.
    """
    chance = np.random.default_rng(seed)
    prediction = predict(config.modulus, config.offsets)
    counts = np.zeros((4, config.modulus, 2), dtype=np.int64)
    for group in prediction.groups:
        named = chance.dirichlet(np.ones(len(group)) * 3)
        for place, c in enumerate(group):
            for stratum, numbers in ((0, 10 * size), (1, size), (2, size), (3, size // 10)):
                rate = 0.999 if len(group) == 1 else named[place]
                if stratum and len(group) > 1:
                    first = place == 0
                    rate = rate + preference * (1 - named[0]) if first else rate * (1 - preference)
                    odds = rate / (1 - rate) * np.exp(-push)
                    rate = odds / (1 + odds)
                counts[stratum, c] = numbers, chance.binomial(numbers, rate)
    return counts


def with_snapshots(made: RunResult, **answers: Evaluation) -> JudgedRun:
    """A run of 50 epochs with the answers of some of them, as `e10=..`."""
    epochs = tuple(Epoch(i, 1.0, 0.9, 1.0) for i in range(1, 51))
    snapshots = tuple(Snapshot(int(epoch[1:]), each) for epoch, each in answers.items())
    return judged(replace(made, epochs=epochs, snapshots=snapshots))


def census_of(answers: Evaluation, loss: float = 0.0, epoch: int = 1) -> Census:
    return Census("unseen", epoch, loss, answers, None, ())
