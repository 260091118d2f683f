"""The pattern of errors: which classes a network mixes, and whether it changes with more epochs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pconv._text import format_groups, pluralize
from pconv.config import RunConfig
from pconv.result import Evaluation
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import Answer, evaluation_of, prediction_of
from pconv.studies.analyses.registry import analysis
from pconv.studies.mixing import Pairs, observed_mixing
from pconv.studies.paper import PATTERN_EPOCHS

EARLY, LATE = PATTERN_EPOCHS


def _groups(mixing: Pairs) -> str:
    found = {tuple(np.flatnonzero(row).tolist()) for row in mixing if row.sum() > 1}
    return format_groups(sorted(found))


@analysis("Are the classes that a network mixes those of the law?", order=10)
def partitions(runs: Sequence[JudgedRun]) -> Answer:
    """The observed groups of mixed classes against the predicted ones."""
    if not runs:
        return Answer()
    seen = [(run, observed_mixing(evaluation_of(run)), prediction_of(run.config)) for run in runs]
    other = [(run, mixing, law) for run, mixing, law in seen if (mixing != law.pattern).any()]
    able = [law for _, _, law in seen if law.mixed]
    censuses = sum(run.result.census is not None for run in runs)
    exactly = f"exactly those with gcd(c+o, m) equal in every row in {len(seen) - len(other)} of {len(seen)}"
    sentence = (
        f"{pluralize(len(seen), 'run')}, {len(able)} of them with predicted mixed groups; {censuses} by "
        "census, the others by their test sets. Two classes count as mixed when their answers overlap by "
        f"at least half, which looks at no prediction. The mixed classes are {exactly} runs; the others "
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
    return Answer(sentence, ("run", "mixed as seen", "predicted", "verdict"), rows, headline)


class _Moment(NamedTuple):
    """A snapshot compared with the prediction."""

    answers: Evaluation
    mixing: Pairs
    outside: float  # share of answers outside their groups


@analysis(f"Is the pattern the same at epochs {EARLY} and {LATE}?", order=120)
def pattern_over_epochs(runs: Sequence[JudgedRun]) -> Answer:
    """Compare the mixed classes of one network at two epochs, on the same test numbers."""
    long = [run for run in runs if len(run.result.epochs) >= LATE]
    if not long:
        return Answer()
    rows, same, predicted = [], 0, 0
    for run in long:
        moments = {s.epoch: _moment(run, s.test) for s in run.result.snapshots if s.epoch in PATTERN_EPOCHS}
        if len(moments) < len(PATTERN_EPOCHS):
            continue
        before, after = moments[EARLY], moments[LATE]
        alike = bool((before.mixing == after.mixing).all())
        same += alike
        predicted += bool((after.mixing == prediction_of(run.config).pattern).all())
        rows.append(_epochs_row(run, before, after, alike))
    without = len(long) - len(rows)
    missing = (
        f" {pluralize(without, 'run')} of {LATE} epochs {'has' if without == 1 else 'have'} no snapshots and "
        "cannot be compared: a run of 10 epochs beside it may have the same weights, where the best epoch is "
        "one of the first ten."
        if without
        else ""
    )
    if not rows:
        return Answer(f"Not known.{missing}")
    sentence = (
        f"{pluralize(len(rows), 'run')} with snapshots of both epochs, the same test numbers at both. The "
        f"mixed classes are the same at both epochs in {same}, and the predicted ones at epoch {LATE} in "
        f"{predicted}. What may change is which class of a group is named: the last column is the share of "
        f"answers inside mixed groups that would have to move.{missing}"
    )
    header = ("run", "mixed classes", "answers outside their groups", "accuracy", "answers that moved")
    return Answer(sentence, header, tuple(rows))


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
    """The least share of numbers in mixed classes whose answer differs between the two."""
    mixed = [c for group in prediction_of(config).mixed for c in group]
    first, second = np.array(before.confusion)[mixed], np.array(after.confusion)[mixed]
    return float(np.abs(first - second).sum() / (2 * max(1, first.sum())))
