"""The distance of errors outside the groups from the true class."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv._text import pluralize
from pconv.config import RunConfig
from pconv.data.primes import primes_below
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import Answer, evaluation_of, prediction_of
from pconv.studies.analyses.registry import analysis

Table = NDArray[np.int64]
Pairs = NDArray[np.bool_]
"""A property of each pair of classes."""

ENOUGH = 100
"""The least number of answers outside their groups from which a share is computed."""


class _Errors(NamedTuple):
    """Counts of answers outside their groups: all, and those near the true class, observed and expected."""

    outside: int
    near: int
    uniform: float  # near ones if every class outside the group were as likely
    in_rows: int  # those between classes that each have a row of their own
    next_row: int
    uniform_rows: float


@analysis("Are errors outside the groups near the diagonal?", order=130)
def near_diagonal(runs: Sequence[JudgedRun]) -> Answer:
    """The share of answers outside their groups that are off by one class, or by one row."""
    found = [(run, _errors(run)) for run in runs]
    enough = [(run, errors) for run, errors in found if errors.outside >= ENOUGH]
    if not enough:
        return Answer()
    typical = _typical([errors for _, errors in enough])
    more = sum(errors.near > errors.uniform for _, errors in enough)
    special = [pair for pair in enough if _is_in_paper(pair[0].config)]
    special.sort(key=lambda pair: (pair[0].config.primes, pair[0].config.kernel, pair[0].config.seed))
    shares = [errors.near / errors.outside for _, errors in special]
    span = f" At m=23, B=24 that share is from {min(shares):.0%} to {max(shares):.0%}." if shares else ""
    sentence = (
        f"{pluralize(len(enough), 'run')} of {len(found)} have at least {ENOUGH} answers outside their "
        f"groups. In the median run {typical[0]} of these are off by exactly one class modulo m, where "
        f"errors spread evenly would give {typical[1]}; the share is above the even one in {more} of "
        f"{len(enough)}.{span} For prime m, between classes that each have a row that m divides, "
        f"{typical[2]} are off by one row (evenly {typical[3]}). Rows of a kernel are medians over its runs."
    )
    rows = [_errors_row(run.config.label(), f"{e.outside:,}", [e]) for run, e in special]
    for kernel in sorted({run.config.kernel for run, _ in enough}):
        own = [errors for run, errors in enough if run.config.kernel == kernel]
        label = f"k={','.join(map(str, kernel))}, {pluralize(len(own), 'run')}"
        rows.append(_errors_row(label, f"{median(e.outside for e in own):,.0f}", own))
    header = ("runs", "outside", "off by one class", "evenly", "off by one row", "evenly, rows")
    return Answer(sentence, header, tuple(rows))


def _is_in_paper(config: RunConfig) -> bool:
    """Whether the paper discusses this confusion matrix: it finds most errors close to the diagonal."""
    return (config.modulus, config.offsets) == (23, tuple(range(25)))


def _errors(run: JudgedRun) -> _Errors:
    m, prediction = run.config.modulus, prediction_of(run.config)
    counts = np.where(prediction.pattern, 0, np.array(evaluation_of(run).confusion))
    distance = np.abs(np.subtract.outer(np.arange(m), np.arange(m)))
    near = np.minimum(distance, m - distance) == 1
    rows = _rows_apart(run.config)
    in_rows = np.where(rows < 0, 0, counts)
    return _Errors(
        int(counts.sum()),
        int(counts[near].sum()),
        _uniform(counts, ~prediction.pattern, near),
        int(in_rows.sum()),
        int(in_rows[rows == 1].sum()),
        _uniform(in_rows, ~prediction.pattern & (rows >= 0), rows == 1),
    )


def _uniform(counts: Table, free: Pairs, near: Pairs) -> float:
    """The expected number of near errors if each class's errors were uniform over the allowed answers."""
    return float((counts.sum(axis=1) * (free & near).sum(axis=1) / np.maximum(1, free.sum(axis=1))).sum())


def _rows_apart(config: RunConfig) -> Table:
    """The distance of the rows in which m divides, for two classes; -1 without such rows, or m not prime."""
    m = config.modulus
    apart = np.full((m, m), -1, dtype=np.int64)
    if m not in primes_below(m + 1):
        return apart
    rows = [[i for i, offset in enumerate(config.offsets) if (c + offset) % m == 0] for c in range(m)]
    for c, own in enumerate(rows):
        for other, others in enumerate(rows):
            if own and others:
                apart[c, other] = min(abs(i - j) for i in own for j in others)
    return apart


def _typical(errors: Sequence[_Errors]) -> tuple[str, ...]:
    """Medians over runs of four shares: off by one class, observed and uniform; off by one row, likewise."""
    in_rows = [e for e in errors if e.in_rows]
    shares = (
        [e.near / e.outside for e in errors],
        [e.uniform / e.outside for e in errors],
        [e.next_row / e.in_rows for e in in_rows],
        [e.uniform_rows / e.in_rows for e in in_rows],
    )
    return tuple(f"{median(each):.0%}" if each else "–" for each in shares)


def _errors_row(label: str, outside: str, errors: Sequence[_Errors]) -> tuple[str, ...]:
    return label, outside, *_typical(errors)
