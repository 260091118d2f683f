"""The runs that a search is about, and what they show."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pconv.config import PLUGIN_FIELDS
from pconv.data.tasks import task_named
from pconv.discover.observation import Observation, SetAside, observe
from pconv.errors import InputError, PconvError
from pconv.result import RunResult


@dataclass(frozen=True)
class Sample:
    """What the runs of one kind show, and the runs that are set aside."""

    observations: tuple[Observation, ...]
    set_aside: tuple[SetAside, ...]


def sample_of(results: Iterable[RunResult], wanted: Callable[[RunResult], bool] = lambda _: True) -> Sample:
    """What the results show that are wanted."""
    seen = [observe(result) for result in results if wanted(result)]
    return Sample(
        tuple(each for each in seen if isinstance(each, Observation)),
        tuple(each for each in seen if isinstance(each, SetAside)),
    )


def check_task(name: str) -> None:
    """Raise an error if the labels of the task are no function of n mod m: no classes can be mixed then."""
    if not task_named(name).of_residue:
        raise InputError(
            "task", name, "its labels are no function of n mod m, so it has no law of mixed classes"
        )


def of_kind(results: Iterable[RunResult], **fields: str | None) -> list[RunResult]:
    """The results with these values of representation, task or architecture; None: any value.

    An `InputError` if there is none.
    """
    assert set(fields) <= set(PLUGIN_FIELDS)
    every = list(results)
    if not every:
        raise PconvError("there is no finished run to explain")
    for name, value in fields.items():
        there = {getattr(result.config, name) for result in every}
        if value is not None and value not in there:
            raise InputError(name, value, f"no run has it; there are: {', '.join(sorted(there))}")
        every = [result for result in every if value in (None, getattr(result.config, name))]
    return every
