"""What an analysis is: a question about all runs, and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import Answer, paper_network_runs

Function = Callable[[Sequence[JudgedRun]], Answer]
LAST = 1_000


@dataclass(frozen=True)
class Analysis:
    """A question and the function from runs to its answer."""

    question: str
    function: Function
    all_networks: bool
    order: int

    def __call__(self, runs: Sequence[JudgedRun]) -> Answer:
        return self.function(runs if self.all_networks else paper_network_runs(runs))


ANALYSES: list[Analysis] = []
"""All analyses, in the order of their declaration."""


def analysis(
    question: str, *, all_networks: bool = False, order: int = LAST
) -> Callable[[Function], Analysis]:
    """Decorate a function from runs to an answer: the document of results then has a section for it.

    Parameters
    ----------
    question
        The title of the section.
    all_networks
        Whether the function gets all runs, or only those of the paper's network on the paper's task.
    order
        Sections are sorted by it, those without one last.

    Examples
    --------
    A module of this package that is all of an analysis::

        @analysis("How many runs have a census?")
        def censuses(runs):
            return Answer(f"{sum(run.result.census is not None for run in runs)} of {len(runs)}.")
    """

    def register(function: Function) -> Analysis:
        ANALYSES.append(Analysis(question, function, all_networks, order))
        return ANALYSES[-1]

    return register
