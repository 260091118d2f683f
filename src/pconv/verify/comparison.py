"""Several verdicts together: one run against all theories, or one theory against several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pconv.errors import InputError
from pconv.result import RunResult
from pconv.theory.registry import theories
from pconv.verify.assessment import Settings
from pconv.verify.statistics import holm
from pconv.verify.verdict import Status, Verdict, forecast, judge, judge_prediction, no_theory


@dataclass(frozen=True)
class Comparison:
    """One run under every theory that applies to it."""

    verdicts: tuple[Verdict, ...]
    silence: str | None = None  # why there is none

    def of(self, theory: str) -> Verdict:
        """The verdict on one of them."""
        return next(verdict for verdict in self.verdicts if verdict.theory == theory)

    @property
    def words(self) -> dict[str, str]:
        """The word for each theory."""
        return {verdict.theory: str(verdict.status) for verdict in self.verdicts}

    @property
    def survivors(self) -> tuple[str, ...]:
        """The theories that account for all that is seen."""
        return tuple(v.theory for v in self.verdicts if v.status is Status.CONFIRMED)

    @property
    def sentence(self) -> str:
        if self.silence:
            return self.silence
        words = ", ".join(f"{v.theory} {v.status}" for v in self.verdicts)
        if not self.survivors:
            return f"No theory accounts for all that is seen ({words})."
        promised_more = [v.theory for v in self.verdicts if v.status is Status.UNDERTRAINED]
        said = f"What is seen is what {' and '.join(self.survivors)} say ({words})."
        if promised_more:
            said += f" The network does not tell apart what {' and '.join(promised_more)} promised."
        return said


def compare(result: RunResult, settings: Settings | None = None) -> Comparison:
    """The verdict of every theory that applies to the run, the built-in ones first."""
    predictions = (forecast(result.config, theory) for theory in theories().values())
    verdicts = tuple(judge_prediction(result, p, settings) for p in predictions if p is not None)
    return Comparison(verdicts, no_theory(result.config))


@dataclass(frozen=True)
class Replicates:
    """One configuration under several seeds."""

    status: Status
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
    results: Sequence[RunResult], theory: str = "signature", settings: Settings | None = None
) -> Replicates:
    """One word over all seeds.

    Refuted if any seed goes beyond the theory after correction for the number of seeds, so that more seeds do
    not mean more false refutations; confirmed if every seed confirms; otherwise what holds the others back.
    """
    if len({replace(result.config, seed=0) for result in results}) != 1:
        raise InputError("results", len(results), "must be runs of one configuration that differ in the seed")
    verdicts = tuple(judge(result, theory, settings) for result in results)
    level = verdicts[0].settings.level
    beyond = holm([min([v.test.above_ceiling, *(g.pvalue for g in v.test.groups)]) for v in verdicts])
    words = [v.status for v in verdicts if v.status is not Status.REFUTED]
    if min(beyond) <= level:
        status = Status.REFUTED
    elif Status.UNDERTRAINED in words:
        status = Status.UNDERTRAINED
    elif Status.UNDECIDED in words or len(words) < len(verdicts):
        status = Status.UNDECIDED
    else:
        status = Status.CONFIRMED
    return Replicates(status, verdicts)
