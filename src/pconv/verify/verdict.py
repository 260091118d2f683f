"""A prediction against a run: confirmed, undertrained, refuted or undecided, and the statistics behind it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pconv.arithmetic.domain import Domain
from pconv.arithmetic.tasks import task_named, tasks
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.result import Evaluation, RunResult
from pconv.theory.merged import Forecast, merged
from pconv.theory.question import Question
from pconv.theory.registry import Theory, theory_named
from pconv.verify.assessment import Assessment, Settings, assess, size_that_decides
from pconv.verify.statistics import chance_of_difference


class Status(StrEnum):
    """The word."""

    CONFIRMED = "confirmed"  # nothing leaks, the ceiling is attained, nothing goes beyond it
    UNDERTRAINED = "undertrained"  # leaks or falls short, nothing beyond
    REFUTED = "refuted"  # the network knows more than the theory allows
    UNDECIDED = "undecided"  # too few numbers


@dataclass(frozen=True)
class Memory:
    """Test numbers near a training number against those of the gap set."""

    near_accuracy: float
    gap_accuracy: float
    pvalue: float
    memorised: bool  # the difference is significant


@dataclass(frozen=True)
class Verdict:
    """A word, and what it rests on."""

    theory: str
    status: Status
    test: Assessment
    gap: Assessment | None  # None: no test number is far from all training numbers
    memory: Memory | None
    needed: int | None  # where undecided: the test size that would decide, if any would
    settings: Settings

    @property
    def sentence(self) -> str:
        """The verdict as one would say it."""
        return f"The theory '{self.theory}' is {self.status}: {_because(self)}{_remembered(self.memory)}"

    def to_dict(self) -> dict[str, Any]:
        """The `verdict` of a run's JSON document."""
        return {
            "theory": self.theory,
            "status": str(self.status),
            "sentence": self.sentence,
            "tolerance": self.settings.tolerance,
            "level": self.settings.level,
            "needed": self.needed,
            "test": self.test.to_dict(),
            "gap": self.gap.to_dict() if self.gap else None,
            "memory": asdict(self.memory) if self.memory else None,
        }

    def _repr_html_(self) -> str:
        return f"<p><b>{self.status}</b> &mdash; {self.sentence}</p>"


def question_of(config: RunConfig) -> Question:
    """What the theories are asked about a run."""
    return Question(config.modulus, config.offsets, config.primes)


def no_theory(config: RunConfig) -> str | None:
    """Why no theory applies to a run; None where theories may speak."""
    task = tasks().get(config.task)
    if task is None:
        return f"The task {config.task} is not known here."
    if task.of_residue:
        return None
    return f"No theory applies: the task {config.task} is not a function of n modulo m."


def forecast(config: RunConfig, theory: Theory) -> Forecast | None:
    """What the theory says about a run; None where it has nothing to say."""
    if no_theory(config):
        return None
    prediction = theory.predict(question_of(config))
    return prediction and merged(prediction, task_named(config.task))


def predicted(config: RunConfig, theory: str) -> Forecast:
    """What the theory says about a run; an error where it has nothing to say."""
    says = forecast(config, theory_named(theory))
    if says is None:
        raise InputError(
            "theory", theory, no_theory(config) or "does not speak of this window and these columns"
        )
    return says


def judge(result: RunResult, theory: str = "signature", settings: Settings | None = None) -> Verdict:
    """Put a theory to the test of a run; the test set is one that nothing was selected on."""
    return judge_prediction(result, predicted(result.config, theory), settings)


def judge_prediction(result: RunResult, prediction: Forecast, settings: Settings | None = None) -> Verdict:
    """Put a prediction to the test of a run."""
    ceiling = prediction.exact_ceiling(Domain.of(result.config))
    if ceiling is None:  # fewer numbers than classes: the frequencies say nothing
        ceiling = float(prediction.ceiling)
    return judge_answers(result.test, prediction, ceiling, result.gap, settings)


def judge_answers(
    answers: Evaluation,
    prediction: Forecast,
    ceiling: float,
    far: Evaluation | None = None,
    settings: Settings | None = None,
) -> Verdict:
    """Put a prediction to the test of answers; `far` are those to numbers far from all training numbers."""
    settings = settings or Settings()
    test = assess(answers, prediction, ceiling, settings)
    status = _status(test)
    return Verdict(
        theory=prediction.theory,
        status=status,
        test=test,
        gap=assess(far, prediction, ceiling, settings) if far else None,
        memory=_memory(answers, far, settings.level) if far else None,
        needed=size_that_decides(test, settings) if status is Status.UNDECIDED else None,
        settings=settings,
    )


def _status(test: Assessment) -> Status:
    if test.beyond:
        return Status.REFUTED
    if test.leaks or test.short:
        return Status.UNDERTRAINED
    if test.sealed and test.sharp:
        return Status.CONFIRMED
    return Status.UNDECIDED


def _memory(test: Evaluation, gap: Evaluation, level: float) -> Memory | None:
    """A difference between the two sets is memorising: the theory knows nothing of training numbers."""
    near = test.size - gap.size
    if near == 0:
        return None
    gap_right = round(gap.accuracy * gap.size)
    near_right = round(test.accuracy * test.size) - gap_right
    pvalue = chance_of_difference(near_right, near - near_right, gap_right, gap.size - gap_right)
    return Memory(near_right / near, gap.accuracy, pvalue, pvalue <= level)


def _because(verdict: Verdict) -> str:
    test, settings = verdict.test, verdict.settings
    seen = (
        f"{test.leaked:,} of {test.size:,} answers leave the predicted groups (at most "
        f"{test.leak_bound:.2%}, tolerance {settings.tolerance:.0%}) and accuracy is {test.accuracy:.4f} "
        f"where the ceiling is {test.ceiling:.4f}"
    )
    if verdict.status is Status.CONFIRMED:
        return f"{seen}; nothing goes beyond it (level {settings.level:.0%})."
    if verdict.status is Status.UNDERTRAINED:
        return f"{seen}. The network has not learned all that the theory allows, and nothing beyond it."
    if verdict.status is Status.UNDECIDED:
        wanted = f"{verdict.needed:,}" if verdict.needed else "more than a billion"
        return f"{seen}, which is too little data to say; a test set of {wanted} numbers would decide."
    return f"{_beyond(test)}. This may mean a better theory, multiplication learned, or memorised neighbours."


def _beyond(test: Assessment) -> str:
    found = []
    if test.above_ceiling <= test.level:
        above = f"accuracy {test.accuracy:.4f} is above the ceiling {test.ceiling:.4f}"
        found.append(f"{above} ({_p(test.above_ceiling)})")
    if test.groups_beyond:
        strongest = min(test.groups_beyond, key=lambda group: group.pvalue)
        classes = ", ".join(map(str, strongest.classes))
        found.append(
            f"labels are right more often than chance inside {len(test.groups_beyond)} of {len(test.groups)} "
            f"mixed groups, in {{{classes}}} {strongest.right:,} times where chance gives "
            f"{strongest.expected:,.1f} ({_p(strongest.pvalue)})"
        )
    return "; ".join(found)


def _remembered(memory: Memory | None) -> str:
    if memory is None or not memory.memorised:
        return ""
    return (
        f" It remembers neighbours: accuracy is {memory.near_accuracy:.4f} near training numbers "
        f"and {memory.gap_accuracy:.4f} away from them ({_p(memory.pvalue)})."
    )


def _p(value: float) -> str:
    return f"p = {value:.1g}" if value > 1e-300 else "p < 1e-300"
