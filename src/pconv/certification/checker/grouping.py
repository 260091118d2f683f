"""What the answers to grids are worth: how many classes of a grid's group have the answered label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pconv.certification.checker.laws import Rules


class Grouping:
    """The groups of a run.

    Parameters
    ----------
    rules
        What the columns show.
    primes
        The columns.
    labels
        The label of each class modulo m.
    count
        The number of labels.
    """

    def __init__(self, rules: Rules, primes: Sequence[int], labels: NDArray[np.int64], count: int) -> None:
        self._rules = rules
        self._labels = labels
        self._count = count
        modulus = len(labels)
        self._powers: dict[int, tuple[int, int]] = {}
        for place, p in enumerate(primes):
            power = 1
            while modulus % (power * p) == 0:
                power *= p
            if power > 1:
                self._powers[place] = (p, power)
        self._masks: dict[tuple[int, tuple[float, ...]], NDArray[np.bool_]] = {}
        self._counts: dict[bytes, NDArray[np.int64]] = {}

    def worth(self, grids: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many classes of each grid's group have each label, (grids, labels)."""
        seen: dict[bytes, int] = {}
        counts: list[NDArray[np.int64]] = []
        which = []
        for columns in np.ascontiguousarray(grids[:, :, list(self._powers)]):
            key = columns.tobytes()
            if key not in seen:
                seen[key] = len(counts)
                counts.append(self.counts(columns))
            which.append(seen[key])
        return np.array(counts)[which]

    def counts(self, columns: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many classes have each label, of integers with these columns at the primes of m."""
        key = columns.tobytes()
        if key not in self._counts:
            group = self._classes(columns)
            self._counts[key] = np.bincount(self._labels[group], minlength=self._count)
        return self._counts[key]

    def group(self, grid: NDArray[np.float64]) -> NDArray[np.int64]:
        """The classes modulo m of the integers that show a grid."""
        return self._classes(grid[:, list(self._powers)])

    def _classes(self, columns: NDArray[np.float64]) -> NDArray[np.int64]:
        every = np.arange(len(self._labels))
        possible = np.ones(len(every), dtype=bool)
        for i, (p, _) in enumerate(self._powers.values()):
            mask, power = self.mask(p, tuple(columns[:, i].tolist()))
            possible &= mask[every % power]
        return np.flatnonzero(possible)

    def mask(self, prime: int, entries: tuple[float, ...]) -> tuple[NDArray[np.bool_], int]:
        """Which classes modulo p^a integers with a column of p can have, and p^a."""
        power = next(power for p, power in self._powers.values() if p == prime)
        key = (prime, entries)
        if key not in self._masks:
            self._masks[key] = self._rules.classes(prime, power, entries)
        return self._masks[key], power
