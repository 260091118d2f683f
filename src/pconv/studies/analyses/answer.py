"""What an answer is: a sentence that the runs decide, and the figures it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from pconv.config import PLUGIN_FIELDS, RunConfig
from pconv.models.registry import architecture_of
from pconv.result import Evaluation
from pconv.store.run import Document, JudgedRun

if TYPE_CHECKING:
    from pconv.theory.prediction import Prediction
    from pconv.theory.problem import Problem

NOT_RUN = "Not run yet."
NO_CENSUS = "no census"
LEVEL = 0.01
"""What a family of tests may reject by mistake."""


@dataclass(frozen=True)
class Answer:
    """A question, the sentence that the runs decide, and a table of the figures.

    `headline` is the result in one line, for a summary; empty where the question is of no wider interest.
    """

    question: str
    sentence: str = NOT_RUN
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    headline: str = ""


def assessment(run: JudgedRun) -> Document | None:
    """The four parts of the verdict on the signature theory; None where there is no verdict."""
    return run.verdict.get("assessment") if run.verdict else None


def asked(run: JudgedRun) -> Evaluation:
    """The answers that a verdict rests on: those of the census, or of the test set where there is none."""
    return run.result.census.answers if run.result.census else run.result.test


def source_of(run: JudgedRun) -> str:
    """Which of the two it is."""
    return "census" if run.result.census else "test"


def prediction_of(config: RunConfig) -> Prediction:
    """The signature theory's prediction for a run of the paper's task and representation."""
    from pconv.evaluate.verdict import question_of  # loads scipy

    return _prediction(question_of(config))


@cache  # runs that differ in their networks share it
def _prediction(question: Problem) -> Prediction:
    from pconv.theory.registry import theory_named

    prediction = theory_named("signature").predict(question)
    assert prediction is not None, "the theory applies to every grid of exponents"
    return prediction


def p_conv(runs: Iterable[JudgedRun]) -> list[JudgedRun]:
    """The runs of the paper's network on the paper's task."""
    return [
        run for run in runs if all(getattr(run.config, f) == getattr(RunConfig, f) for f in PLUGIN_FIELDS)
    ]


def groups_by(runs: Iterable[JudgedRun], *free: str) -> list[list[JudgedRun]]:
    """Runs that differ in nothing but these fields, where there are several; each sorted by them."""
    found: dict[RunConfig, list[JudgedRun]] = {}
    alike = {name: getattr(RunConfig, name) for name in free}
    for run in runs:
        found.setdefault(replace(run.config, **alike), []).append(run)
    several = (members for members in found.values() if len(members) > 1)
    return [sorted(members, key=lambda run: [getattr(run.config, f) for f in free]) for members in several]


def apart(groups: Iterable[Sequence[JudgedRun]]) -> list[float]:
    """For each group, whether its runs' test accuracies differ by more than chance: Holm over all groups."""
    from pconv.evaluate.statistics import holm, one_rate_pvalue  # loads scipy

    tests = [[run.result.test for run in group] for group in groups]
    return holm([one_rate_pvalue([t.correct for t in ts], [t.size for t in ts]) for ts in tests])


def name(config: RunConfig) -> str:
    """A run as a table names it; what is as the quick preset has it is left out.

    >>> name(RunConfig(modulus=17, kernel=3, seed=2))
    'm=17, B=8, k=3, seed 2'
    >>> name(RunConfig(modulus=17, architecture="mlp"))
    'm=17, B=8, mlp'
    """
    straight = config.offsets == tuple(range(config.rows))
    window = f"B={config.rows - 1}" if straight else f"offsets {_listed(config.offsets)}"
    parts = [f"m={config.modulus}", window]
    if architecture_of(config).convolves:
        parts.append(f"k={_listed(config.kernel)}")
    for field, letter in (("channels", "C="), ("batches", "r="), ("batch_size", "s="), ("epochs", "t=")):
        if getattr(config, field) != getattr(RunConfig, field):
            parts.append(f"{letter}{_listed(getattr(config, field))}")
    if config.primes != RunConfig.primes:
        parts.append(f"N={config.primes:,}")
    kinds = (getattr(config, field) for field in PLUGIN_FIELDS)
    parts += [
        kind for kind, field in zip(kinds, PLUGIN_FIELDS, strict=True) if kind != getattr(RunConfig, field)
    ]
    for field, word in _RARE.items():
        if getattr(config, field) != getattr(RunConfig, field):
            parts.append(f"{word} {getattr(config, field):,}")
    if config.seed:
        parts.append(f"seed {config.seed}")
    return ", ".join(parts)


_RARE = {"limit": "limit", "smooth": "smooth", "learning_rate": "rate", "weight_decay": "decay"}


def _listed(value: int | Sequence[int]) -> str:
    return str(value) if isinstance(value, int) else ",".join(map(str, value))


def chance(pvalue: float) -> str:
    """A p-value as a table shows it.

    >>> chance(0.25), chance(0.0004), chance(1e-12)
    ('0.25', '4e-04', '< 1e-9')
    """
    if pvalue < 1e-9:
        return "< 1e-9"
    return f"{pvalue:.2f}" if pvalue >= 0.01 else f"{pvalue:.0e}"


def is_chance(pvalue: float) -> str:
    """A p-value as a sentence shows it, with its sign.

    >>> is_chance(0.25), is_chance(1e-12)
    ('= 0.25', '< 1e-9')
    """
    shown = chance(pvalue)
    return shown if shown.startswith("<") else f"= {shown}"
