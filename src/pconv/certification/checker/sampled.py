"""The check of a certificate that was made from a sample."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from pconv.certification.checker import bounds
from pconv.certification.checker.enumerated import Ends
from pconv.certification.checker.fields import Rejected, shown
from pconv.certification.checker.laws import draws
from pconv.certification.checker.recomputation import Grids, Order, Recomputation
from pconv.certification.checker.totals import Totals


def check_sampled(again: Recomputation, ceiling: Fraction) -> tuple[Ends, Ends]:
    """The intervals of right answers and of leaks, from the same draws."""
    size, batch = again.document["grids"], again.document["batch"]
    if size < 1 or size % again.modulus:
        raise Rejected(f"{shown(size)} draws are not equally many for each class modulo {again.modulus}")
    if batch != max(1, min(2**11, 2**23 // (len(again.rules.offsets) * len(again.primes)))):
        raise Rejected("its batches have another size")

    @lru_cache(maxsize=1)  # examples follow one another
    def drawn(number: int) -> Grids:
        rules, seed = again.rules, again.document["seed"]
        return draws(rules, again.primes, again.modulus, seed, number, batch)

    totals = Totals()
    for number in range(-(-size // batch)):
        first = number * batch
        grids = drawn(number)[: size - first]
        for start in range(0, len(grids), again.piece):
            part = grids[start : start + again.piece]
            orders = [(0, first + start + i) for i in range(len(part))]
            for found in again.exceptions(part, lambda i: Fraction(1), orders):
                totals.add(found)
    again.same_totals(totals)
    for name in ("lost", "open"):
        counts = sorted(getattr(totals, name).items())
        again.same(name, {str(share): int(count) for share, count in counts})

    def grid(order: Order) -> Grids:
        return np.asarray(drawn(order[1] // batch)[order[1] % batch])

    again.examples(totals, grid)
    return _right(again, totals, ceiling, size), _leaks(again, totals, size)


def _right(again: Recomputation, totals: Totals, ceiling: Fraction, size: int) -> Ends:
    shortfalls = {
        Fraction(int(counts.max() - count), int(counts.sum()))
        for counts in again.label_counts()
        for count in counts
    } - {Fraction(0)}
    most, binary = max(shortfalls, default=Fraction(1)), len(shortfalls) <= 1
    again.same("interval", "Clopper-Pearson" if binary else "Hoeffding")
    lost = totals.shortfall / most, (totals.shortfall + totals.doubt) / most
    low, high = bounds.of_mean(float(lost[0]), float(lost[1]), size, _tail(again), binary)
    return _stated(
        again,
        "",
        {max(Fraction(0), ceiling - most * end) for end in high},
        {ceiling - most * end for end in low},
    )


def _leaks(again: Recomputation, totals: Totals, size: int) -> Ends:
    wrong = float(totals.wrong), float(totals.wrong + totals.unsure)
    return _stated(again, "leaks_", *bounds.of_mean(*wrong, size, _tail(again), True))


def _tail(again: Recomputation) -> float:
    tail = (1 - again.document["confidence"]) / 2
    if not 0 < tail < 0.25:
        raise Rejected(f"a confidence of {again.document['confidence']} is not allowed")
    return float(tail)


def _stated(again: Recomputation, prefix: str, low: set[Fraction], high: set[Fraction]) -> Ends:
    ends = []
    for name, allowed in ((f"{prefix}low_fraction", low), (f"{prefix}high_fraction", high)):
        end = Fraction(again.document[name])
        if end not in allowed:
            raise Rejected(f"{name} is {float(end):.9f}, computed again {float(min(allowed)):.9f}")
        ends.append(end)
    return ends[0], ends[1]
