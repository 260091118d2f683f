"""Simulated runs, and observations made random: to test what a search finds, and what it must not find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np

from pconv.config import RunConfig
from pconv.discover.observation import Observation
from pconv.result import Census, Environment, Epoch, Evaluation, RunResult


def simulated(config: RunConfig, groups: Sequence[int], numbers: int = 2_000, seed: int = 0) -> RunResult:
    """A run whose network knows the group of every number, and guesses inside the group.

    Parameters
    ----------
    config
        The configuration of the run.
    groups
        The group of each class.
    numbers
        The held-out numbers of each class.
    seed
        Of the guesses.

    Examples
    --------
    >>> simulated(RunConfig(modulus=3), [0, 1, 1]).census.answers.confusion[0]
    (2000, 0, 0)
    """
    member = np.array(groups)
    chosen = np.random.default_rng(seed)
    same = member[:, None] == member
    confusion = [chosen.multinomial(numbers, row / row.sum()).tolist() for row in same]
    floor = float(np.mean([log(row.sum()) for row in same]))
    answers = Evaluation.from_lists(confusion)
    neither = tuple((numbers, confusion[c][c]) for c in range(len(confusion)))
    neighbours = (neither, *(tuple((0, 0) for _ in confusion) for _ in range(3)))
    census = Census("unseen", 1, floor, answers, None, neighbours)
    epoch = Epoch(1, floor, answers.accuracy, 0.0, floor)
    environment = Environment("simulated", "cpu", 1, {})
    return RunResult(config, (), (epoch,), 1, answers, answers, None, environment, census=census)


def shuffled(observations: Sequence[Observation], seed: int) -> list[Observation]:
    """The observations with all that a law has to say made random.

    The classes of each run are renamed: only the sizes of groups stay. Where the task merges classes, the
    accuracy is drawn between guessing and 1: a network that knows all classes is as accurate if they are
    renamed.
    """
    random = np.random.default_rng(seed)
    return [_random(each, random) for each in observations]


def _random(each: Observation, random: np.random.Generator) -> Observation:
    if each.labels:
        return replace(each, accuracy=float(random.uniform(each.guess, 1)))
    return replace(each, leaders=_renamed(each.leaders, random))


def _renamed(leaders: tuple[int, ...], random: np.random.Generator) -> tuple[int, ...]:
    member = np.array(leaders, dtype=np.int64)[random.permutation(len(leaders))]
    return tuple(int(np.flatnonzero(member == group)[0]) for group in member)
