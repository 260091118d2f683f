"""Capped exponents hide powers of primes; how much of them the bound n < 10^6 reveals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv.config import RunConfig
from pconv.data.domain import Domain
from pconv.data.primes import first_primes
from pconv.data.representations import representation_named
from pconv.evaluate.predict_run import predict_run
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import Answer, evaluation_of
from pconv.studies.analyses.registry import analysis
from pconv.theory.prediction import Prediction

BINS = 60
"""The number of bins for the sum of logarithms."""


class Reading(NamedTuple):
    """The held-out accuracy of a classifier, and the ceiling of the groups on the same numbers."""

    accuracy: float
    ceiling: float


@cache
def size_reader(config: RunConfig) -> Reading:
    """Classify by the groups and by each row's sum of logarithms of the primes that it shows.

    n is bounded, so a row whose visible primes have a large product has little room for hidden powers. The
    classifier is naive Bayes over rows, fitted to one half of the domain and tested on the other.
    """
    m, prediction = config.modulus, _prediction(config)
    numbers = Domain.of(config).members
    fitted = np.random.default_rng(0).random(len(numbers)) < 0.5
    classes, targets = numbers[fitted] % m, numbers[~fitted] % m
    logs = _visible_logs(config, int(numbers[-1]) + config.offsets[-1] + 1)
    steps = np.minimum((logs / logs.max() * BINS).astype(np.int64), BINS - 1)
    score = np.repeat(np.log(np.bincount(classes, minlength=m))[None, :], len(targets), axis=0)
    for offset in config.offsets:
        shown = steps[numbers + offset]
        counts = 1.0 + np.bincount(classes * BINS + shown[fitted], minlength=m * BINS).reshape(m, BINS)
        score += np.log(counts / counts.sum(axis=1, keepdims=True)).T[shown[~fitted]]
    score[~prediction.pattern[targets]] = -np.inf
    ceiling = prediction.ceiling_on(np.bincount(targets, minlength=m))
    return Reading(float((score.argmax(axis=1) == targets).mean()), ceiling or 0.0)


def _prediction(config: RunConfig) -> Prediction:
    prediction = predict_run(config)
    assert isinstance(prediction, Prediction)
    return prediction


def _visible_logs(config: RunConfig, end: int) -> NDArray[np.float64]:
    """For each number below `end` the sum of e log p over the columns, with the exponents e as shown."""
    cap = representation_named(config.representation).cap or end.bit_length()
    logs = np.zeros(end)
    for prime in first_primes(config.primes).tolist():
        power = prime
        for _ in range(cap):
            if power >= end:
                break
            logs[power::power] += np.log(prime)
            power *= prime
    return logs


@analysis("Do capped exponents hide the powers of primes?", all_networks=True, order=180)
def hidden_powers(runs: Sequence[JudgedRun]) -> Answer:
    """Compare networks on capped exponents with `size_reader`."""
    found = [run for run in runs if run.config.representation == "capped" and _prediction(run.config).mixed]
    if not found:
        return Answer()
    rows, gains = [], []
    for run in sorted(found, key=lambda run: (run.config.modulus, run.config.label())):
        config = RunConfig(
            modulus=run.config.modulus,
            offsets=run.config.offsets,
            primes=run.config.primes,
            limit=run.config.limit,
            smooth=run.config.smooth,
            representation="capped",
        )
        reading = size_reader(config)
        gains.append(reading.accuracy - reading.ceiling)
        figures = (evaluation_of(run).accuracy, reading.accuracy, reading.ceiling)
        rows.append((run.config.label(), *(f"{figure:.4f}" for figure in figures), run.status))
    control = size_reader(RunConfig(modulus=11))
    sentence = (
        "Not wholly. n is below 10^6, so that a row whose visible primes have a large product has little "
        "room for hidden powers. A reader of the groups and of each row's sum of log p over its visible "
        f"primes (naive Bayes, fitted to half of the domain) is {100 * min(gains):.1f} to "
        f"{100 * max(gains):.1f} points above the ceiling of the groups on the other half; on plain "
        f"exponents at m=11 it is {100 * (control.accuracy - control.ceiling):+.1f} points. So the theory, "
        "made for n without bound, can be exceeded on capped exponents by arithmetic that a network may "
        "find; in these runs they found little of it."
    )
    header = ("run", "network", "reader of sizes", "ceiling of the groups", "verdict")
    return Answer(sentence, header, tuple(rows))
