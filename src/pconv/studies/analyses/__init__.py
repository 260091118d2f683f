"""Analyses of all runs together: each answers one question, from the runs alone.

To add one, write a function with the decorator `analysis` in a module of this package.
"""

from __future__ import annotations

from collections.abc import Iterable

from pconv.registry import import_modules
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import NOT_RUN, Answer
from pconv.studies.analyses.registry import ANALYSES, Analysis, analysis

__all__ = ["ANALYSES", "NOT_RUN", "Analysis", "Answer", "analysis", "answers"]

import_modules(__name__)


def answers(runs: Iterable[JudgedRun]) -> list[tuple[Analysis, Answer]]:
    """Every analysis with its answer, in the order of the document."""
    every = list(runs)
    return [(each, each(every)) for each in sorted(ANALYSES, key=lambda each: each.order)]
