"""The search: every law up to a size, ranked by the bits that it saves in describing what was observed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.discover.description import FOUND, exception_bits
from pconv.discover.formula import CLASS_VARIABLES, Formula
from pconv.discover.laws import distinct_laws, probe_for
from pconv.discover.observation import Observation
from pconv.discover.partitions import partition_of
from pconv.discover.scoring import Law, Scorer
from pconv.discover.simulation import shuffled
from pconv.errors import InputError

MAX_SIZE = 6
"""The largest formulas of a search, in symbols, where no other size is asked for."""
LARGEST = 7
"""There are about ten times as many laws of every further size."""

Progress = Callable[[int, int], None]
"""Called with the number of laws that are scored so far, and with that of all."""


@dataclass(frozen=True)
class Discovery:
    """What a search found.

    Parameters
    ----------
    observations
        The runs that the laws are about.
    formulas
        The laws that explain some run with mixed classes, and the smallest ones.
    explained
        Which law explains which observation.
    controls
        For each control, a search on observations made random by `shuffled`, the most bits that a law saves.
    tried
        How many laws were tried: each differs from the others on the probe.
    """

    observations: Sequence[Observation]
    formulas: Sequence[Formula]
    explained: NDArray[np.bool_]  # (laws, observations)
    controls: Sequence[float]
    tried: int

    def saved(self, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """The bits that each law saves, on all or some of the observations."""
        every = np.ones(len(self.observations), dtype=bool)
        return _saved(self._law_bits, self._bits, self.explained, every if chosen is None else chosen)

    @cached_property
    def laws(self) -> list[Law]:
        """All laws, the one that saves most first; of equals the smaller one."""
        saved = self.saved()
        return [self._law(i, saved) for i in np.argsort(-saved, kind="stable").tolist()]

    @property
    def randomized(self) -> str:
        """What is random in the controls."""
        words = []
        if any(each.leaders for each in self.observations):
            words.append("classes renamed")
        if any(each.labels for each in self.observations):
            words.append("accuracies drawn")
        return f"{' and '.join(words)} at random"

    @property
    def found(self) -> Law | None:
        """The best law, if it saves enough bits not to be an accident; else None."""
        return self.laws[0] if self.laws and self.laws[0].saved >= FOUND else None

    @cached_property
    def front(self) -> list[Law]:
        """For growing size the laws that explain more than every smaller one."""
        best: list[Law] = []
        for law in sorted(self.laws, key=lambda law: (law.size, -law.count, -law.saved)):
            if not best or (law.size > best[-1].size and law.count > best[-1].count):
                best.append(law)
        return best

    def rivals(self, law: Law, count: int) -> list[Law]:
        """The next best laws, each explaining another set of observations than those before it."""
        sets = {law.explained.tobytes()}
        others: list[Law] = []
        for other in self.laws:
            if len(others) < count and other.explained.tobytes() not in sets:
                sets.add(other.explained.tobytes())
                others.append(other)
        return others

    def held_out(self, seed: int = 0) -> tuple[Law, int, int]:
        """The best law of a random half of the observations, and how many of the other half it explains.

        The law is scored on all observations; the two numbers are those explained and all of the other half.
        """
        order = np.random.default_rng(seed).permutation(len(self.observations))
        used = np.zeros(len(order), dtype=bool)
        used[order[: (len(order) + 1) // 2]] = True
        best = int(np.argmax(self.saved(used)))
        return self._law(best, self.saved()), int(self.explained[best, ~used].sum()), int((~used).sum())

    @cached_property
    def _law_bits(self) -> NDArray[np.float64]:
        return np.array([formula.bits(CLASS_VARIABLES) for formula in self.formulas])

    @cached_property
    def _bits(self) -> NDArray[np.float64]:
        return np.array([each.bits for each in self.observations])

    def _law(self, place: int, saved: NDArray[np.float64]) -> Law:
        return Law(self.formulas[place], self.explained[place], float(saved[place]))


def discover(
    observations: Sequence[Observation],
    max_size: int = MAX_SIZE,
    controls: int = 0,
    on_progress: Progress | None = None,
) -> Discovery:
    """Search for the law that describes observations best.

    Parameters
    ----------
    observations
        What runs show, by `observe`.
    max_size
        The largest formulas to try, in symbols.
    controls
        How many times the search is repeated on observations made random by `shuffled`.
    on_progress
        Called now and then with the number of laws scored so far and that of all.

    Examples
    --------
    >>> from pconv.config import RunConfig
    >>> from pconv.discover import observe, simulated
    >>> configs = [RunConfig(modulus=m, offsets=range(2)) for m in range(8, 15)]
    >>> seen = [observe(simulated(config, [c % 2 for c in range(config.modulus)])) for config in configs]
    >>> str(discover(seen, max_size=3).found.formula)
    'n % 2'
    """
    check_size(max_size)
    samples = [list(observations), *(shuffled(observations, seed) for seed in range(controls))]
    scorers = [Scorer(sample) for sample in samples]
    screens = [_screen(sample) for sample in samples]
    formulas = list(distinct_laws(max_size, probe_for(scorers[0].cases)))
    kept, rows, most = [], [], np.full(len(samples), -np.inf)
    for done, formula in enumerate(formulas):
        if on_progress and done % 100 == 0:
            on_progress(done, len(formulas))
        try:
            leaders = partition_of(formula, screens[0].evaluator)
            hits = [i for i, screen in enumerate(screens) if screen.explained(leaders).any()]
            if not hits and formula.size > 1:  # it explains no run that costs bits, so it can save none
                continue
            leaders = partition_of(formula, scorers[0].evaluator)
        except InputError:  # its values are too large to be exact on these runs
            continue
        for i in hits if formula.size > 1 else range(len(samples)):
            explained = scorers[i].explained(leaders)
            most[i] = max(most[i], scorers[i].scored(formula, explained).saved)
            if i == 0:
                kept.append(formula)
                rows.append(explained)
    return Discovery(samples[0], kept, np.array(rows), most[1:].tolist(), len(formulas))


def check_size(max_size: int) -> None:
    """Raise an `InputError` for a size that a search cannot reach."""
    if not 1 <= max_size <= LARGEST:
        raise InputError("max_size", max_size, f"must be from 1 to {LARGEST}")


def _screen(observations: Sequence[Observation]) -> Scorer:
    """A scorer of the runs that cost bits without a law, or of all if none does."""
    return Scorer([each for each in observations if each.bits > 0] or observations)


def _saved(
    law_bits: NDArray[np.float64],
    bits: NDArray[np.float64],
    explained: NDArray[np.bool_],
    chosen: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """`saved_bits` of many laws at once, on the chosen observations."""
    known = explained[:, chosen]
    exceptions: IntArray = known.shape[1] - known.sum(axis=1)
    return np.asarray(known @ bits[chosen] - law_bits - exception_bits(exceptions, known.shape[1]))
