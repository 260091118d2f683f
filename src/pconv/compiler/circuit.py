"""The circuit of a compiled network: what each channel and each hidden unit computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pconv.compiler.reading import Mask, Profile
from pconv.compiler.steps import PrimeCode, Step, Value
from pconv.theory.problem import Problem

SCALE = 100
"""LeakyReLU's slope below zero is 1/100: of multiples of 100 it makes whole numbers."""
EXACT = 2**24
"""Whole numbers below it are exact in single precision."""
DIGIT_BITS = 5
BASE = 1 << DIGIT_BITS
"""A unit of the third hidden layer holds five binary digits of a group's number: a digit to this base."""


class Channel(NamedTuple):
    """A channel: after pooling, sums of the grid from one of its corners up to a row and a column.

    >>> print(Channel(Mask("first", 1), Mask("last", 0)))
    at (r, c), the sum of the rows up to r+1 and the columns from c on
    """

    rows: Mask | Profile
    columns: Mask

    def __str__(self) -> str:
        rows = f"the rows {self.rows.described('r')}"
        return f"at (r, c), the sum of {rows} and the columns {self.columns.described('c')}"


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
    """A unit of the second hidden layer: 99 times a binary digit of a code's number for n's group."""

    code: int
    place: int


class Digit(NamedTuple):
    """A unit of the third hidden layer: 99 times a digit, to base 32, of the number of n's group."""

    code: int
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
        return len({tuple(self.digit_of(d, k) for d in self.digits) for k in range(self.problem.modulus)})

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
        return tuple(Bit(i, place) for i, code in enumerate(self.codes) for place in range(code.bits))

    @property
    def digits(self) -> tuple[Digit, ...]:
        """The units of the third hidden layer, by index."""
        return tuple(
            Digit(i, place)
            for i, code in enumerate(self.codes)
            for place in range(-(-code.bits // DIGIT_BITS))
        )

    def digit_of(self, digit: Digit, residue: int) -> int:
        """The digit for the group of a class."""
        code = self.codes[digit.code]
        return (code.labels[residue % code.power] >> DIGIT_BITS * digit.place) % BASE

    def lines(self) -> Iterator[str]:
        """The circuit as text, a line for each part."""
        for i, channel in enumerate(self.channels):
            yield f"convolution, channel {i}: {channel}"
        for i, unit in enumerate(self.units):
            yield f"linear.act1, unit {i}: {unit}"
        for i, bit in enumerate(self.bits):
            yield f"linear.act2, unit {i}: bit {bit.place} of {self._name(bit.code)}"
        for i, digit in enumerate(self.digits):
            yield f"linear.act3, unit {i}: digit {digit.place} of {self._name(digit.code)}"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _name(self, index: int) -> str:
        code = self.codes[index]
        several = sum(other.prime == code.prime for other in self.codes) > 1
        read = f", as far as {code.steps[0].value} shows it" if several else ""
        return f"the number of the group modulo {code.power}{read}"
