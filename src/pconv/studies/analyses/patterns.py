"""The pattern of errors: which classes a network mixes, and whether that stays so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv._text import format_groups, pluralize
from pconv.config import RunConfig
from pconv.result import Evaluation
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import Answer, asked, prediction_of
from pconv.studies.catalog import PATTERN_EPOCHS
from pconv.theory.partition import connected

Pairs = NDArray[np.bool_]
"""For each pair of classes whether something holds of it."""

OVERLAP = 0.5
"""Two classes look mixed when their answers have more than this share in common."""


def observed_mixing(answers: Evaluation) -> Pairs:
    """Which classes a network mixes, from its answers alone.

    Two classes are mixed when the distributions of their answers overlap by more than half (the sum of the
    smaller shares over all answers), or when a chain of such classes joins them.

    >>> observed_mixing(Evaluation(((50, 0, 0), (0, 20, 30), (0, 25, 25)))).sum()
    np.int64(5)
    """
    counts = np.array(answers.confusion, dtype=np.float64)
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    group = connected(np.array([np.minimum(row, shares).sum(axis=1) > OVERLAP for row in shares]))
    return np.asarray(group[:, None] == group[None, :])


def _groups(mixing: Pairs) -> str:
    found = {tuple(np.flatnonzero(row).tolist()) for row in mixing if row.sum() > 1}
    return format_groups(sorted(found))


def partitions(runs: Sequence[JudgedRun]) -> Answer:
    """The mixed classes as they are seen, against the predicted ones."""
    question = "Are the classes that a network mixes those of the law?"
    if not runs:
        return Answer(question)
    seen = [(run, observed_mixing(asked(run)), prediction_of(run.config)) for run in runs]
    other = [(run, mixing, law) for run, mixing, law in seen if (mixing != law.pattern).any()]
    able = [law for _, _, law in seen if law.mixed]
    censuses = sum(run.result.census is not None for run in runs)
    exactly = f"exactly those with gcd(c+o, m) alike in every row in {len(seen) - len(other)} of {len(seen)}"
    sentence = (
        f"{pluralize(len(seen), 'run')}, {len(able)} of them with predicted mixed groups; {censuses} by "
        "census, the others by their test sets. Two classes count as mixed when their answers overlap by "
        f"more than half, which looks at no prediction. The mixed classes are {exactly} runs; the others "
        "are listed."
    )
    rows = tuple(
        (run.config.label(), _groups(mixing), format_groups(law.mixed), run.status)
        for run, mixing, law in other
    )
    headline = (
        f"The classes that look mixed are {exactly} p-Conv runs, {len(able)} of which have mixed groups "
        f"({censuses} by census)."
    )
    return Answer(question, sentence, ("run", "mixed as seen", "predicted", "verdict"), rows, headline)


class _Moment(NamedTuple):
    """One snapshot against the prediction."""

    answers: Evaluation
    mixing: Pairs
    outside: float  # share of answers outside their groups


def pattern_over_epochs(runs: Sequence[JudgedRun]) -> Answer:
    """The same network, on the same test numbers, after 10 and after 50 epochs."""
    early, late = PATTERN_EPOCHS
    question = f"Is the pattern the same at epochs {early} and {late}?"
    long = [run for run in runs if len(run.result.epochs) >= late]
    if not long:
        return Answer(question)
    rows, same, predicted = [], 0, 0
    for run in long:
        moments = {s.epoch: _moment(run, s.test) for s in run.result.snapshots if s.epoch in PATTERN_EPOCHS}
        if len(moments) < len(PATTERN_EPOCHS):
            continue
        before, after = moments[early], moments[late]
        alike = bool((before.mixing == after.mixing).all())
        same += alike
        predicted += bool((after.mixing == prediction_of(run.config).pattern).all())
        rows.append(_epochs_row(run, before, after, alike))
    without = len(long) - len(rows)
    missing = (
        f" {pluralize(without, 'run')} of {late} epochs {'has' if without == 1 else 'have'} no snapshots and "
        "cannot be compared: a run of 10 epochs beside it may have the same weights, where the best epoch is "
        "one of the first ten."
        if without
        else ""
    )
    if not rows:
        return Answer(question, f"Not known.{missing}")
    sentence = (
        f"{pluralize(len(rows), 'run')} with snapshots of both epochs, the same test numbers at both. The "
        f"mixed classes are the same at both epochs in {same}, and the predicted ones at epoch {late} in "
        f"{predicted}. What may change is which class of a group is named: the last column is the share of "
        f"answers inside mixed groups that would have to move.{missing}"
    )
    header = ("run", "mixed classes", "answers outside their groups", "accuracy", "answers that moved")
    return Answer(question, sentence, header, tuple(rows))


def _moment(run: JudgedRun, answers: Evaluation) -> _Moment:
    counts = np.array(answers.confusion)
    outside = counts[~prediction_of(run.config).pattern].sum() / counts.sum()
    return _Moment(answers, observed_mixing(answers), float(outside))


def _epochs_row(run: JudgedRun, before: _Moment, after: _Moment, alike: bool) -> tuple[str, ...]:
    return (
        run.config.label(),
        "the same" if alike else f"{_groups(before.mixing)} → {_groups(after.mixing)}",
        f"{before.outside:.2%} → {after.outside:.2%}",
        f"{before.answers.accuracy:.4f} → {after.answers.accuracy:.4f}",
        f"{_moved(run.config, before.answers, after.answers):.1%}",
    )


def _moved(config: RunConfig, before: Evaluation, after: Evaluation) -> float:
    """The least share of the mixed classes' numbers whose answer must differ between the two."""
    mixed = [c for group in prediction_of(config).mixed for c in group]
    if not mixed:
        return 0.0
    first, second = np.array(before.confusion)[mixed], np.array(after.confusion)[mixed]
    return float(np.abs(first - second).sum() / (2 * first.sum()))
