"""The circuit of a compiled network: what each channel and each hidden unit computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from pconv.compiler.reading import Edge, Mask
from pconv.compiler.steps import PrimeCode, Step, Value
from pconv.theory.problem import Problem

DIGIT_BITS = 5
BASE = 2**DIGIT_BITS
"""A unit of the third hidden layer holds five binary digits of a group's number: a digit to this base."""


class Channel(NamedTuple):
    """A channel: after pooling, the sums of the grid from one of its corners up to a row and a column."""

    rows: Mask
    columns: Mask

    def __str__(self) -> str:
        edges = {Edge.FIRST: ("up to", "first"), Edge.LAST: ("from", "last")}
        words = []
        for name, mask in (("row", self.rows), ("column", self.columns)):
            words.append(f"{name}s {edges[mask.edge][0]} {name[0]}{mask.shift:+d}")
        return "sum over " + " and ".join(words)


class Feature(NamedTuple):
    """A number that the first linear layer reads, and its factor; for the MLP, a cell of the grid."""

    channel: int
    row: int
    column: int
    factor: int


class Unit(NamedTuple):
    """A unit of the first hidden layer: LeakyReLU(100 (value - shift))."""

    value: Value
    shift: int

    def __str__(self) -> str:
        return f"LeakyReLU(100 ({self.value}{f' - {self.shift}' if self.shift else ''}))"


class Bit(NamedTuple):
    """A unit of the second hidden layer: 99 times a binary digit of the number of n's group modulo p^a."""

    prime: int
    place: int


class Digit(NamedTuple):
    """A unit of the third hidden layer: 99 times a digit, to base 32, of the number of n's group."""

    prime: int
    place: int


@dataclass(frozen=True)
class Circuit:
    """What the parts of a compiled network compute.

    Parameters
    ----------
    problem
        Modulus, window and columns.
    codes
        The groups modulo each prime power of m as sums of steps.
    channels
        The channels of the convolution, by index; none for the MLP.
    features
        The features that add up to each value.

    Examples
    --------
    >>> from pconv import compile_network
    >>> circuit = compile_network(3, range(2)).circuit
    >>> [str(step) for step in circuit.steps], [str(unit) for unit in circuit.units]
    (['v_3(n) >= 1', 'v_3(n+1) >= 1'], ['LeakyReLU(100 (v_3(n)))', ...])
    """

    problem: Problem
    codes: tuple[PrimeCode, ...]
    channels: tuple[Channel, ...]
    features: Mapping[Value, tuple[Feature, ...]]

    @property
    def groups(self) -> int:
        """The number of groups of classes that the network identifies."""
        return prod(code.count for code in self.codes)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The thresholds that the answer depends on."""
        return tuple(step for code in self.codes for step in code.steps)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units of the first hidden layer, by index; those that follow are not used."""
        ends = (Unit(step.value, step.bound - below) for step in self.steps for below in (1, 0))
        return tuple(dict.fromkeys(ends))

    @property
    def bits(self) -> tuple[Bit, ...]:
        """The units of the second hidden layer, by index."""
        return tuple(Bit(code.prime, place) for code in self.codes for place in range(code.bits))

    @property
    def digits(self) -> tuple[Digit, ...]:
        """The units of the third hidden layer, by index."""
        return tuple(
            Digit(code.prime, place) for code in self.codes for place in range(-(-code.bits // DIGIT_BITS))
        )

    def digit_of(self, digit: Digit, residue: int) -> int:
        """The digit for the group of a class."""
        code = next(code for code in self.codes if code.prime == digit.prime)
        label = code.labels[residue % code.power]
        return label // BASE**digit.place % BASE

    def lines(self) -> Iterator[str]:
        """The circuit as text, a line for each part."""
        for i, channel in enumerate(self.channels):
            yield f"convolution, channel {i}: {channel}"
        for i, unit in enumerate(self.units):
            yield f"linear.act1, unit {i}: {unit}"
        for i, bit in enumerate(self.bits):
            yield f"linear.act2, unit {i}: bit {bit.place} of the group modulo {self._power(bit.prime)}"
        for i, digit in enumerate(self.digits):
            yield f"linear.act3, unit {i}: digit {digit.place} of the group modulo {self._power(digit.prime)}"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _power(self, prime: int) -> int:
        return next(code.power for code in self.codes if code.prime == prime)
