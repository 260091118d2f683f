"""Hypotheses that experiments eliminate: laws, each with its prediction for every possible experiment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pconv.config import RunConfig
from pconv.data.domain import Domain
from pconv.discover.enumeration import Seen
from pconv.discover.evaluation import ClassFrames, Evaluator, WindowCase
from pconv.discover.formula import CLASS_VARIABLES, Formula
from pconv.discover.laws import distinct_laws, probe_for
from pconv.discover.observation import (
    ACCURACY,
    Observation,
    accuracy_bits,
    merged_labels,
    partition_bits,
)
from pconv.discover.partitions import Leaders, multipliers, partition_of
from pconv.discover.scoring import Scorer, best_accuracy
from pconv.discover.search import Progress
from pconv.errors import InputError


class Hypotheses:
    """The laws up to a size that differ on the probe and in some experiment, and which of them survive.

    Parameters
    ----------
    cases
        The cases that can be tested by an experiment.
    max_size
        The largest formulas, in symbols.
    on_progress
        Called now and then with the number of laws evaluated so far and that of all.
    task
        The task of the experiments. Where it merges classes, they show an accuracy and no partition.

    Examples
    --------
    >>> some = Hypotheses([WindowCase(4, (0, 1)), WindowCase(6, (0,))], max_size=3)
    >>> some.left, [str(formula) for formula in some.simplest(4)]
    (38, ['n', 'm', 'rad(n)', 'phi(n)'])
    """

    def __init__(
        self,
        cases: Sequence[WindowCase],
        max_size: int,
        on_progress: Progress | None = None,
        task: str = RunConfig.task,
    ) -> None:
        self.cases = list(cases)
        self._labels = [merged_labels(task, case.modulus) for case in self.cases]
        self._frames = ClassFrames(self.cases)
        evaluator, seen = Evaluator(self._frames), Seen()
        weights = multipliers(self._frames.base)
        formulas = list(distinct_laws(max_size, probe_for(self.cases)))
        self.formulas: list[Formula] = []
        found: list[Leaders] = []
        for done, formula in enumerate(formulas):
            if on_progress and done % 100 == 0:
                on_progress(done, len(formulas))
            try:
                leaders = partition_of(formula, evaluator)
            except InputError:  # its values are too large to be exact
                continue
            if len(seen.new((leaders.astype(np.uint64) * weights).sum(keepdims=True, dtype=np.uint64))):
                self.formulas.append(formula)
                found.append(leaders)
        self._leaders = np.array(found)  # (laws, classes of all cases)
        self.alive = np.ones(len(self.formulas), dtype=bool)
        bits = np.array([formula.bits(CLASS_VARIABLES) for formula in self.formulas])
        self._weights = 2.0 ** -(bits - bits.min())

    @property
    def left(self) -> int:
        """How many hypotheses survive."""
        return int(self.alive.sum())

    def simplest(self, count: int) -> list[Formula]:
        """The smallest hypotheses that survive."""
        return [self.formulas[i] for i in np.flatnonzero(self.alive)[:count].tolist()]

    def answers(self, case: int) -> NDArray[np.float64]:
        """The probabilities of the different answers that the survivors predict for a case, largest first.

        A hypothesis of b bits has a weight of 2^-b.
        """
        leaders = self._leaders[self.alive][:, self._frames.slices[case]]
        partitions, answer = np.unique(leaders, axis=0, return_inverse=True)
        if labels := self._labels[case]:
            counts = self._class_counts(case)
            accuracy = np.array([best_accuracy(each, labels, counts) for each in partitions])
            answer = np.rint(accuracy / (2 * ACCURACY)).astype(np.int64)[answer]
            _, answer = np.unique(answer, return_inverse=True)
        weights = np.bincount(answer.ravel(), self._weights[self.alive])
        return np.sort(weights / weights.sum())[::-1]

    def _class_counts(self, case: int) -> list[int]:
        modulus, offsets = self.cases[case]
        found: list[int] = Domain(lowest_offset=min(0, offsets[0])).class_counts(modulus).tolist()
        return found

    def gain(self, case: int) -> float:
        """The bits that an experiment on a case is expected to tell: the entropy of its answer."""
        shares = self.answers(case)
        return float(-(shares * np.log2(shares)).sum())

    def test_bits(self, case: int) -> float:
        """The bits that a case can save for the smallest survivor: how sharply it predicts what is seen."""
        if self._labels[case]:
            return accuracy_bits(self._labels[case], self._class_counts(case))
        leaders = self._leaders[np.flatnonzero(self.alive)[0], self._frames.slices[case]]
        return partition_bits(leaders)

    def eliminate(self, seen: Observation) -> list[Formula]:
        """Drops the hypotheses that an observation contradicts, and returns them, the smallest first."""
        own = self._frames.slices[self.cases.index(seen.case)]
        scorer = Scorer([seen])
        agrees = np.array([scorer.explained(leaders)[0] for leaders in self._leaders[:, own]])
        fallen = self.alive & ~agrees
        self.alive &= agrees
        return [self.formulas[i] for i in np.flatnonzero(fallen).tolist()]
