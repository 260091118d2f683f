"""How long runs are expected to take: the estimates of `store.timing`, with the predicted early stop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.pacing.features import features, goal_of
from pconv.pacing.law import epochs_until, shipped_law
from pconv.store.timing import Timing, estimated_seconds

_REMEMBERED = 200_000  # runs: the displays of a sweep ask for each of them again and again


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
    """Expected seconds without knowledge of the machine: for the order of runs and for shares of work."""
    return expected_seconds(config)


def seconds_left(
    done: Sequence[RunConfig],
    running: Sequence[tuple[RunConfig, float, int]],
    waiting: Iterable[RunConfig],
    elapsed: float,
) -> float | None:
    """Seconds until all runs are done, at the speed so far; None before a first epoch is done.

    Parameters
    ----------
    done
        The runs that were finished since the start.
    running
        The runs that are being computed, with the epochs done, the last one in part, and the epoch at which
        they were resumed.
    waiting
        The runs that have not been started.
    elapsed
        Seconds since the start.

    Examples
    --------
    >>> config = RunConfig(modulus=11)  # ten epochs
    >>> seconds_left([config], [(config, 5, 0)], [config], elapsed=150)
    150.0
    """
    if not done and all(epoch - resumed < 1 for _, epoch, resumed in running):
        return None  # the start of the processes took a large part of the time
    finished, left = sum(map(expected_work, done)), sum(map(expected_work, waiting))
    for config, epoch, resumed in running:
        expected = expected_epochs(config)
        end = expected if epoch < expected else config.epochs  # one that did not stop early runs to its end
        finished += expected_work(config) * (epoch - resumed) / expected
        left += expected_work(config) * (end - epoch) / expected
    return left / finished * elapsed


def _shortened(config: RunConfig) -> RunConfig:
    epochs = expected_epochs(config)
    return config if epochs == config.epochs else replace(config, epochs=epochs)
