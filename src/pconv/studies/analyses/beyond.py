"""Whether answers inside mixed groups depend on the class, which the theory excludes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pconv._text import pluralize
from pconv.evaluate.assessment import GroupTest, Holds, NothingBeyond, Settings
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import LEVEL, Answer, assessment, paper_network_runs
from pconv.studies.analyses.registry import analysis


class Able(NamedTuple):
    """A run with a mixed group, and the part `nothing_beyond` of its verdict."""

    run: JudgedRun
    part: NothingBeyond
    complete: bool

    @property
    def beyond(self) -> bool:
        return self.part.holds is Holds.NO

    @property
    def strongest(self) -> GroupTest:
        """The group with the largest lower bound of the effect, above chance if any group is."""
        groups = [group for group in self.part.groups if group.gain > 0 or not self.part.above_chance]
        return max(groups, key=lambda group: (group.low, group.effect))

    @property
    def below(self) -> bool:
        """Whether answers depend on the class with fewer correct ones than by chance: no usable knowledge."""
        return self.beyond and not self.part.above_chance


@analysis("Do networks ever know more than the signature?", all_networks=True, order=20)
def above_the_ceiling(runs: Sequence[JudgedRun]) -> Answer:
    """List the runs whose answers inside mixed groups depend on the class."""
    judged = [(run, found) for run in runs if (found := assessment(run))]
    if not judged:
        return Answer()
    able = [Able(run, f.nothing_beyond, f.complete) for run, f in judged if f.nothing_beyond.groups]
    own = {run.result.run_id for run in paper_network_runs(runs)}
    ours = [each for each in able if each.run.result.run_id in own]
    others = [each for each in able if each.run.result.run_id not in own]
    sentence = (
        f"{pluralize(len(runs), 'run')}: {len(runs) - len(judged)} without a verdict, "
        f"{len(judged) - len(able)} in which every class is predicted to be identified or labels are not "
        f"residues, so that nothing could be beyond, and {len(able)} with a mixed group that could show it. "
        f"p-Conv on exponents: {_count(ours)}. Other networks and representations: {_count(others)}. If the "
        f"theory holds, at most 1% of runs are called so, about {LEVEL * len(able):.1f} of these. After "
        f"correction for their number {_surely(able)} of {sum(each.beyond for each in able)} "
        f"remain{_explained(others)}.{_BELOW if any(each.below for each in able) else ''}"
    )
    rows = tuple(_row(each) for each in able if each.beyond)
    header = ("run", "numbers", "accuracy", "ceiling", "strongest group", "correct / by chance", "effect")
    return Answer(sentence, header if rows else (), rows, _headline(ours))


_BELOW = (
    " Fewer correct answers than by chance are no knowledge: classes are spread evenly over the domain, so "
    "that accidents of the training numbers that a network has picked up are wrong for the numbers that "
    "are left."
)


def _count(able: Sequence[Able]) -> str:
    if not able:
        return "no such run"
    words = Counter(str(each.part.holds) for each in able)
    complete, below = (sum(getattr(each, field) for each in able) for field in ("complete", "below"))
    return (
        f"with 99% confidence answers inside groups depend on the class in {words['no']} of "
        f"{pluralize(len(able), 'run')} ({complete} by census; {below} with fewer correct answers than by "
        f"chance), by no more than 1% in {words['yes']}, and {words['open']} are open"
    )


def _headline(ours: Sequence[Able]) -> str:
    if not ours:
        return ""
    censused = [each for each in ours if each.complete]
    above = sum(each.beyond and not each.below for each in ours)
    return (
        f"More than the signature is known in {above} of {pluralize(len(ours), 'p-Conv run')} with a mixed "
        f"group, where chance gives at most about {LEVEL * len(ours):.1f}; by census, with 99% confidence no "
        f"more than 1% of the answers in {sum(each.part.holds is Holds.YES for each in censused)} of "
        f"{len(censused)}. In {sum(each.below for each in ours)} the answers depend on the class with fewer "
        "correct ones than by chance."
    )


def _surely(able: Iterable[Able]) -> int:
    """How many still do after Bonferroni's correction for the number of runs."""
    from pconv.evaluate.judge import judge

    every = list(able)
    strict = Settings(level=LEVEL / max(1, len(every)))
    verdicts = (judge(each.run.result, settings=strict) for each in every if each.beyond)
    return sum(verdict.assessment.nothing_beyond.holds is Holds.NO for verdict in verdicts)


def _explained(others: Sequence[Able]) -> str:
    hidden = sum(each.beyond and each.run.config.representation in ("capped", "residues") for each in others)
    return f"; {hidden} on capped exponents or residues, which hide powers of primes" if hidden else ""


def _row(each: Able) -> tuple[str, ...]:
    found = assessment(each.run)
    assert found is not None
    group = each.strongest
    return (
        each.run.config.label(),
        f"{found.size:,}{' (all unseen)' if each.complete else ''}",
        f"{found.accuracy:.4f}",
        f"{found.ceiling:.4f}",
        "{" + ", ".join(map(str, group.classes[:8])) + "}",
        f"{group.correct:,} / {group.expected:,.0f}",
        f"{group.effect:.3f}, at least {group.low:.3f}",
    )
