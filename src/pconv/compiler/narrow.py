"""Circuits with fewer channels: kernels that add rows up, and thresholds of the sums.

A circuit that reads single rows needs a kernel for every few rows. But the group of n may follow from fewer
sums: of blocks of rows that follow one another, or of many rows, each with a weight of its own. Whether it
does is decided by listing all columns of exponents that numbers below 2^63 can show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, pairwise
from math import comb
from typing import NamedTuple

import numpy as np

from pconv.compiler.circuit import EXACT, SCALE, Channel, Circuit, Feature
from pconv.compiler.exponents import largest_exponent, prime_columns
from pconv.compiler.layout import MAX_EXPONENT, checked, column_of
from pconv.compiler.reading import Edge, Mask, Profile, Terms, masks_of, positions, read_lines
from pconv.compiler.steps import PrimeCode, Step, Value, prime_code, prime_codes
from pconv.errors import InputError
from pconv.theory.problem import Problem

_MOST_CHOICES = 10_000
"""The most choices of kernels that are tried."""
_MOST_WEIGHT = EXACT // (SCALE * MAX_EXPONENT)
"""Weights of rows add up to less: 100 times a weighted sum of a grid is then below 2^24."""

Weights = tuple[tuple[int, int], ...]
"""The rows of a sum by index, ascending, and their weights."""


class RowSum(NamedTuple):
    """A weighted sum of rows, and the pooled sums that it is made of."""

    weights: Weights
    terms: tuple[tuple[Mask | Profile, int, int], ...]  # kernel, position after pooling, sign


class PrimeSums:
    """What sums of rows show of the groups of a prime.

    Parameters
    ----------
    code
        The groups.
    offsets
        The rows.
    """

    def __init__(self, code: PrimeCode, offsets: Sequence[int]) -> None:
        self.code, self.offsets = code, tuple(offsets)
        columns = sorted(set(prime_columns(code.prime, offsets, largest_exponent(code.prime))))
        self.exponents = np.array(columns)  # (columns that occur, rows)
        self.groups = np.array([code.read(dict(zip(offsets, one, strict=True))) for one in columns])
        self._codes: dict[Weights, PrimeCode | None] = {}

    def separate(self, weights: Sequence[int]) -> bool:
        """Whether no two groups have a sum with these weights in common."""
        totals = self.exponents @ np.array(weights)
        order = np.lexsort((self.groups, totals))
        same = np.diff(totals[order]) == 0
        return not bool((np.diff(self.groups[order])[same] != 0).any())

    def code_of(self, weights: Weights) -> PrimeCode | None:
        """A code of what a sum shows: groups with a sum in common have the same number. None if that is
        nothing, or if its thresholds cannot be computed exactly."""
        if weights not in self._codes:
            self._codes[weights] = self._code_of(weights)
        return self._codes[weights]

    def _code_of(self, weights: Weights) -> PrimeCode | None:
        rows, factors = zip(*weights, strict=True)
        totals = (self.exponents[:, rows] @ np.array(factors)).tolist()
        merged = list(range(self.code.count))
        group_at: dict[int, int] = {}
        for total, group in zip(totals, self.groups.tolist(), strict=True):
            other = merged[group_at.setdefault(total, group)]
            merged = [other if label == merged[group] else label for label in merged]
        numbers: dict[int, int] = {}
        labels = tuple(numbers.setdefault(merged[group], len(numbers)) for group in self.code.labels)
        value = Value(self.code.prime, tuple((self.offsets[row], weight) for row, weight in weights))
        runs = [(total, numbers[merged[group_at[total]]]) for total in sorted(group_at)]
        jumps = [(low, high) for low, high in pairwise(runs) if low[1] != high[1]]
        steps = tuple(Step(value, total, before, after) for (_, before), (total, after) in jumps)
        found = PrimeCode(self.code.prime, self.code.levels, labels, runs[0][1], steps)
        return found if steps and _is_exact(found, max(group_at)) else None

    def distinguishing(self, sums: Sequence[RowSum]) -> list[tuple[PrimeCode, RowSum]]:
        """Few of the sums whose codes together distinguish all groups; none if all of them do not."""
        found = [(part, one) for one in sums if (part := self.code_of(one.weights))]
        chosen: list[tuple[PrimeCode, RowSum]] = []
        known = 1
        while known < self.code.count:
            count, best = max(((_count([*chosen, pair]), -i) for i, pair in enumerate(found)), default=(0, 0))
            if count <= known:
                return []
            known = count
            chosen.append(found[-best])
        return chosen


def narrow_circuit(problem: Problem, columns: int, kernel: int, channels: int) -> Circuit | None:
    """A circuit with a given kernel and at most so many channels; None if none was found.

    Parameters
    ----------
    problem
        Modulus, window and columns.
    columns
        The number of columns.
    kernel
        The size of the kernel.
    channels
        The most channels.
    """
    codes, radius = prime_codes(problem), kernel // 2
    right = read_lines(columns, radius, {column_of(code.prime) for code in codes})
    if not right:
        return None
    most = channels // len(masks_of(right))
    primes = [PrimeSums(code, problem.offsets) for code in codes]
    choices = chain(_blocks(problem.rows, radius, most), _weighted(codes, problem.offsets, radius, most))
    for sums in choices:
        chosen = [prime.distinguishing(sums) for prime in primes]
        if all(chosen):
            try:
                return checked(_circuit(problem, right, [pair for part in chosen for pair in part]))
            except InputError:  # too many hidden units
                continue
    return None


def _circuit(problem: Problem, right: Terms, chosen: Sequence[tuple[PrimeCode, RowSum]]) -> Circuit:
    kernels = dict.fromkeys(kernel for _, one in chosen for kernel, _, _ in one.terms)
    channels = tuple(Channel(rows, mask) for rows in kernels for mask in masks_of(right))
    features = {
        code.steps[0].value: tuple(
            Feature(channels.index(Channel(kernel, b.mask)), position, b.position, sign * b.sign)
            for kernel, position, sign in one.terms
            for b in right[column_of(code.prime)]
        )
        for code, one in chosen
    }
    return Circuit(problem, tuple(code for code, _ in chosen), channels, features)


def _count(chosen: Sequence[tuple[PrimeCode, RowSum]]) -> int:
    """How many groups some codes distinguish together."""
    return len(set(zip(*(part.labels for part, _ in chosen), strict=True)))


def _is_exact(code: PrimeCode, largest: int) -> bool:
    """Whether the second layer adds up to less than 2^24, in any order, for values from 0 to the largest.

    The two units of a step have opposite weights and, but for a step of 100, the same sign: in a sum of any
    terms only one of them counts. It is at most 100 (largest - bound + 1), and at least -bound.
    """
    sizes = (max(SCALE * (largest - step.bound + 1), step.bound, SCALE) + 1 for step in code.steps)
    return sum(sizes) + SCALE < EXACT


def _blocks(rows: int, radius: int, most: int) -> Iterator[list[RowSum]]:
    """Choices of kernels with weights 0 and 1; the rows between the ends of their sums are blocks."""
    masks = [Mask(edge, shift) for edge in Edge for shift in range(-radius, radius + 1)]
    for count in range(1, most + 1):
        if comb(len(masks), count) <= _MOST_CHOICES:
            for chosen in combinations(masks, count):
                yield [block for edge in Edge for block in _blocks_from(edge, rows, radius, chosen)]


def _blocks_from(edge: Edge, rows: int, radius: int, masks: Sequence[Mask]) -> Iterator[RowSum]:
    """The blocks between the ends of all sums from one edge."""
    ends = {
        position + mask.shift: (mask, position // 2, 1)
        for mask in masks
        if mask.edge is edge
        for position in positions(edge, rows, radius)
        if 0 <= position + mask.shift < rows
    }
    inner: tuple[tuple[Mask | Profile, int, int], ...] = ()
    start = 0 if edge is Edge.FIRST else rows
    for end in sorted(ends, reverse=edge is Edge.LAST):
        block, start = (range(start, end + 1), end + 1) if edge is Edge.FIRST else (range(end, start), end)
        mask, position, _ = ends[end]
        yield RowSum(tuple((row, 1) for row in block), ((mask, position, 1), *inner))
        inner = ((mask, position, -1),)


def _weighted(
    codes: Sequence[PrimeCode], offsets: Sequence[int], radius: int, most: int
) -> Iterator[list[RowSum]]:
    """Two sums with weights under which no two groups have a sum in common: of the rows up to a split, from
    the first row, and of the others, from the last. For a single prime."""
    low, high = (positions(edge, len(offsets), radius) for edge in Edge)
    if len(codes) != 1 or not low or not high:
        return
    (code,) = codes
    needed = 1 + max(offsets.index(step.value.weights[0][0]) for step in code.steps)
    most_below = min(low[-1] + radius + 1, needed)
    for split in range(most_below, high[0] - radius - 1, -1):
        below, above = range(split - 1, -1, -1), range(split, needed)
        parts = [(Edge.FIRST, low[-1], below), (Edge.LAST, high[0], above)]
        parts = [part for part in parts if part[2]]
        sums = [_profile_sum(code, offsets, *part) for part in parts] if len(parts) <= most else [None]
        if None not in sums:
            yield [one for one in sums if one]


def _profile_sum(
    code: PrimeCode, offsets: Sequence[int], edge: Edge, centre: int, rows: range
) -> RowSum | None:
    """The sum of some rows with a kernel at `centre`; its weights are the smallest, row by row, that separate
    the groups of the rows so far. They do not decrease from the inner rows outwards: the sum is monotone."""
    weights: dict[int, int] = {}
    weight = 1
    for row in rows:
        window = sorted([*weights, row])
        shown = [offsets[i] for i in window]
        part = PrimeSums(prime_code(code.prime, code.levels, shown), shown)
        while not part.separate([weights.get(i, weight) for i in window]):
            weight += 1
            if weight >= _MOST_WEIGHT:
                return None
        weights[row] = weight
    if sum(weights.values()) >= _MOST_WEIGHT:
        return None
    ordered = sorted(weights.items())
    profile = Profile(edge, ordered[0][0] - centre, tuple(weight for _, weight in ordered))
    return RowSum(tuple(ordered), ((profile, centre // 2, 1),))
