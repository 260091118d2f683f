"""What a grid tells of the class of n modulo m: given the grid, the class is uniform in its group.

A network's answer depends on the grid alone. So given the grid, it is right for the share of the group's
classes that have the answered label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.certification.columns import ColumnValue, Level, PrimeColumn
from pconv.config import RunConfig
from pconv.data.examples import class_count, labels_of
from pconv.data.factorization import prime_powers
from pconv.data.primes import first_primes
from pconv.data.representations import ColumnContent, representation_named
from pconv.data.tasks import task_named
from pconv.errors import InputError
from pconv.evaluate.predict_run import problem_of
from pconv.theory.law import gcd_groups
from pconv.training.definitions import BUILT_IN


@dataclass(frozen=True)
class GroupTable:
    """The groups of a run and the labels in them.

    Parameters
    ----------
    modulus
        The modulus m.
    group_of
        The group of each class modulo m.
    label_of
        The label of each class modulo m.
    labels
        The number of labels.

    Examples
    --------
    >>> table = GroupTable.of(RunConfig(modulus=11))
    >>> table.classes(int(table.group_of[1])), table.ceiling
    ((1, 2), Fraction(10, 11))
    """

    modulus: int
    group_of: IntArray
    label_of: IntArray
    labels: int

    @classmethod
    def of(cls, config: RunConfig) -> GroupTable:
        """The groups of a run; an `InputError` if its task is not a function of n modulo m."""
        if not task_named(config.task).of_residue:
            allowed = "is not a function of n modulo m, so that its density cannot be certified"
            raise InputError("task", config.task, allowed)
        group_of = np.empty(config.modulus, dtype=np.int64)
        for group, classes in enumerate(gcd_groups(problem_of(config))):
            group_of[list(classes)] = group
        label_of = labels_of(config, np.arange(config.modulus, dtype=np.int64))
        return cls(config.modulus, group_of, label_of, class_count(config))

    @cached_property
    def counts(self) -> IntArray:
        """How many classes of each group have each label, (groups, labels)."""
        groups = int(self.group_of.max()) + 1
        codes = self.group_of * self.labels + self.label_of
        return np.bincount(codes, minlength=groups * self.labels).reshape(groups, self.labels)

    @cached_property
    def sizes(self) -> IntArray:
        """The number of classes of each group."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def best(self) -> IntArray:
        """How many classes of each group have its most frequent label."""
        return np.asarray(self.counts.max(axis=1))

    @property
    def ceiling(self) -> Fraction:
        """The density of right answers that no reader of the grid exceeds."""
        return Fraction(int(self.best.sum()), self.modulus)

    @cached_property
    def shortfalls(self) -> tuple[Fraction, ...]:
        """The positive values of how far an answer can be below the best one, given its grid."""
        missing = self.best[:, None] - self.counts
        places = np.argwhere(missing > 0).tolist()
        return tuple(sorted({Fraction(int(missing[g, a]), int(self.sizes[g])) for g, a in places}))

    def classes(self, group: int) -> tuple[int, ...]:
        """The classes of a group."""
        return tuple(np.flatnonzero(self.group_of == group).tolist())


class GridClasses:
    """From the values of the columns to a class modulo m that shows them.

    Each visible prime power q^a of m contributes its part by the Chinese remainder theorem; all classes that
    show the same grid are in one group.
    """

    def __init__(self, columns: Sequence[PrimeColumn], modulus: int) -> None:
        self._modulus = modulus
        self._columns = columns
        self._power: dict[int, tuple[int, int]] = {}
        places = {column.prime: place for place, column in enumerate(columns)}
        for factor in prime_powers(modulus):
            if factor.prime in places:
                rest = modulus // factor.power
                unit = rest * pow(rest, -1, factor.power) % modulus  # 1 modulo q^a, 0 modulo the others
                self._power[places[factor.prime]] = (factor.power, unit)

    @property
    def places(self) -> tuple[int, ...]:
        """The columns that belong to primes of m."""
        return tuple(self._power)

    def part(self, place: int, level: Level) -> IntArray:
        """What each value of a level contributes to the class; zeros if the prime does not divide m."""
        return np.array([self._part(place, value) for value in level.values], dtype=np.int64)

    def residue(self, values: Sequence[ColumnValue]) -> int:
        """A class modulo m whose integers show these values at the primes of m."""
        return sum(self._part(place, values[place]) for place in self._power) % self._modulus

    def _part(self, place: int, value: ColumnValue) -> int:
        if place not in self._power:
            return 0
        power, unit = self._power[place]
        return int(value.member(self._columns[place].prime) % power * unit % self._modulus)


