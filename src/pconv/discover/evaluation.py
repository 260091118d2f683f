"""The values of a formula on frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from pconv._arrays import IntArray
from pconv.data.factorization import prime_powers
from pconv.discover.formula import Formula, bound_by
from pconv.discover.frames import Frame, Frames
from pconv.discover.operations import BOUND, in_range, operations
from pconv.errors import InputError


class WindowCase(NamedTuple):
    """What a law is asked about: the classes modulo `modulus`, read through rows at `offsets`."""

    modulus: int
    offsets: tuple[int, ...]

    def __str__(self) -> str:
        rows = len(self.offsets)
        if self.offsets == tuple(range(rows)):
            return f"m={self.modulus}, B={rows - 1}"
        return f"m={self.modulus}, offsets {','.join(map(str, self.offsets))}"


class Values(NamedTuple):
    """The values of a formula and the frame that they are in; the last axis is that of the points."""

    frame: Frame
    values: IntArray


class ClassFrames(Frames):
    """The points of laws of partitions: a base point for each class n of each case.

    >>> frames = ClassFrames([WindowCase(4, (0, 1)), WindowCase(3, (0,))])
    >>> frames.variable("n").tolist(), frames.slices
    ([0, 1, 2, 3, 0, 1, 2], [slice(0, 4, None), slice(4, 7, None)])
    """

    def __init__(self, cases: Sequence[WindowCase]) -> None:
        self.cases = list(cases)
        moduli = [case.modulus for case in self.cases]
        ends = list(accumulate(moduli))
        self.slices = [slice(end - m, end) for m, end in zip(moduli, ends, strict=True)]
        offsets = [np.array(case.offsets, dtype=np.int64) for case in self.cases]
        primes = [np.array([power.prime for power in prime_powers(m)], dtype=np.int64) for m in moduli]
        super().__init__(
            {"n": np.concatenate([np.arange(m) for m in moduli]), "m": np.repeat(moduli, moduli)},
            {"o": _for_classes(offsets, moduli), "p": _for_classes(primes, moduli)},
        )


def _for_classes(values: Iterable[IntArray], moduli: Sequence[int]) -> list[IntArray]:
    return [each for each, m in zip(values, moduli, strict=True) for _ in range(m)]


class Evaluator:
    """Evaluates formulas on frames. The values of parts are kept, because many formulas share them."""

    def __init__(self, frames: Frames, kept: int = 2_000) -> None:
        self.frames = frames
        self._part = lru_cache(kept)(self.values)

    def values(self, formula: Formula) -> Values:
        """The values of a formula; an `InputError` where they are too large to be exact."""
        symbol = formula.symbol
        if symbol.isdigit():
            return Values((), np.full(self.frames.base, int(symbol), dtype=np.int64))
        if not formula.arguments:
            frame = (symbol,) if symbol in self.frames.bound else ()
            return Values(frame, self.frames.variable(symbol))
        parts = [self._part(argument) for argument in formula.arguments]
        found = aggregated(self.frames, symbol, *parts) if bound_by(symbol) else self._combined(symbol, parts)
        if not in_range(found.values):
            raise InputError("formula", formula, f"has a value of {BOUND} or more")
        return found

    def _combined(self, symbol: str, parts: Sequence[Values]) -> Values:
        frame: Frame = ()
        for part in parts:
            frame = self.frames.union(frame, part.frame)
        lifted = (self.frames.lift(part.values, part.frame, frame) for part in parts)
        return Values(frame, np.asarray(operations()[symbol](*lifted)))


def aggregated(frames: Frames, symbol: str, part: Values) -> Values:
    """The values of an aggregate such as `sum_o`.

    Of a formula without the variable the sum is the value times the number of values of the variable.

    Parameters
    ----------
    frames
        The points.
    symbol
        The aggregate.
    part
        The values of its argument.
    """
    kind, _, over = symbol.partition("_")
    frame = frames.union(part.frame, (over,))
    values = frames.lift(part.values, part.frame, frame)
    return Values(tuple(name for name in frame if name != over), frames.aggregate(kind, values, frame, over))
