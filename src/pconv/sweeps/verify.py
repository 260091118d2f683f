"""Compute a recorded run again, and compare the two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pconv.result import RunResult
from pconv.store.judging import verdicts_on
from pconv.sweeps.job import new_training
from pconv.training.options import RunOptions

if TYPE_CHECKING:
    from pconv.engines.census import Progress as CensusProgress
    from pconv.training.trainer import StepCallback

LOSS_BOUND = 0.01
"""The largest relative difference of the first epoch's loss that counts as rounding."""
ACCURACY_BOUND = 0.01
"""The largest difference of an accuracy that counts as rounding."""


class Outcome(StrEnum):
    """How far a run agrees with its record."""

    IDENTICAL = "bit-identical"  # every recorded figure is the same
    WITHIN_BOUNDS = "within bounds"  # the differences are as small as rounding makes them
    DIFFERENT = "different"


@dataclass(frozen=True)
class Check:
    """One figure of the record and of the run computed again.

    Parameters
    ----------
    name
        The figure.
    recorded, repeated
        Its two values: numbers, or words.
    bound
        The largest difference that counts as rounding; None: the two must be equal.
    """

    name: str
    recorded: float | str
    repeated: float | str
    bound: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the difference is within the bound."""
        if self.bound is None or isinstance(self.recorded, str) or isinstance(self.repeated, str):
            return self.recorded == self.repeated
        return abs(self.recorded - self.repeated) <= self.bound


@dataclass(frozen=True)
class Verification:
    """A recorded run, the same run computed again, and their comparison."""

    recorded: RunResult
    repeated: RunResult

    @property
    def outcome(self) -> Outcome:
        """Identical in every recorded figure, within the bounds of all checks, or different."""
        if not self.differing:
            return Outcome.IDENTICAL
        return Outcome.WITHIN_BOUNDS if all(c.holds for c in self.checks) else Outcome.DIFFERENT

    @property
    def differing(self) -> tuple[str, ...]:
        """The recorded figures that are not the same to the last bit."""
        repeated = _figures(self.repeated)
        return tuple(name for name, value in _figures(self.recorded).items() if repeated[name] != value)

    @property
    def checks(self) -> tuple[Check, ...]:
        """The figures that are compared within bounds."""
        return tuple(_checks(self.recorded, self.repeated))

    @property
    def other_environment(self) -> dict[str, tuple[Any, Any]]:
        """What differs in how the two were computed: each may explain other rounding."""
        before, now = (_environment(result) for result in (self.recorded, self.repeated))
        keys = dict.fromkeys([*before, *now])
        return {key: (before.get(key), now.get(key)) for key in keys if before.get(key) != now.get(key)}

    def to_dict(self) -> dict[str, Any]:
        """The document that `pconv verify --json` prints."""
        return {
            "run_id": self.recorded.run_id,
            "outcome": str(self.outcome),
            "differing": list(self.differing),
            "checks": [{**asdict(check), "holds": check.holds} for check in self.checks],
            "environment": {key: list(pair) for key, pair in self.other_environment.items()},
        }


def verify(
    recorded: RunResult,
    *,
    on_step: StepCallback | None = None,
    on_census: CensusProgress | None = None,
) -> Verification:
    """Compute a recorded run again, with the engine, device and threads of its record, and compare the two.

    The same version on the same kind of processor gives the same bits. Elsewhere sums are rounded
    differently, and the differences grow during a training: then the outcome says whether they are within
    bounds.

    Parameters
    ----------
    recorded
        A finished run: from a store, or from a directory of results.
    on_step
        Called after every step with a `Step`.
    on_census
        Called during the census with the count of numbers so far and their total.

    Examples
    --------
    >>> from pconv import RunConfig, train
    >>> result = train(RunConfig(modulus=4, primes=8, batches=8, epochs=2, limit=20_000, test_size=100))
    >>> print(verify(result).outcome)
    bit-identical
    """
    from pconv.training.loop import run_to_end

    how = recorded.environment
    wanted = tuple(snapshot.epoch for snapshot in recorded.snapshots)
    census = recorded.census is not None
    options = RunOptions(how.engine, how.device, how.threads, census, wanted)
    training = new_training(recorded.config, options)
    run_to_end(training, on_step=on_step)
    return Verification(recorded, training.result(census, on_census))


def _figures(result: RunResult) -> dict[str, Any]:
    """The figures of a run that its configuration determines. Older records lack some of them.

    The losses of steps are not among them, because a record that was exported has only their means: those of
    the epochs, which are exact.
    """
    found: dict[str, Any] = {
        "epochs": [(epoch.loss, epoch.accuracy) for epoch in result.epochs],
        "best epoch": result.best_epoch,
        "validation": result.validation,
        "test": result.test,
        "disjoint test": result.disjoint_test,
        "snapshots": result.snapshots,
    }
    if result.loss_epoch is not None:
        found["held-out losses"] = [epoch.held_out_loss for epoch in result.epochs]
    if result.census:
        found["census"] = result.census
    return found


def _checks(recorded: RunResult, repeated: RunResult) -> Iterator[Check]:
    first = recorded.epochs[0].loss
    yield Check("loss of epoch 1", first, repeated.epochs[0].loss, LOSS_BOUND * abs(first))
    yield Check("test accuracy", recorded.test.accuracy, repeated.test.accuracy, ACCURACY_BOUND)
    if recorded.census and repeated.census:
        accuracies = recorded.census.accuracy, repeated.census.accuracy
        yield Check("census accuracy", *accuracies, ACCURACY_BOUND)
    again = verdicts_on(repeated)  # without a theory that raises an exception on these figures
    for theory, verdict in verdicts_on(recorded).items():
        now = str(again[theory].status) if theory in again else "none"
        yield Check(f"verdict on {theory}", str(verdict.status), now)


def _environment(result: RunResult) -> dict[str, Any]:
    how = result.environment
    return {"revision": how.revision, **how.versions}
