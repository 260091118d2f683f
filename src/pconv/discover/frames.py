"""Frames: the points at which formulas are evaluated.

A formula of the free variables alone has a value at every base point. A bound variable takes several values
at a base point, and a formula that contains it has a value for each of them. The frame of a formula is the
tuple of its bound variables; values are stored in the smallest frame, and lifted to a larger one when two
formulas are combined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray

Number = TypeVar("Number", bound=np.integer[Any])

Frame = tuple[str, ...]
"""The bound variables of a formula, in the order of the variables."""

_REDUCE = {"sum": np.add, "min": np.minimum, "max": np.maximum}


class Frames:
    """The points of all frames.

    Parameters
    ----------
    free
        For each free variable its value at every base point.
    bound
        For each bound variable the values that it takes, a non-empty array for every base point.

    Examples
    --------
    >>> frames = Frames({"n": np.array([3, 5])}, {"o": [np.array([0, 1]), np.array([0])]})
    >>> values = frames.lift(frames.variable("n"), (), ("o",)) + frames.variable("o")
    >>> values.tolist(), frames.aggregate("sum", values, ("o",), "o").tolist()
    ([3, 4, 5], [7, 5])
    """

    def __init__(self, free: Mapping[str, IntArray], bound: Mapping[str, Sequence[IntArray]]) -> None:
        self._free = {name: np.asarray(values, dtype=np.int64) for name, values in free.items()}
        self.bound = tuple(bound)
        self.base = len(next(iter(self._free.values())))
        self._values = bound
        self._counts = {name: np.array([len(v) for v in bound[name]], dtype=np.int64) for name in bound}
        self._lifts: dict[tuple[Frame, Frame], IntArray] = {}
        self._segments: dict[tuple[Frame, str], tuple[IntArray, IntArray]] = {}

    @cached_property
    def all(self) -> list[Frame]:
        """All frames, the one without bound variables first."""
        return [each for size in range(len(self.bound) + 1) for each in combinations(self.bound, size)]

    def union(self, one: Frame, other: Frame) -> Frame:
        """The frame of a formula that combines formulas of two frames."""
        return tuple(name for name in self.bound if name in one or name in other)

    def sizes(self, frame: Frame) -> IntArray:
        """The number of points of the frame at every base point."""
        sizes = np.ones(self.base, dtype=np.int64)
        for name in frame:
            sizes *= self._counts[name]
        return sizes

    def starts(self, frame: Frame) -> IntArray:
        """The first point of the frame at every base point."""
        sizes = self.sizes(frame)
        return np.cumsum(sizes) - sizes

    def variable(self, name: str) -> IntArray:
        """The values of a variable in its own frame."""
        return self._free[name] if name in self._free else np.concatenate(self._values[name])

    def lift(self, values: NDArray[Number], frame: Frame, onto: Frame) -> NDArray[Number]:
        """Values of a frame at the points of a larger one; the last axis is that of the points.

        Parameters
        ----------
        values
            The values, (..., points of `frame`).
        frame
            The frame that they are in.
        onto
            A frame that contains it.
        """
        return values if frame == onto else values[..., self._lift(frame, onto)]

    def _lift(self, frame: Frame, onto: Frame) -> IntArray:
        """For every point of `onto` the point of `frame` that it lies above."""
        if (frame, onto) not in self._lifts:
            within = np.zeros(int(self.sizes(onto).sum()), dtype=np.int64)  # place among the base point's own
            sizes = self.sizes(onto)
            base = np.repeat(np.arange(self.base), sizes)
            rest = np.arange(len(within)) - np.repeat(self.starts(onto), sizes)
            step = np.ones(len(within), dtype=np.int64)
            for name in reversed(onto):  # the last variable changes fastest
                count = self._counts[name][base]
                if name in frame:
                    within += rest % count * step
                    step *= count
                rest //= count
            self._lifts[frame, onto] = self.starts(frame)[base] + within
        return self._lifts[frame, onto]

    def aggregate(self, kind: str, values: IntArray, frame: Frame, over: str) -> IntArray:
        """The sum, minimum or maximum over a bound variable, in the frame without it.

        Parameters
        ----------
        kind
            "sum", "min" or "max".
        values
            The values, (..., points of `frame`).
        frame
            The frame that they are in.
        over
            The variable, which the frame must contain.
        """
        if (frame, over) not in self._segments:
            below = self._lift(tuple(name for name in frame if name != over), frame)
            order = np.argsort(below, kind="stable")
            first = np.flatnonzero(np.diff(below[order], prepend=-1))
            self._segments[frame, over] = order, first
        order, first = self._segments[frame, over]
        return np.asarray(_REDUCE[kind].reduceat(values[..., order], first, axis=-1))
