"""All formulas by size, each meaning once.

Formulas of one size are combined from smaller ones, many at a time. Two formulas with the same values at all
points of a probe are one: the first is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.discover.evaluation import Values, aggregated
from pconv.discover.formula import AGGREGATES, CONSTANTS, Formula, Variables, bound_by
from pconv.discover.frames import Frame, Frames
from pconv.discover.operations import Operation, operations
from pconv.discover.partitions import Fingerprints, mixed_bits, multipliers

SEARCH_BOUND = 2**12
"""Formulas with a larger value at a point of the probe are not searched."""
_CHUNK = 2**21  # values that are computed at a time


class Block(NamedTuple):
    """Formulas of one size and frame: a row of values for each."""

    frame: Frame
    values: NDArray[np.int16]  # (formulas, points); the bound of a search fits
    ids: IntArray

    @property
    def found(self) -> Values:
        """The values as numbers that can be calculated with."""
        return Values(self.frame, self.values.astype(np.int64))


class Batch(NamedTuple):
    """New formulas of one frame that were computed together, before equal ones are removed."""

    symbol: str
    found: Values  # (formulas, points)
    arguments: IntArray  # (formulas, arity): the ids of their arguments


class Seen:
    """The fingerprints that were seen so far."""

    def __init__(self) -> None:
        self._keys: set[int] = set()

    def new(self, keys: Fingerprints) -> IntArray:
        """The places of the first of each key that was not seen before, which are then seen."""
        places = []
        for place, key in enumerate(keys.tolist()):
            if key not in self._keys:
                self._keys.add(key)
                places.append(place)
        return np.array(places, dtype=np.int64)


@dataclass
class Enumeration:
    """Formulas of growing size over the points of a probe.

    Parameters
    ----------
    frames
        The points of the probe.
    variables
        The variables of the formulas.
    """

    frames: Frames
    variables: Variables
    nodes: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    _blocks: dict[int, list[Block]] = field(default_factory=dict)
    _seen: Seen = field(default_factory=Seen)

    def formula(self, identity: int) -> Formula:
        """The formula of an id."""
        symbol, arguments = self.nodes[identity]
        return Formula(symbol, tuple(self.formula(argument) for argument in arguments))

    def grow(self, size: int, last: bool = False) -> Iterator[Block]:
        """The formulas of this size whose values no smaller one has; larger ones are built from them.

        The values of the last size, which are most of all, are not kept.
        """
        parts = []
        for batch in self.batches(size):
            if block := self._kept(batch):
                if not last:
                    parts.append(block)
                yield block
        self._blocks[size] = [joined for frame in self.frames.all if (joined := _joined(parts, frame))]

    def batches(self, size: int, closed: bool = False) -> Iterator[Batch]:
        """All formulas of this size that combine smaller kept ones, equal ones included.

        With `closed` only those without a bound variable that no aggregate binds.
        """
        frames = [()] if closed else self.frames.all
        if size == 1:
            yield from (leaf for leaf in self._leaves() if leaf.found.frame in frames)
            return
        for operation in operations().values():
            combined = self._unary if operation.arity == 1 else self._binary
            yield from combined(operation, size, frames)
        for kind in AGGREGATES:
            for bound in self.variables.bound:
                yield from self._aggregates(f"{kind}_{bound}", size, frames)

    def add(self, symbol: str, arguments: tuple[int, ...]) -> int:
        """The id of a new formula."""
        self.nodes.append((symbol, arguments))
        return len(self.nodes) - 1

    def _leaves(self) -> Iterator[Batch]:
        none = np.empty((1, 0), dtype=np.int64)
        for name in self.variables.names:
            frame = (name,) if name in self.variables.bound else ()
            yield Batch(name, Values(frame, self.frames.variable(name)[None, :]), none)
        for constant in CONSTANTS:
            yield Batch(str(constant), Values((), np.full((1, self.frames.base), constant)), none)

    def _aggregates(self, symbol: str, size: int, frames: Sequence[Frame]) -> Iterator[Batch]:
        """Aggregates of formulas with the variable, and sum_o(1): without it, sum_o(x) is x*sum_o(1)."""
        for block in self._blocks[size - 1]:
            if bound_by(symbol) in block.frame:
                used = np.ones(len(block.ids), dtype=bool)
            elif symbol.startswith("sum"):
                used = np.array([self.nodes[i] == ("1", ()) for i in block.ids.tolist()])
            else:
                continue
            found = aggregated(self.frames, symbol, Values(block.frame, block.found.values[used]))
            if found.frame in frames and used.any():
                yield Batch(symbol, found, block.ids[used, None])

    def _unary(self, operation: Operation, size: int, frames: Sequence[Frame]) -> Iterator[Batch]:
        for block in self._blocks[size - 1]:
            if block.frame in frames:
                found = Values(block.frame, operation(block.found.values))
                yield Batch(operation.name, found, block.ids[:, None])

    def _binary(self, operation: Operation, size: int, frames: Sequence[Frame]) -> Iterator[Batch]:
        for first in range(size - 2, 0, -1):  # the larger argument first: gcd(n+o, m)
            second = size - 1 - first
            if operation.commutative and first < second:
                continue
            for one in self._blocks[first]:
                for other in self._blocks[second]:
                    if self.frames.union(one.frame, other.frame) in frames:
                        yield from self._pairs(operation, one, other, first == second)

    def _pairs(self, operation: Operation, one: Block, other: Block, alike: bool) -> Iterator[Batch]:
        frame = self.frames.union(one.frame, other.frame)
        left = self.frames.lift(one.values, one.frame, frame)
        right = self.frames.lift(other.found.values, other.frame, frame)
        step = max(1, _CHUNK // right.size)
        for start in range(0, len(left), step):
            own = left[start : start + step].astype(np.int64)
            ids = np.stack(np.meshgrid(one.ids[start : start + step], other.ids, indexing="ij"), axis=-1)
            values = operation(own[:, None, :], right[None, :, :]).reshape(-1, right.shape[-1])
            pairs = ids.reshape(-1, 2)
            if alike and operation.commutative:
                once = pairs[:, 0] <= pairs[:, 1]
                values, pairs = values[once], pairs[once]
            yield Batch(operation.name, Values(frame, values), pairs)

    def _value_keys(self, found: Values) -> Fingerprints:
        weights = multipliers(found.values.shape[-1])
        keys = (mixed_bits(found.values) * weights).sum(axis=-1, dtype=np.uint64)
        own = weights[self.frames.all.index(found.frame)]  # equal values in two frames are two formulas
        return np.asarray(keys ^ own)

    def _kept(self, batch: Batch) -> Block | None:
        """The formulas of a batch that are within the bound and new."""
        frame, values = batch.found
        usable = np.flatnonzero(np.abs(values).max(axis=-1, initial=0) <= SEARCH_BOUND)
        keys = self._value_keys(Values(frame, values[usable]))
        new = self._seen.new(keys)
        if not len(new):
            return None
        chosen = usable[new]
        ids = [self.add(batch.symbol, tuple(row)) for row in batch.arguments[chosen].tolist()]
        return Block(frame, values[chosen].astype(np.int16), np.array(ids))


def _joined(blocks: list[Block], frame: Frame) -> Block | None:
    """All formulas of a frame in one block: few large blocks combine faster than many small ones."""
    own = [block for block in blocks if block.frame == frame]
    if not own:
        return None
    return Block(frame, np.concatenate([b.values for b in own]), np.concatenate([b.ids for b in own]))
