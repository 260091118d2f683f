"""What the four readers reach in each place of the explorer.

Counting takes seconds for each place, so the figures ship with pconv; `tools/ship_readers.py` writes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from pconv.config import RunConfig
from pconv.theory.readers import READERS, Readers, TaskProblem
from pconv.window import successor_window

MODULI = range(2, 65)
SUCCESSORS = range(33)
COLUMNS = 32
"""The columns of exponents that the readers see; they contain all primes of all moduli."""
TASKS = ("residue", "divisibility", "quadratic")
FILE = "reader_ceilings.json"
SOLVED = 0
"""Instead of figures: every reader reaches an accuracy of 1."""

Ceilings = dict[str, dict[str, list[Any]]]
"""For each task and m, for B from 0: the accuracies of the readers and their cross-entropies, or `SOLVED`."""


def ceilings_at(task: str, modulus: int, successors: int) -> list[list[float]] | int:
    """The accuracies and the cross-entropies of all readers, rounded to four digits.

    Parameters
    ----------
    task
        The name of a task whose label depends on n modulo m.
    modulus
        The modulus m.
    successors
        The number B of successors.

    Examples
    --------
    >>> ceilings_at("divisibility", 6, 2)
    0
    """
    config = RunConfig(
        modulus=modulus,
        offsets=successor_window(successors),
        primes=COLUMNS,
        task=task,
        architecture="mlp",  # without a kernel, so that every window is allowed
    )
    readers = Readers(TaskProblem.of(config))
    if readers.reading("limit").accuracy == 1:
        return SOLVED
    found = [readers.reading(name) for name in READERS]
    losses = [reading.loss_floor for reading in found if reading.loss_floor is not None]
    assert len(losses) == len(found), "of functions of n modulo m no label that occurs is excluded"
    return [[round(reading.accuracy, 4) for reading in found], [round(loss, 4) for loss in losses]]


def computed_ceilings(on_place: Callable[[str, int, int], None]) -> Ceilings:
    """The figures of all places, counted again; `on_place` is called with task, m and B before each."""
    found: Ceilings = {task: {str(m): [] for m in MODULI} for task in TASKS}
    for count in SUCCESSORS:  # all moduli share the grids of a window
        for task in TASKS:
            for m in MODULI:
                on_place(task, m, count)
                found[task][str(m)].append(ceilings_at(task, m, count))
    return found


def shipped_ceilings() -> Ceilings:
    """The figures that ship with pconv."""
    found: Ceilings = json.loads((files("pconv.report.page") / FILE).read_text("utf-8"))
    return found
