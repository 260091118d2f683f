"""What an analysis gives, and what analyses share: predictions, groups of runs, labels, p-values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any

from pconv.config import PLUGIN_FIELDS, RunConfig
from pconv.evaluate.assessment import Assessment
from pconv.evaluate.predict_run import problem_of
from pconv.result import Evaluation
from pconv.store.run import JudgedRun

if TYPE_CHECKING:
    from pconv.theory.prediction import Prediction
    from pconv.theory.problem import Problem

NOT_RUN = "Not run yet."
NO_CENSUS = "no census"
LEVEL = 0.01
"""The family-wise error rate of tests."""


@dataclass(frozen=True)
class Answer:
    """The result of an analysis: a sentence, and a table of the figures it rests on.

    `headline` is the result in one line for the summary of the document; empty: it is not part of that.
    """

    sentence: str = NOT_RUN
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    headline: str = ""


def assessment(run: JudgedRun) -> Assessment | None:
    """The assessment behind the verdict on the signature theory; None where there is no verdict."""
    return run.verdict.assessment if run.verdict else None


def evaluation_of(run: JudgedRun) -> Evaluation:
    """The evaluation that a verdict rests on: the census, or the test set where there is none."""
    return run.result.census.answers if run.result.census else run.result.test


def evaluated_on(run: JudgedRun) -> str:
    """Which of the two `evaluation_of` gives: "census" or "test"."""
    return "census" if run.result.census else "test"


def prediction_of(config: RunConfig) -> Prediction:
    """The signature theory's prediction for a run of the paper's task and representation."""
    return _prediction(problem_of(config))


@cache  # runs that differ in their networks share it
def _prediction(problem: Problem) -> Prediction:
    from pconv.theory.registry import theory_named

    prediction = theory_named("signature").predict(problem)
    assert prediction is not None, "the theory applies to every grid of exponents"
    return prediction


def paper_network_runs(runs: Iterable[JudgedRun]) -> list[JudgedRun]:
    """The runs of the paper's network on the paper's task and representation."""
    return [
        run for run in runs if all(getattr(run.config, f) == getattr(RunConfig, f) for f in PLUGIN_FIELDS)
    ]


def groups_by(runs: Iterable[JudgedRun], *free: str) -> list[list[JudgedRun]]:
    """Groups of two or more runs that differ only in these fields; each group is sorted by them."""
    # not a configuration with defaults in their place: a deep network does not fit every number of columns
    names = [field.name for field in fields(RunConfig) if field.name not in free]
    found: dict[tuple[Any, ...], list[JudgedRun]] = {}
    for run in runs:
        found.setdefault(tuple(getattr(run.config, name) for name in names), []).append(run)
    several = (members for members in found.values() if len(members) > 1)
    return [sorted(members, key=lambda run: [getattr(run.config, f) for f in free]) for members in several]


def equal_accuracy_pvalues(groups: Iterable[Sequence[JudgedRun]]) -> list[float]:
    """For each group the p-value that its runs have one test accuracy, corrected by Holm over all groups."""
    from pconv.evaluate.statistics import holm, one_rate_pvalue  # loads scipy

    tests = [[run.result.test for run in group] for group in groups]
    return holm([one_rate_pvalue([t.correct for t in ts], [t.size for t in ts]) for ts in tests])


def format_pvalue(pvalue: float) -> str:
    """A p-value for a table.

    >>> format_pvalue(0.25), format_pvalue(0.0004), format_pvalue(1e-12)
    ('0.25', '4e-04', '< 1e-9')
    """
    if pvalue < 1e-9:
        return "< 1e-9"
    return f"{pvalue:.2f}" if pvalue >= 0.01 else f"{pvalue:.0e}"


def pvalue_relation(pvalue: float) -> str:
    """A p-value for a sentence, after "p".

    >>> pvalue_relation(0.25), pvalue_relation(1e-12)
    ('= 0.25', '< 1e-9')
    """
    shown = format_pvalue(pvalue)
    return shown if shown.startswith("<") else f"= {shown}"
