"""What the grid of one number determines of its label, and what is left to chance."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv.config import MAX_NUMBER
from pconv.data.factorization import prime_powers
from pconv.errors import InputError
from pconv.theory.explain import Explanation, explain_number
from pconv.theory.readers.evidence import label_laws
from pconv.theory.readers.reading import READERS, Readers
from pconv.theory.readers.task_problem import TaskProblem, visible_products
from pconv.theory.table import Table

SHOWN_LABELS = 8
"""The most labels that a table has."""


class LabelShares(NamedTuple):
    """The labels that a reader leaves open for one number."""

    reader: str
    numbers: int | None  # of the domain with the same evidence; None for `limit`
    shares: NDArray[np.float64]  # probability of each label


def label_shares(readers: Readers, number: int) -> list[LabelShares]:
    """What each reader leaves open about the label of a number; `limit` alone for one outside the domain."""
    problem = readers.problem
    found = []
    problem.check_own_row()
    if problem.splitting is not None:
        part = visible_products(number, number + 1, problem.primes, problem.cap)
        found.append(LabelShares("limit", None, label_laws(problem, part)[0]))
    place = int(np.searchsorted(problem.numbers, number))
    if place == len(problem.numbers) or problem.numbers[place] != number:
        return found
    if problem.splitting is None:
        found.append(LabelShares("limit", None, readers.limit_laws[readers.evidence("limit")[place]]))
    for reader in list(READERS)[1:]:
        evidence = readers.evidence(reader)
        labels = problem.labels[evidence == evidence[place]]
        counts = np.bincount(labels, minlength=problem.classes)
        found.append(LabelShares(reader, len(labels), counts / len(labels)))
    return found


def explain_label(readers: Readers, number: int) -> Explanation:
    """What the visible part of a number determines of its label, and what each reader leaves to chance.

    >>> from pconv.config import RunConfig
    >>> mobius = TaskProblem.of(RunConfig(modulus=3, task="mobius", limit=10_000, primes=4))
    >>> print(explain_label(Readers(mobius), 12).sentences[1])
    So the label is determined: 0.
    """
    problem = readers.problem
    if not max(1, 1 - problem.offsets[0]) <= number <= MAX_NUMBER - max(0, problem.offsets[-1]):
        allowed = f"it and all of {problem.problem.window} must be from 1 to {MAX_NUMBER}"
        raise InputError("number", number, allowed)
    shares = label_shares(readers, number)
    names = problem.task.label_names(problem.modulus)
    truth = int(problem.task.labels(np.array([number]), problem.modulus)[0])
    sentences = [
        _visible(problem, number),
        *_left_to_chance(shares, names),
        f"In truth it is {names[truth]}.",
    ]
    if len(shares) <= 1:
        sentences.append(f"n is not among the {len(problem.numbers):,} numbers of the domain.")
    title = f"The task {problem.task.name} at n = {number} through {problem.problem.window}"
    return Explanation(title, tuple(sentences), table=_table(shares, names) if shares else None)


def why_label(problem: TaskProblem, number: int) -> str:
    """What a number shows of its label, prime by prime, without counting on the domain.

    >>> from pconv.config import RunConfig
    >>> why_label(TaskProblem.of(RunConfig(modulus=2, task="squarefree", primes=4)), 12)
    'Row n shows 2^2 * 3 = 12; prime factors beyond 7 are not shown. So the label is determined: no.'
    """
    if problem.lacks_own_row:
        return f"The task {problem.task.name} is about the row n itself, which the window does not contain."
    if problem.splitting is None:
        return " ".join(explain_number(problem.problem, number).sentences)
    part = visible_products(number, number + 1, problem.primes, problem.cap)
    limit = LabelShares("limit", None, label_laws(problem, part)[0])
    names = problem.task.label_names(problem.modulus)
    return " ".join([_visible(problem, number), *_left_to_chance([limit], names)])


def _visible(problem: TaskProblem, number: int) -> str:
    """What the row, or for functions of n modulo m the window, shows."""
    if problem.splitting is None:
        return " ".join(explain_number(problem.problem, number).sentences)
    seen = set(problem.primes.tolist())
    powers = [
        (p, e if problem.cap is None else min(e, problem.cap)) for p, e in prime_powers(number) if p in seen
    ]
    part = " * ".join(f"{p}^{e}" if e > 1 else str(p) for p, e in powers) or "1"
    whole = prod(p**e for p, e in powers)
    equals = f" = {whole}" if str(whole) != part else ""
    last = int(problem.primes[-1]) if len(seen) else 1
    capped = "" if problem.cap is None else f", and exponents above {problem.cap} are shown as {problem.cap}"
    return f"Row n shows {part}{equals}; prime factors beyond {last} are not shown{capped}."


def _left_to_chance(shares: list[LabelShares], names: tuple[str, ...]) -> list[str]:
    if not shares:
        return []
    limit = shares[0].shares
    if limit.max() > 1 - 1e-12:
        return [f"So the label is determined: {names[int(limit.argmax())]}."]
    excluded = [name for name, share in zip(names, limit, strict=True) if share == 0]
    sentences = ["The label is not determined; what is not shown decides."]
    if excluded and len(excluded) <= SHOWN_LABELS:
        sentences.append(f"Excluded among all integers, up to a density of 0: {', '.join(excluded)}.")
    return sentences


def _table(shares: list[LabelShares], names: tuple[str, ...]) -> Table:
    """The probability of each label, or of the likeliest ones, for each reader."""
    likeliest = np.argsort(-np.max([each.shares for each in shares], axis=0), kind="stable")
    chosen = np.sort(likeliest[:SHOWN_LABELS])
    rows = tuple(
        (
            each.reader,
            "-" if each.numbers is None else f"{each.numbers:,}",
            *(f"{each.shares[label]:.4f}" for label in chosen),
        )
        for each in shares
    )
    caption = "probability of each label" + (
        f" (the likeliest {SHOWN_LABELS})" if len(names) > len(chosen) else ""
    )
    return Table(caption, ("reader", "numbers alike", *(names[label] for label in chosen)), rows)
