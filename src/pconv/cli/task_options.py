"""The task that options name: by its name, by a file, with the m that it needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pconv.config import PRESETS, RunConfig
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.data.domain import Domain
    from pconv.data.tasks import Task
    from pconv.theory.readers import TaskProblem

TASK_COLUMNS = PRESETS["quick"]["primes"]
"""The columns that readers see where -N is not given."""


def chosen_task(name: str | None, file: Path | None) -> Task:
    """The task of this name; without a name the first task that the file registers, or the residue."""
    from pconv.data.tasks import task_named

    if file is not None:
        from pconv.data.task_file import load_task_file

        added = load_task_file(file)
        return task_named(name or added[0].name)
    return task_named(name or RunConfig.task)


def chosen_modulus(task: Task, given: int | None) -> int:
    """The given modulus, or the task's own."""
    modulus = task.modulus if given is None else given
    if modulus is None:
        raise InputError("modulus", "(missing)", f"the task {task.name} needs one, as in -m 11")
    return modulus


def chosen_domain(offsets: tuple[int, ...], limit: int, smooth: int, test_size: int = 1) -> Domain:
    """The numbers that options describe.

    Parameters
    ----------
    offsets
        The rows of the window, which are positive.
    limit, smooth
        The domain.
    test_size
        The size of a test set that is drawn from it.
    """
    from pconv.data.domain import Domain

    # a run's configuration checks the values of its fields
    given = RunConfig(modulus=2, limit=limit, smooth=smooth, test_size=test_size)
    return Domain(given.limit, given.smooth, lowest_offset=min(0, offsets[0]))


def task_problem(
    task: Task,
    modulus: int,
    offsets: tuple[int, ...],
    columns: int | None,
    representation: str,
    domain: Domain,
) -> TaskProblem:
    """The problem that options describe to readers.

    Parameters
    ----------
    task, modulus
        The task and its m.
    offsets, columns, representation
        The rows, how many columns there are (32 if not given), and what they show.
    domain
        The numbers.
    """
    from pconv.data.primes import first_primes
    from pconv.data.representations import representation_named
    from pconv.theory.readers import TaskProblem

    task.classes(modulus)  # an error if the task is not defined for this modulus
    count = TASK_COLUMNS if columns is None else len(first_primes(columns))
    return TaskProblem(task, modulus, offsets, count, representation_named(representation), domain)
