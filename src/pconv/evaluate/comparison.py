"""Several verdicts together: one run against all theories, or one theory against several seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from html import escape
from math import log
from typing import Any

from pconv import _notebook_html as html
from pconv.config import DEFAULT_THEORY, RunConfig
from pconv.data.domain import Domain
from pconv.data.tasks import tasks
from pconv.errors import InputError
from pconv.evaluate.assess import Answered, Reference
from pconv.evaluate.assessment import GUESSING_WIDTH, Settings
from pconv.evaluate.judge import judge, judge_answers
from pconv.evaluate.predict_run import NotApplicable, predict_run, raised
from pconv.evaluate.verdict import Status, Verdict
from pconv.result import Census, RunResult
from pconv.theory.registry import theories

NOT_LEARNED = (Status.UNDERFITTED, Status.OVERFITTED)
"""The network has not learned all that the theory allows."""


@dataclass(frozen=True)
class Comparison:
    """The verdicts of all theories that apply to one run."""

    verdicts: tuple[Verdict, ...]
    not_applicable: str | None = None  # why no theory applies
    failed: Mapping[str, str] = field(default_factory=dict)  # theories that raised an exception, and which

    def find(self, theory: str) -> Verdict | None:
        """The verdict on one theory; None where it does not apply."""
        return next((verdict for verdict in self.verdicts if verdict.theory == theory), None)

    def adding(self, verdict: Verdict) -> Comparison:
        """With a verdict on one more theory."""
        return replace(self, verdicts=(*self.verdicts, verdict))

    @property
    def words(self) -> dict[str, str]:
        """The status of each theory."""
        return {verdict.theory: str(verdict.status) for verdict in self.verdicts}

    @property
    def survivors(self) -> tuple[str, ...]:
        """The theories that the run confirms."""
        return tuple(v.theory for v in self.verdicts if v.status is Status.CONFIRMED)

    @property
    def sentence(self) -> str:
        if self.not_applicable:
            return self.not_applicable
        if not self.verdicts:
            reasons = "; ".join(f"{theory}: {reason}" for theory, reason in self.failed.items())
            return f"No theory could be tested ({reasons})." if reasons else "No theory applies."
        words = ", ".join(f"{v.theory} {v.status}" for v in self.verdicts)
        if not self.survivors:
            return f"The answers match no theory ({words})."
        sentence = f"The answers match {' and '.join(self.survivors)} ({words})."
        finer = [v.theory for v in self.verdicts if v.status in NOT_LEARNED]
        if finer:
            verb = "predicts" if len(finer) == 1 else "predict"
            sentence += f" The network distinguishes fewer classes than {' and '.join(finer)} {verb}."
        return sentence

    def _repr_html_(self) -> str:
        rows = [
            (
                escape(v.theory),
                html.badge(str(v.status)),
                f"{v.assessment.accuracy:.4f}",
                f"{v.assessment.ceiling:.4f}",
                f"{v.assessment.leak_rate:.2%}",
            )
            for v in self.verdicts
        ]
        header = ("theory", "verdict", "accuracy", "its ceiling", "answers outside its groups")
        return (html.table(header, rows) if rows else "") + html.paragraph(self.sentence)


def compare(result: RunResult, settings: Settings | None = None) -> Comparison:
    """The verdict of every theory that applies to the run, the built-in ones first.

    A theory that raises an exception does not affect the others: `Comparison.failed` has the reason.
    """
    return compare_answers(result.config, Answered.by(result), settings)


def compare_answers(config: RunConfig, answered: Answered, settings: Settings | None = None) -> Comparison:
    """The verdict of every theory that applies to the answers of a run's network.

    Parameters
    ----------
    config
        The run's configuration.
    answered
        The answers, and the losses that were recorded.
    settings
        Tolerance and level.

    Examples
    --------
    >>> from pconv.result import Evaluation
    >>> answers = Evaluation.from_lists([[9_000 * (i == j) for j in range(5)] for i in range(5)])
    >>> compare_answers(RunConfig(modulus=5, offsets=(0, 1)), Answered(answers)).words["signature"]
    'refuted'
    """
    verdicts, failed, domain = [], {}, Domain.of(config)
    for theory in _tested(config):
        try:
            prediction = predict_run(config, theory)
            if isinstance(prediction, NotApplicable):
                if prediction.nor_others:
                    return Comparison((), prediction.reason)
                continue
            reference = Reference.on(answered, prediction, domain)
            verdicts.append(judge_answers(answered, prediction, reference, settings))
        except Exception as error:  # of a theory that a user added: the others are judged all the same
            failed[theory] = error.allowed if isinstance(error, InputError) else raised(error)
    return Comparison(tuple(verdicts), failed=failed)


def _tested(config: RunConfig) -> list[str]:
    """The theories that a run is compared with; labels that are no residues have readers in their place."""
    task = tasks().get(config.task)
    if task is None or task.of_residue:
        return list(theories())
    return [*theories(), "size", "any"]


def census_document(census: Census, verdict: Verdict | None) -> dict[str, Any]:
    """A census as JSON, with the correct answers of each class and those inside its group."""
    confusion = census.answers.confusion
    free = verdict.prediction.pattern.tolist() if verdict and verdict.prediction else None
    classes = [
        {
            "class": c,
            "count": sum(row),
            "correct": row[c],
            "inside": sum(n for n, inside in zip(row, free[c], strict=True) if inside) if free else None,
        }
        for c, row in enumerate(confusion)
    ]
    return {**census.to_dict(), "classes": classes}


class Replication(StrEnum):
    """The possible outcomes of testing a prediction against several seeds of one configuration."""

    CONFIRMED = "confirmed"  # by every seed
    REFUTED = "refuted"  # by some seed, after correction for their number
    UNATTAINED = "unattained"  # no seed reaches the prediction, and every held-out loss has stopped falling
    MIXED = "mixed"  # some seeds confirm and others do not, or some held-out loss was still falling
    UNDECIDED = "undecided"  # some seed's sample is too small to decide, or its held-out losses are missing


@dataclass(frozen=True)
class Replicates:
    """The verdicts on one configuration under several seeds, and the status over all of them."""

    status: Replication
    verdicts: tuple[Verdict, ...]

    @property
    def sentence(self) -> str:
        counts = {status: sum(v.status is status for v in self.verdicts) for status in Status}
        words = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        theory = self.verdicts[0].theory
        return f"Over {len(self.verdicts)} seeds the theory '{theory}' is {self.status} ({words})."

    def to_dict(self) -> dict[str, Any]:
        return {
            "status": str(self.status),
            "sentence": self.sentence,
            "seeds": [v.to_dict() for v in self.verdicts],
        }


def judge_replicates(
    results: Sequence[RunResult], theory: str = DEFAULT_THEORY, settings: Settings | None = None
) -> Replicates:
    """One status over all seeds.

    Refuted if any seed knows more than the theory allows at a level corrected for the number of seeds, so
    that more seeds do not mean more false refutations; confirmed if every seed confirms; unattained if no
    seed reaches the prediction although its held-out loss has stopped falling: then the network did not
    learn all that the theory allows, and nothing shows that longer training would help. That the loss
    falls again later is not excluded.

    Parameters
    ----------
    results
        Runs of one configuration that differ in the seed.
    theory
        The theory's name.
    settings
        Tolerance and level; 1% each by default.

    Examples
    --------
    >>> from pconv import train
    >>> small = {"primes": 8, "batches": 8, "epochs": 2, "limit": 20_000, "test_size": 100}
    >>> results = [train(RunConfig(modulus=4, seed=seed, **small)) for seed in (0, 1)]
    >>> print(judge_replicates(results).sentence)  # underfitted, and not long enough to see a plateau
    Over 2 seeds the theory 'signature' is mixed (2 underfitted).
    """
    if len({replace(result.config, seed=0) for result in results}) != 1:
        raise InputError("results", len(results), "must be runs of one configuration that differ in the seed")
    settings = settings or Settings()
    verdicts = tuple(judge(result, theory, settings) for result in results)
    strict = replace(settings, level=settings.level / len(results))
    suspects = [r for r, v in zip(results, verdicts, strict=True) if v.status is Status.REFUTED]
    if any(judge(result, theory, strict).status is Status.REFUTED for result in suspects):
        status = Replication.REFUTED
    elif all(v.status is Status.CONFIRMED for v in verdicts):
        status = Replication.CONFIRMED
    elif any(v.status is Status.UNDECIDED for v in verdicts):
        status = Replication.UNDECIDED
    elif all(v.status in NOT_LEARNED for v in verdicts):
        status = _not_learned(results)
    else:
        status = Replication.MIXED
    return Replicates(status, verdicts)


def _not_learned(results: Sequence[RunResult]) -> Replication:
    """The status of seeds none of which has learned all that the theory allows."""
    ended = [has_plateaued(result) for result in results]
    if False in ended:
        return Replication.MIXED
    return Replication.UNDECIDED if None in ended else Replication.UNATTAINED


_PLATEAU = 0.01  # nats by which the last third of the epochs may still lower the held-out loss


def has_plateaued(result: RunResult) -> bool | None:
    """Whether the held-out loss has stopped falling: the last third of the epochs lowered it by little.

    False with fewer than six epochs, and while the loss is still that of guessing, ln m: many trainings
    begin with such a plateau. None if a held-out loss was not recorded.
    """
    if len(result.epochs) < 6:
        return False
    losses = [epoch.held_out_loss for epoch in result.epochs if epoch.held_out_loss is not None]
    if len(losses) < len(result.epochs):
        return None
    if min(losses) > log(len(result.test.confusion)) - GUESSING_WIDTH:
        return False
    early = losses[: 2 * len(losses) // 3]
    return min(early) - min(losses) <= _PLATEAU
