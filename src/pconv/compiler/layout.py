"""The size of a compiled network: columns, kernel and channels, and where each exponent is found."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pconv.compiler.circuit import EXACT, SCALE, Channel, Circuit, Feature
from pconv.compiler.reading import Terms, masks_of, read_lines, smallest_radius
from pconv.compiler.steps import Value, prime_codes
from pconv.data.factorization import prime_powers
from pconv.data.primes import first_primes
from pconv.errors import InputError
from pconv.models.sizes import HIDDEN
from pconv.theory.problem import Problem

MAX_KERNEL = 999
MAX_EXPONENT = 62
"""No prime has a larger exponent in a number below 2^63, and no such number has more prime factors."""

_MOST_ROWS = EXACT // (2 * SCALE * (MAX_EXPONENT + 1)) - 1
"""An exponent is a difference of four sums of at most 62 a row: 100 times it is exact up to so many rows."""


def columns_for(modulus: int, least: int = 1) -> int:
    """The fewest columns that include every prime of the modulus.

    >>> columns_for(12), columns_for(1021), columns_for(8, least=2)
    (2, 172, 2)
    """
    largest = prime_powers(modulus)[-1].prime
    return max(least, len(_primes_up_to(largest)))


def _primes_up_to(largest: int) -> list[int]:
    return [int(p) for p in first_primes(172) if p <= largest]  # the primes below 1,024


def grid_circuit(problem: Problem) -> Circuit:
    """The circuit of a network whose first linear layer reads the grid itself."""
    codes = prime_codes(problem)
    values = {step.value: None for code in codes for step in code.steps}
    features = {value: tuple(_cells(problem, value)) for value in values}
    return checked(Circuit(problem, codes, (), features))


def _cells(problem: Problem, value: Value) -> Iterable[Feature]:
    for offset, weight in value.weights:
        yield Feature(0, problem.offsets.index(offset), column_of(value.prime), weight)


def column_of(prime: int) -> int:
    """The column of a prime.

    >>> column_of(2), column_of(13)
    (0, 5)
    """
    return int(np.searchsorted(first_primes(172), prime))


def convolution_circuit(problem: Problem, columns: int, kernel: int | None = None) -> tuple[Circuit, int]:
    """The circuit of a p-Conv with one convolution, and the size of its kernel.

    Parameters
    ----------
    problem
        Modulus, window and columns.
    columns
        The number of columns.
    kernel
        The size of the kernel; the smallest that can read all thresholds if None.
    """
    codes = prime_codes(problem)
    steps = [step for code in codes for step in code.steps]
    rows = {problem.offsets.index(step.value.weights[0][0]) for step in steps}
    across = {column_of(code.prime) for code in codes}
    needed = 2 * max(smallest_radius(problem.rows, rows), smallest_radius(columns, across)) + 1
    size = needed if kernel is None else kernel
    if size > MAX_KERNEL or size < needed:
        raise InputError("kernel", size, f"must be from {needed} to {MAX_KERNEL} to read this window")
    down, right = read_lines(problem.rows, size // 2, rows), read_lines(columns, size // 2, across)
    assert down is not None, "the kernel is large enough"
    assert right is not None, "the kernel is large enough"
    channels = tuple(Channel(a, b) for a in masks_of(down) for b in masks_of(right))
    features = {step.value: tuple(_corner_sums(problem, step.value, channels, down, right)) for step in steps}
    return checked(Circuit(problem, codes, channels, features)), size


def _corner_sums(
    problem: Problem, value: Value, channels: tuple[Channel, ...], down: Terms, right: Terms
) -> Iterable[Feature]:
    """An exponent as a difference of sums from a corner: two in each direction, four in all."""
    ((offset, weight),) = value.weights
    for a in down[problem.offsets.index(offset)]:
        for b in right[column_of(value.prime)]:
            channel = channels.index(Channel(a.mask, b.mask))
            yield Feature(channel, a.position, b.position, weight * a.sign * b.sign)


def checked(circuit: Circuit) -> Circuit:
    """The circuit, or an `InputError` if it does not fit the linear layers or its sums may be inexact."""
    problem = circuit.problem
    for needed, width in zip((circuit.units, circuit.bits, circuit.digits), HIDDEN, strict=True):
        if len(needed) > width:
            allowed = f"needs {len(needed):,} hidden units with {problem.rows} rows; the layer has {width:,}"
            raise InputError("modulus", problem.modulus, allowed)
    if circuit.channels and problem.rows > _MOST_ROWS:
        allowed = f"sums are exact up to {_MOST_ROWS:,} rows; the mlp needs no sums"
        raise InputError("offsets", f"of {problem.rows:,} rows", allowed)
    return circuit
