"""The data of the page's explorer: the groups and bounds of every theory and reader for all (m, B).

Groups are a string with a character per class: classes with the same character are in one group.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from string import ascii_letters, digits
from typing import Any

import numpy as np

from pconv.data.domain import Domain
from pconv.data.factorization import prime_powers
from pconv.data.tasks import Task, task_named
from pconv.report.figures.confusion import block_kinds
from pconv.report.page.reader_ceilings import COLUMNS, MODULI, SUCCESSORS, TASKS, shipped_ceilings
from pconv.theory import Prediction, Problem, Theory, design_window, theories, totient_law
from pconv.theory.labels import for_task
from pconv.theory.prediction import BasePrediction
from pconv.theory.readers import READERS
from pconv.window import successor_window

ALPHABET = digits + ascii_letters + "-_"
"""A character for each of up to 64 groups."""
IDENTIFIED = ""
"""Instead of groups, ceiling and loss floor: every class, or every label, is identified."""
AS_FIRST = "="
"""Instead of groups, ceiling and loss floor: the same as those of the first theory."""


def explorer_data() -> dict[str, Any]:
    """The explorer's data for all registered theories, as JSON values."""
    return _data(tuple(theories().values()))


@lru_cache(maxsize=1)  # takes seconds, and is the same for every page
def _data(known: tuple[Theory, ...]) -> dict[str, Any]:
    domain = Domain()
    return {
        "moduli": [MODULI[0], MODULI[-1]],
        "successors": [SUCCESSORS[0], SUCCESSORS[-1]],
        "alphabet": ALPHABET,
        "theories": [{"name": theory.name, "claim": theory.claim} for theory in known],
        "factors": {m: [list(factor) for factor in prime_powers(m)] for m in MODULI},
        "sums": {m: [_sums(m, count + 1) for count in SUCCESSORS] for m in MODULI},
        "answers": {m: [_answers(m, count, known, domain) for count in SUCCESSORS] for m in MODULI},
        "labels": {task.name: {m: _labels(task, m) for m in MODULI} for task in _labelled()},
        "bounds": {
            task.name: {m: [_bounds(task, m, count, known, domain) for count in SUCCESSORS] for m in MODULI}
            for task in _labelled()
        },
        "readers": {"claims": READERS, "columns": COLUMNS, "ceilings": shipped_ceilings()},
        "solved_from": {m: design_window(m).successors for m in MODULI},
    }


def _sums(modulus: int, rows: int) -> list[list[int]]:
    """The summands of the totient law, for each prime power of m."""
    return [
        [1] + [totient_law(p, i, rows) - totient_law(p, i - 1, rows) for i in range(1, a + 1)]
        for p, a in prime_powers(modulus)
    ]


def _answers(modulus: int, count: int, known: Iterable[Theory], domain: Domain) -> list[Any]:
    """The first letters of the kinds of all classes, then the answer of each theory."""
    problem = Problem(modulus, successor_window(count))
    predictions = [theory.predict(problem) for theory in known]
    first = predictions[0]
    assert first is not None, "the signature theory applies to every problem"
    kinds = "".join(kind[0] for kind in block_kinds(first))
    return [kinds, *(_answer(rival, first, domain) for rival in predictions)]


def _answer(rival: Prediction | None, first: Prediction, domain: Domain) -> list[Any] | str | None:
    """The groups, the ceiling and the loss floor on the domain; None where the theory does not apply."""
    if rival is None:
        return None
    if rival.solved:
        return IDENTIFIED
    if rival is not first and (rival.labels == first.labels).all():
        return AS_FIRST
    groups = "".join(ALPHABET[label] for label in rival.labels.tolist())
    return [groups, *_rounded_bounds(rival, domain)]


def _labelled() -> list[Task]:
    """The tasks other than residue: functions of n modulo m with two labels."""
    return [task_named(name) for name in TASKS if name != "residue"]


def _labels(task: Task, modulus: int) -> str:
    """The label of each class, 0 or 1."""
    return "".join(map(str, task.labels(np.arange(modulus), modulus).tolist()))


def _bounds(
    task: Task, modulus: int, count: int, known: Iterable[Theory], domain: Domain
) -> list[list[float] | str | None]:
    """The ceiling and the loss floor of the labels by each theory; None where it does not apply."""
    problem = Problem(modulus, successor_window(count))
    found: list[list[float] | str | None] = []
    for theory in known:
        residues = theory.predict(problem)
        if residues is None:
            found.append(None)
            continue
        prediction = for_task(residues, task)
        found.append(IDENTIFIED if prediction.solved else _rounded_bounds(prediction, domain))
    return found


def _rounded_bounds(prediction: BasePrediction, domain: Domain) -> list[float]:
    """The ceiling and the loss floor on the domain."""
    ceiling, floor = prediction.exact_ceiling(domain), prediction.exact_loss_floor(domain)
    assert ceiling is not None, "the domain has numbers of every class"
    assert floor is not None
    return [round(ceiling, 4), round(floor, 4)]
