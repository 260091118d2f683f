"""How long runs are expected to take: the estimates of `store.timing`, with the predicted early stop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.pacing.features import features, goal_of
from pconv.pacing.law import epochs_until, shipped_law
from pconv.store.timing import Timing, estimated_seconds, guessed_work

_REMEMBERED = 200_000  # runs: the displays of a sweep ask for each of them again and again
_PRIOR = 10  # epochs: about as many as three runs at N = 5,000 take


@lru_cache(maxsize=_REMEMBERED)
def expected_epochs(config: RunConfig) -> int:
    """The epochs that a run is expected to take: fewer than asked for if it is expected to stop early.

    Runs stop early at a validation accuracy of 1, which they reach only if every class is distinguishable.
    Where no law applies, all epochs are expected.

    >>> expected_epochs(RunConfig(modulus=4)), expected_epochs(RunConfig(modulus=11))
    (1, 10)
    """
    if not config.early_stop:
        return config.epochs
    try:
        goal = goal_of(config, on_domain=False)
    except InputError:  # no law for such a run
        return config.epochs
    if goal.floor > 0:
        return config.epochs
    law = shipped_law()
    return epochs_until(law.coefficients.curve(features(config, goal)), config, law.stop)


def expected_seconds(config: RunConfig, known: Sequence[Timing] = (), census: bool = True) -> float:
    """Expected seconds of a run in a process that has started.

    Parameters
    ----------
    config
        The run.
    known
        The times of stored runs, which correct the guess for this machine.
    census
        Whether a census is taken at the end.
    """
    return estimated_seconds(_shortened(config), known, census)


@lru_cache(maxsize=_REMEMBERED)
def expected_work(config: RunConfig) -> float:
    """Expected seconds without knowledge of the machine, for the order of runs."""
    return expected_seconds(config)


class Work(NamedTuple):
    """What a sweep has computed of a run."""

    config: RunConfig
    epochs: float  # that are done, the last one in part
    resumed: int = 0  # the epoch of the checkpoint that it started from
    census: float | None = None  # the share of the census that is done; None: the training goes on


def seconds_left(
    done: Sequence[Work],
    running: Sequence[Work],
    waiting: Iterable[RunConfig],
    elapsed: float,
    census: bool = True,
) -> float | None:
    """Seconds until all runs are done, at the speed so far; None before a first epoch is done.

    If runs with early stopping take more or fewer epochs than expected, so will those that wait.

    Parameters
    ----------
    done
        The runs that were finished since the start.
    running
        The runs that are being computed.
    waiting
        The runs that have not been started.
    elapsed
        Seconds since the start.
    census
        Whether a census is taken at the end of every run.

    Examples
    --------
    >>> config = RunConfig(modulus=11)  # ten epochs
    >>> seconds_left([Work(config, 10)], [Work(config, 5)], [config], elapsed=150, census=False)
    150.0
    """
    if not done and all(work.epochs - work.resumed < 1 for work in running):
        return None  # the start of the processes took a large part of the time
    finished = sum(
        _cost(work.config, work.epochs - work.resumed, work.census or 0) for work in (*done, *running)
    )
    ratio = _epochs_ratio(done, running)
    left = sum(_cost(config, _corrected(config, ratio), census) for config in waiting)
    for work in running:
        left += _cost(work.config, _last_epoch(work) - work.epochs, census - (work.census or 0))
    return left / finished * elapsed


def _epochs_ratio(done: Iterable[Work], running: Iterable[Work]) -> float:
    """The epochs of runs that may stop early, as a multiple of the expected ones. Of the running ones those
    count that have had more than were expected. `_PRIOR` epochs count as expected and taken, so that the
    first runs do not decide alone."""
    late = (work for work in running if work.epochs > expected_epochs(work.config))
    taken = expected = float(_PRIOR)
    for work in (*done, *late):
        epochs = expected_epochs(work.config)
        if epochs < work.config.epochs:
            taken += work.epochs
            expected += epochs
    return taken / expected


def _corrected(config: RunConfig, ratio: float) -> float:
    """The expected epochs of a run, `ratio` times as many if it may stop early."""
    expected = expected_epochs(config)
    return expected if expected == config.epochs else min(config.epochs, ratio * expected)


def _last_epoch(work: Work) -> float:
    """The epoch after which a run is expected to stop. One that did not stop early runs to its end."""
    if work.census is not None:
        return work.epochs
    expected = expected_epochs(work.config)
    return expected if work.epochs < expected else work.config.epochs


def _cost(config: RunConfig, epochs: float, census: float) -> float:
    """Seconds of some epochs and of a share of the census, without knowledge of the machine."""
    epoch, whole_census = _costs(config)
    return epochs * epoch + census * whole_census


@lru_cache(maxsize=_REMEMBERED)
def _costs(config: RunConfig) -> tuple[float, float]:
    """Of an epoch and of the census."""
    once = replace(config, epochs=1)
    epoch = guessed_work(once, census=False)
    return epoch, guessed_work(once) - epoch


def _shortened(config: RunConfig) -> RunConfig:
    epochs = expected_epochs(config)
    return config if epochs == config.epochs else replace(config, epochs=epochs)
