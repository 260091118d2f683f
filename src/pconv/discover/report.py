"""All that a search tells about runs: the laws, the numbers that follow, and what was set aside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pconv.discover.counts import Counted, counted, discover_counts
from pconv.discover.derived import Derived, accuracies, losses
from pconv.discover.description import FOUND
from pconv.discover.formula import Formula
from pconv.discover.laws import equivalent_formulas
from pconv.discover.scoring import Law, Scorer
from pconv.discover.search import Discovery, Progress, discover
from pconv.discover.source import Sample

SHOWN = 10
"""The laws that are listed."""
_EQUIVALENT = 5  # the largest size of other forms of the first law


@dataclass(frozen=True)
class Report:
    """The laws of a sample of runs.

    Parameters
    ----------
    sample
        The runs.
    discovery
        The search; None if a given formula was scored instead.
    laws
        The laws to list, the best first.
    counts
        The laws of the number of groups, the best first.
    count_runs
        The runs that they are about.
    """

    sample: Sample
    discovery: Discovery | None
    laws: tuple[Law, ...]
    counts: tuple[Law, ...] = ()
    count_runs: tuple[Counted, ...] = ()

    @property
    def bits(self) -> float:
        """The bits of all observations without a law."""
        return sum(each.bits for each in self.sample.observations)

    @property
    def found(self) -> Law | None:
        """The first law, if it saves enough bits; else None."""
        return self.laws[0] if self.laws and self.laws[0].saved >= FOUND else None

    @cached_property
    def other_forms(self) -> list[Formula]:
        """Small formulas that mean the same as the first law."""
        return equivalent_formulas(self.laws[0].formula, _EQUIVALENT) if self.found else []

    @property
    def accuracy(self) -> Derived:
        return accuracies(self.sample.observations)

    @property
    def loss(self) -> Derived:
        return losses(self.sample.observations)

    def exceptions(self, law: Law) -> list[str]:
        """The ids of the runs that a law does not explain."""
        observations = self.sample.observations
        return [observations[i].run_id for i in np.flatnonzero(~law.explained).tolist()]

    def to_dict(self) -> dict[str, Any]:
        """The document that `pconv discover --json` prints."""
        document: dict[str, Any] = {
            "runs": len(self.sample.observations),
            "bits": self.bits,
            "found": str(self.found.formula) if self.found else None,
            "laws": [self._law(law) for law in self.laws],
            "set_aside": [vars(each) for each in self.sample.set_aside],
        }
        if self.discovery is None:
            return document
        half, explained, of = self.discovery.held_out()
        return {
            **document,
            "tried": self.discovery.tried,
            "other_forms": [str(other) for other in self.other_forms],
            "front": [self._law(law) for law in self.discovery.front],
            "fits": sorted({(law.size, law.count) for law in self.discovery.laws}),
            "held_out": {"formula": str(half.formula), "explained": explained, "of": of},
            "counts": [_count_law(law) for law in self.counts],
            "accuracy": self.accuracy.to_dict(),
            "loss": self.loss.to_dict(),
            "shuffles": list(self.discovery.controls),
        }

    def _law(self, law: Law) -> dict[str, Any]:
        return {**_count_law(law), "exceptions": self.exceptions(law)}


def _count_law(law: Law) -> dict[str, Any]:
    return {
        "formula": str(law.formula),
        "size": law.size,
        "explained": law.count,
        "of": len(law.explained),
        "saved": law.saved,
    }


def score_formula(sample: Sample, formula: Formula) -> Report:
    """The report of one given formula."""
    return Report(sample, None, (Scorer(sample.observations).law(formula),))


def search_laws(
    sample: Sample,
    max_size: int,
    shuffles: int = 0,
    on_progress: Progress | None = None,
    on_counts: Callable[[int, int], None] | None = None,
) -> Report:
    """The report of a search.

    Parameters
    ----------
    sample
        The runs.
    max_size
        The largest formulas of partitions, in symbols.
    shuffles
        How many controls are searched.
    on_progress, on_counts
        Called with the progress of the search for partitions, and of that for numbers of groups.
    """
    found = discover(sample.observations, max_size, shuffles, on_progress)
    first = found.laws[0]
    runs = counted(sample.observations)
    counts = distinct(discover_counts(runs, on_size=on_counts), SHOWN)
    laws = (first, *found.rivals(first, SHOWN - 1))
    return Report(sample, found, laws, tuple(counts), tuple(runs))


def distinct(laws: Sequence[Law], count: int) -> list[Law]:
    """The first laws that each explain another set of runs than those before."""
    sets: dict[bytes, Law] = {}
    for law in laws:
        sets.setdefault(law.explained.tobytes(), law)
    return list(sets.values())[:count]
