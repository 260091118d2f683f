"""What both kinds of certificates are computed from, once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv._json import canonical_json
from pconv.certification.checker.fields import Rejected, shown
from pconv.certification.checker.grouping import Grouping
from pconv.certification.checker.laws import Rules, first_primes
from pconv.certification.checker.network import ARCHITECTURES, PlainNetwork
from pconv.certification.checker.smallest import smallest_integer
from pconv.certification.checker.totals import Found, Totals
from pconv.data.tasks import task_named

Progress = Callable[[int, int], None]
Grids = NDArray[np.float64]
Order = tuple[int, int]
_RULES = {
    "exponents": (None, False),
    **{"capped": (1, False), "capped-2": (2, False), "capped-3": (3, False)},
    "residues": (None, True),
}
_LISTED = 100
_CELLS, _LEAST_PIECE = 2**19, 8  # activations, and grids, at a time


class NotCheckable(Exception):
    """What of a certificate the checker does not know, so that it may hold or not."""


class Recomputation:
    """The network, the columns and the groups of a certificate.

    Parameters
    ----------
    document
        The certificate.
    arrays
        The weights.
    on_progress
        Called with the grids so far and their number.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        arrays: Mapping[str, NDArray[np.float32]],
        on_progress: Progress | None = None,
    ) -> None:
        config = document["config"]
        for name, known in (("architecture", ARCHITECTURES), ("representation", tuple(_RULES))):
            if config[name] not in known:
                raise NotCheckable(
                    f"its {name} is {config[name]}, and only {', '.join(known)} are known here"
                )
        self.document = document
        self.modulus: int = config["modulus"]
        self.primes = first_primes(config["primes"])
        self.rules = Rules(tuple(config["offsets"]), *_RULES[config["representation"]])
        self.network = PlainNetwork(arrays, config["architecture"], len(config["channels"]))
        self.labels, count = _labels(config["task"], self.modulus)
        if self.network.classes != count:
            raise Rejected(f"the network answers {self.network.classes} labels, and the task has {count}")
        self.grouping = Grouping(self.rules, self.primes, self.labels, self.network.classes)
        cells = max(1000, 50 * len(self.rules.offsets) * len(self.primes))
        self.piece = max(_LEAST_PIECE, _CELLS // cells)
        self._on_progress = on_progress
        self._done = 0

    def same(self, name: str, found: Any) -> None:
        """Raise `Rejected` unless a figure is what was computed again, and of the same type."""
        stated = self.document[name]
        if canonical_json(stated) != canonical_json(found):
            raise Rejected(f"{name} is {shown(stated)}, computed again {shown(found)}")

    def same_totals(self, totals: Totals) -> None:
        """The counts and the digest of the exceptions."""
        for name in ("wrong_grids", "short_grids", "unsure_grids", "digest"):
            self.same(name, getattr(totals, name))

    def exceptions(
        self, grids: Grids, weight: Callable[[int], Fraction], orders: list[Order]
    ) -> Iterator[Found]:
        """The grids whose answer is not sure or not the best.

        Parameters
        ----------
        grids
            (grids, rows, columns).
        weight
            The function from a place among them to the grid's weight.
        orders
            The block and the place in it of each grid.
        """
        read = grids.astype(np.float32).astype(np.float64)  # what the network reads
        rounding = self.document["rounding"]
        worth = self.grouping.worth(grids)
        answers = self.network.answer(read, worth, rounding["slack"], rounding["inflation"])
        best = worth.max(axis=1)
        right = np.where(answers < 0, -1, worth[np.arange(len(grids)), np.maximum(answers, 0)])
        for i in np.flatnonzero(right < best).tolist():
            counts = int(worth[i].sum()), int(best[i]), int(worth[i].min()), int(right[i])
            yield Found(orders[i], weight(i), int(answers[i]), *counts)
        self._done += len(grids)
        if self._on_progress:
            self._on_progress(self._done, self.document["grids"])

    def label_counts(self) -> list[NDArray[np.int64]]:
        """For each class modulo m, how many classes of its group have each label."""
        found = []
        for residue in range(self.modulus):
            number = residue + self.modulus * (1 + abs(self.rules.offsets[0]))
            columns = [self.rules.column_of(number, p) for p in self.primes if self.modulus % p == 0]
            grid = np.array(columns).reshape(len(columns), len(self.rules.offsets)).T
            found.append(self.grouping.counts(grid))
        return found

    def examples(self, totals: Totals, grid_of: Callable[[Order], Grids]) -> None:
        """The listed wrong grids, their integers included.

        Parameters
        ----------
        totals
            The exceptions.
        grid_of
            The function from block and place to a grid.
        """
        wrong, listed = totals.heaviest(_LISTED), self.document["examples"]
        if len(listed) != len(wrong):
            raise Rejected(f"{len(listed)} wrong grids are listed, which should be {len(wrong)}")
        for place, (example, found) in enumerate(zip(listed, wrong, strict=True), start=1):
            grid = grid_of(found.order)
            expected = {
                "n": smallest_integer(self.rules, self.primes, grid),
                "answer": found.answer,
                "classes": self.grouping.group(grid).tolist(),
                "share": None if self.document["kind"] == "sampled" else str(found.weight),
                "place": list(found.order),
            }
            if not isinstance(example, dict) or example.keys() != expected.keys():
                raise Rejected(f"wrong grid {place} of its list has other fields than {', '.join(expected)}")
            for name, value in expected.items():
                if canonical_json(example[name]) != canonical_json(value):
                    differ = f"has {name} {shown(example[name])}, computed again {shown(value)}"
                    raise Rejected(f"wrong grid {place} of its list {differ}")


def _labels(task: str, modulus: int) -> tuple[NDArray[np.int64], int]:
    """The label of each class modulo m, and the number of labels."""
    every = np.arange(modulus)
    if task == "residue":
        return every, modulus
    if task == "divisibility":
        return np.asarray(every == 0, dtype=np.int64), 2
    if task == "quadratic":
        return np.asarray(np.isin(every, every * every % modulus), dtype=np.int64), 2
    known = task_named(task)  # a user's own, which has one definition
    if not known.of_residue:
        raise Rejected(f"its task {task} is not a function of n modulo m")
    return known.labels(every, modulus), known.classes(modulus)
