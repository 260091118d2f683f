"""The closed loop: train the run that tells most, drop the hypotheses that it contradicts, and repeat."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from pconv.config import RunConfig
from pconv.data.tasks import task_named
from pconv.discover.description import FOUND
from pconv.discover.evaluation import WindowCase
from pconv.discover.formula import Formula
from pconv.discover.hypotheses import Hypotheses
from pconv.discover.observation import Observation, SetAside, observe
from pconv.discover.scoring import Scorer
from pconv.result import RunResult
from pconv.store.sqlite import Store
from pconv.store.timing import Timing, estimated_seconds

MODULI = range(2, 17)
"""The moduli of experiments; all their primes are among the columns."""
WINDOWS = ((0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 1, 2, 3, 4), (0, 2), (0, 3), (0, 1, 3), (-1, 0, 2))
"""The windows of experiments, some with gaps."""
LONGER, LONGEST = 4, 32
"""A run that has not learned is repeated with so many times its epochs, as long as these are not too many."""
_FIXED_SECONDS = 2.0  # of an experiment, besides its training
_NAMED = 5  # hypotheses that an entry names

Train = Callable[[RunConfig], RunResult]
"""Trains a run, or returns it from the store."""


def experiment_cases(task: str = RunConfig.task) -> list[WindowCase]:
    """All cases that an experiment can be about: every label of the task occurs.

    >>> len(experiment_cases()) - len(experiment_cases("quadratic"))  # modulo 2 every number is a square
    8
    """
    moduli = [modulus for modulus in MODULI if _occurring(task, modulus) == task_named(task).classes(modulus)]
    return [WindowCase(modulus, window) for modulus in moduli for window in WINDOWS]


def _occurring(task: str, modulus: int) -> int:
    """How many different labels numbers have."""
    return len(set(task_named(task).labels(np.arange(modulus), modulus).tolist()))


def small_run(case: WindowCase, **fields: Any) -> RunConfig:
    """The configuration of an experiment: a network that is trained in seconds.

    >>> small_run(WindowCase(9, (0, 1))).label()
    'm=9, B=1, k=3, N=8, t=2'
    """
    sizes: dict[str, Any] = {"primes": 8, "epochs": 2, "early_stop": False}
    if fields.get("architecture", RunConfig.architecture) == RunConfig.architecture:
        sizes["kernel"] = 3  # other networks have none
    return RunConfig(modulus=case.modulus, offsets=case.offsets, **(sizes | fields))


@dataclass(frozen=True)
class Entry:
    """An experiment as the notebook describes it.

    Parameters
    ----------
    number
        Experiments count from 1.
    config
        The run.
    answers
        How many different answers the hypotheses gave before it.
    gain
        The bits that it was expected to tell.
    seconds
        The time that its training was expected to take.
    result
        Its result.
    seen
        What it shows, or why it was set aside.
    fallen
        The hypotheses that it contradicts, the smallest first.
    left
        How many hypotheses survive.
    simplest
        The smallest of them.
    """

    number: int
    config: RunConfig
    answers: int
    gain: float
    seconds: float
    result: RunResult
    seen: Observation | SetAside
    fallen: tuple[Formula, ...]
    left: int
    simplest: tuple[Formula, ...]


@dataclass
class Laboratory:
    """Experiments that are chosen by the hypotheses that survive.

    Parameters
    ----------
    store
        The file that keeps the runs. Experiments that it has are read first and not trained again.
    train
        Trains a run.
    hypotheses
        The hypotheses.
    fields
        The representation, the task, the architecture and the seed of all runs.
    """

    store: Path
    train: Train
    hypotheses: Hypotheses
    fields: Mapping[str, Any] = field(default_factory=dict)
    _waiting: list[RunConfig] = field(default_factory=list)
    _spent: set[WindowCase] = field(default_factory=set)
    _seen: list[Observation] = field(default_factory=list)

    def run(self, experiments: int, budget: float) -> Iterator[Entry]:
        """Experiments until one hypothesis is left and proven, or none is left, or a limit is reached.

        The last hypothesis is tested until it saves as many bits as a law that is found by a search: one that
        is left by accident does not pass. The time of a run that is under way is not cut.

        Parameters
        ----------
        experiments
            The most experiments, with those that the store has.
        budget
            Seconds.
        """
        end = time.monotonic() + budget
        self._waiting = self._stored()
        for number in range(1, experiments + 1):
            config = self._next()
            if config is None or time.monotonic() >= end:
                return
            yield self._experiment(number, config)

    @property
    def proven(self) -> bool:
        """Whether one hypothesis is left, and saves enough bits not to be an accident."""
        if self.hypotheses.left != 1 or not self._seen:
            return False
        return Scorer(self._seen).law(self.hypotheses.simplest(1)[0]).saved >= FOUND

    def _stored(self) -> list[RunConfig]:
        """The experiments that the store has."""
        configs = [small_run(case, **self.fields) for case in self.hypotheses.cases]
        if not self.store.is_file():
            return []
        with Store.read(self.store) as store:
            there = store.finished(config.run_id for config in configs)
        return [config for config in configs if config.run_id in there]

    def _next(self) -> RunConfig | None:
        """A run that waits, else the one that tells most per second; None if no run would tell anything.

        If one hypothesis is left, what counts is how many bits it can save if it is true.
        """
        if self._waiting:
            return self._waiting.pop(0)
        if not self.hypotheses.left or self.proven:
            return None
        last = self.hypotheses.left == 1
        worth = self.hypotheses.test_bits if last else self.hypotheses.gain
        known = self._timings()
        best, most = None, 0.0
        for place, case in enumerate(self.hypotheses.cases):
            config = small_run(case, **self.fields)
            rate = 0.0 if case in self._spent else worth(place) / seconds_of(config, known)
            if rate > most:
                best, most = config, rate
        return best

    def _timings(self) -> list[Timing]:
        if not self.store.is_file():
            return []
        with Store.read(self.store) as store:
            return store.timings()

    def _experiment(self, number: int, config: RunConfig) -> Entry:
        case = WindowCase(config.modulus, config.offsets)
        place = self.hypotheses.cases.index(case)
        gain, answers = self.hypotheses.gain(place), len(self.hypotheses.answers(place))
        seconds = seconds_of(config, self._timings())
        result = self.train(config)
        seen = observe(result)
        self._spent.add(case)
        longer = replace(config, epochs=LONGER * config.epochs)
        fallen: list[Formula] = []
        if isinstance(seen, Observation):
            fallen = self.hypotheses.eliminate(seen)
            self._seen.append(seen)
        elif longer.epochs <= LONGEST:
            self._waiting.insert(0, longer)
        left, simplest = self.hypotheses.left, self.hypotheses.simplest(_NAMED)
        return Entry(
            number, config, answers, gain, seconds, result, seen, tuple(fallen), left, tuple(simplest)
        )


def seconds_of(config: RunConfig, known: Sequence[Timing]) -> float:
    """The estimated seconds of an experiment."""
    return _FIXED_SECONDS + estimated_seconds(config, known)