def columns_of(config: RunConfig) -> tuple[PrimeColumn, ...]:
    """The columns of a run's grid; an `InputError` unless each depends on one prime alone."""
    representation = representation_named(config.representation)
    if not representation.shows.of_primes:
        allowed = "cannot be certified: its columns do not show exponents or residues of one prime each"
        raise InputError("representation", config.representation, allowed)
    primes = first_primes(config.primes).tolist()
    columns = tuple(PrimeColumn(p, config.offsets, representation.shows, representation.cap) for p in primes)
    _check_declaration(config, columns)
    return columns


_FIRST, _SPREAD = 16, 4  # columns that are tested: the first ones, and some of the others
_LARGEST_POWER = 2**40
_MOST_NUMBERS, _CELLS = 2**12, 2**22  # of all grids, and of those that are made at once


def _check_declaration(config: RunConfig, columns: Sequence[PrimeColumn]) -> None:
    """A representation of a user's own must show what it declares: a test, at some numbers and columns."""
    representation = representation_named(config.representation)
    every = range(len(columns))
    some = [*every[:_FIRST], *every[_FIRST:][:: -max(1, len(every[_FIRST:]) // _SPREAD)]]
    least = max(1, 1 - config.offsets[0])
    numbers = [*range(least, least + 64), *(least + columns[i].prime ** 3 for i in some)]
    if config.representation not in BUILT_IN["representation"]:
        powers = [n for i in some for n in _multiples(columns[i], least)]
        numbers += powers[:: -(-len(powers) // _MOST_NUMBERS)]
    piece = max(1, _CELLS // (config.rows * config.primes))
    for start in range(0, len(numbers), piece):
        part = np.array(numbers[start : start + piece], dtype=np.int64)
        shown = representation.grid(part, config.offsets, config.primes).dense()
        if not all(np.array_equal(shown[:, :, i], _declared(columns[i], part)) for i in some):
            allowed = "cannot be certified: its columns are not what it declares to show"
            raise InputError("representation", config.representation, allowed)


def _multiples(column: PrimeColumn, least: int) -> Iterator[int]:
    """Numbers whose rows have, one after the other, every exponent that is not very large."""
    power = column.prime
    while power < _LARGEST_POWER:
        step = power * column.prime  # a multiple of it changes no exponent that is reached
        for offset in column.offsets:
            missing = max(0, least - (power - offset))
            yield power - offset - (-missing // step) * step
        power = step


def _declared(column: PrimeColumn, numbers: IntArray) -> NDArray[np.float32]:
    """What a column shows of some numbers, (numbers, rows)."""
    rows = numbers[:, None] + np.array(column.offsets)
    if column.shows is ColumnContent.RESIDUES:
        return np.asarray(rows % column.prime / column.prime, dtype=np.float32)
    every, entries = rows.ravel(), np.zeros(rows.size, dtype=np.float32)
    multiples, power, largest = np.arange(rows.size), column.prime, int(rows.max())
    while power <= largest and len(multiples := multiples[every[multiples] % power == 0]):
        entries[multiples] += 1
        power *= column.prime
    entries = entries.reshape(rows.shape)
    return entries if column.cap is None else np.minimum(entries, np.float32(column.cap))


def block_ceiling(
    table: GroupTable, classes: GridClasses, levels: Sequence[Level], cache: dict[tuple[int, ...], Fraction]
) -> Fraction:
    """The most that right answers can contribute on the grids of a block.

    Parameters
    ----------
    table
        The groups and their labels.
    classes
        The part of each column in the class of n.
    levels
        The level of each column.
    cache
        What was computed for the levels at the primes of m, which is all that the best answers depend on.
    """
    others = prod(
        (level.share for place, level in enumerate(levels) if place not in classes.places),
        start=Fraction(1),
    )
    key = tuple(levels[place].exponent for place in classes.places)
    if key not in cache:
        shares: dict[int, Fraction] = {0: Fraction(1)}
        for place in classes.places:
            by_part: dict[int, Fraction] = {}
            for part, share in zip(
                classes.part(place, levels[place]).tolist(), levels[place].shares, strict=True
            ):
                by_part[part] = by_part.get(part, Fraction(0)) + share
            shares = {
                (known + part) % table.modulus: share * more
                for known, share in shares.items()
                for part, more in by_part.items()
            }
        group = table.group_of
        cache[key] = sum(
            (
                share * Fraction(int(table.best[group[c]]), int(table.sizes[group[c]]))
                for c, share in shares.items()
            ),
            Fraction(0),
        )
    return others * cache[key]
