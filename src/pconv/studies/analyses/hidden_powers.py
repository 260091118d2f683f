"""Capped exponents hide powers of primes; how much of them the bound on n reveals."""

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
from pconv.studies.analyses.answer import LEVEL, Answer, evaluation_of
from pconv.studies.analyses.registry import analysis
from pconv.theory.prediction import Prediction

BINS = 60
"""The number of bins for the sum of logarithms."""


class Reading(NamedTuple):
    """The held-out accuracy of a classifier, and the ceiling of the groups on the same numbers."""

    accuracy: float
    ceiling: float
    numbers: int

    @property
    def gain(self) -> float:
        return self.accuracy - self.ceiling

    @property
    def exceeds(self) -> bool:
        """Whether the accuracy is above the ceiling: an exact binomial test at 1%."""
        from pconv.evaluate.statistics import more_pvalue

        return more_pvalue(round(self.accuracy * self.numbers), self.numbers, self.ceiling) < LEVEL


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
    prior = np.log(np.maximum(1, np.bincount(classes, minlength=m)))
    score = np.repeat(prior[None, :], len(targets), axis=0)
    for offset in config.offsets:
        shown = steps[numbers + offset]
        counts = 1.0 + np.bincount(classes * BINS + shown[fitted], minlength=m * BINS).reshape(m, BINS)
        score += np.log(counts / counts.sum(axis=1, keepdims=True)).T[shown[~fitted]]
    score[~prediction.pattern[targets]] = -np.inf
    ceiling = prediction.ceiling_on(np.bincount(targets, minlength=m))
    return Reading(float((score.argmax(axis=1) == targets).mean()), ceiling or 0.0, len(targets))


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
    found = [
        run
        for run in runs
        if (run.config.representation, run.config.task) == ("capped", RunConfig.task)
        and _prediction(run.config).mixed
    ]
    if not found:
        return Answer()
    found.sort(key=lambda run: (run.config.modulus, run.config.label()))
    readings = [size_reader(_problem(run.config)) for run in found]
    rows = []
    for run, reading in zip(found, readings, strict=True):
        figures = (evaluation_of(run).accuracy, reading.accuracy, reading.ceiling)
        rows.append((run.config.label(), *(f"{figure:.4f}" for figure in figures), run.status))
    header = ("run", "network", "reader of sizes", "ceiling of the groups", "verdict")
    return Answer(_sentence(found, readings), header, tuple(rows))


def _problem(config: RunConfig) -> RunConfig:
    """The window, the columns and the domain of a run, with a network that takes every window."""
    return RunConfig(
        modulus=config.modulus,
        offsets=config.offsets,
        primes=config.primes,
        limit=config.limit,
        smooth=config.smooth,
        representation=config.representation,
        architecture="mlp",
    )


def _sentence(runs: Sequence[JudgedRun], readings: Sequence[Reading]) -> str:
    control = size_reader(RunConfig(modulus=11))
    gains = [reading.gain for reading in readings]
    networks = [evaluation_of(run).accuracy - r.ceiling for run, r in zip(runs, readings, strict=True)]
    exceeded = sum(reading.exceeds for reading in readings)
    if exceeded:
        answer = "Not wholly." if exceeded == len(runs) else f"Not wholly in {exceeded} of {len(runs)} runs."
        conclusion = (
            "So the theory, made for n without bound, can be exceeded on capped exponents by arithmetic that "
            "a network may find"
        )
    else:
        answer, conclusion = "As far as this shows, yes.", "So the bound on n reveals nothing to this reader"
    return (
        f"{answer} n is bounded, so that a row whose visible primes have a large product has little room for "
        "hidden powers. A reader of the groups and of each row's sum of log p over its visible primes (naive "
        f"Bayes, fitted to half of the domain) is {100 * min(gains):+.1f} to {100 * max(gains):+.1f} points "
        "from the ceiling of the groups on the other half; on plain exponents at m=11 it is "
        f"{100 * control.gain:+.1f} points. {conclusion}; the networks, on their own held-out numbers, are "
        f"{100 * min(networks):+.1f} to {100 * max(networks):+.1f} points from that ceiling."
    )
