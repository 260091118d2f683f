"""The arithmetic of formulas: exact functions of whole numbers, on arrays.

Every function has a value for all arguments, so that no formula is undefined: x // 0 is 0, x % 0 is x, and
the exponent of a number in 0 is larger than any other. A program adds a function with `register_function`;
formulas and searches then include it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from pconv._arrays import IntArray
from pconv.data.factorization import prime_powers
from pconv.data.primes import primes_below
from pconv.errors import InputError

BOUND = 2**31
"""Values stay below it in size: a product of two then fits into 64 bits, so that nothing is ever rounded."""
INFINITE = 64
"""The exponent of a number in 0: larger than that of any other value."""
_TABLE = 2**16  # radicals and totients up to here are looked up

Function = Callable[..., IntArray]


@dataclass(frozen=True)
class Operation:
    """A function of formulas.

    Parameters
    ----------
    name
        As it is written, such as `gcd` or `+`.
    arity
        How many arguments it takes: one or two.
    function
        The function from arrays of whole numbers to an array.
    commutative
        Whether the order of two arguments does not matter.
    binding
        For an operator between its arguments: how strongly it binds; 0 for a function.
    """

    name: str
    arity: int
    function: Function
    commutative: bool = False
    binding: int = 0

    def __call__(self, *arguments: IntArray) -> IntArray:
        return self.function(*arguments)


def _floor_division(x: IntArray, y: IntArray) -> IntArray:
    quotient = np.floor_divide(x, np.where(y == 0, 1, y))
    return np.where(y == 0, 0, quotient)


def _modulo(x: IntArray, y: IntArray) -> IntArray:
    rest = np.mod(x, np.where(y == 0, 1, y))
    return np.where(y == 0, x, rest)


def _power(x: IntArray, y: IntArray) -> IntArray:
    """x^y; 0 for a negative exponent. A power past the bound is the bound itself, which is out of range."""
    exponent = np.maximum(y, 0)
    small = exponent * np.log2(np.maximum(np.abs(x), 1)) < 31
    result = np.where(small, x, 1) ** np.where(small, exponent, 0)
    return np.where(y < 0, 0, np.where(small, result, BOUND))


def _valuation(x: IntArray, q: IntArray) -> IntArray:
    """The exponent of q in x; 0 if q is -1, 0 or 1."""
    x, q = np.broadcast_arrays(x, q)
    proper = np.abs(q) >= 2
    divisor = np.where(proper, q, 2)
    rest, exponent = x, np.zeros_like(x)
    divides = proper & (x != 0) & (np.mod(x, divisor) == 0)
    while divides.any():
        exponent = exponent + divides
        rest = np.where(divides, rest // divisor, rest)
        divides = divides & (np.mod(rest, divisor) == 0)
    return np.where(proper & (x == 0), INFINITE, exponent)


def radical_of(number: int) -> int:
    """The product of the primes of a number; 0 for 0.

    >>> radical_of(360), radical_of(-7), radical_of(0)
    (30, 7, 0)
    """
    result = 1 if number else 0
    for power in prime_powers(abs(number)) if abs(number) > 1 else ():
        result *= power.prime
    return result


def totient_of(number: int) -> int:
    """Euler's totient; 0 for 0.

    >>> totient_of(9), totient_of(1), totient_of(0)
    (6, 1, 0)
    """
    result = abs(number)
    for power in prime_powers(result) if result > 1 else ():
        result = result // power.prime * (power.prime - 1)
    return result


@cache
def _tables() -> dict[str, IntArray]:
    """The radicals and the totients of all numbers below `_TABLE`, by a sieve."""
    totients = np.arange(_TABLE, dtype=np.int64)
    radicals = np.ones(_TABLE, dtype=np.int64)
    radicals[0] = 0
    for p in primes_below(_TABLE).tolist():
        totients[p::p] -= totients[p::p] // p
        radicals[p::p] *= p
    return {"rad": radicals, "phi": totients}


def _tabulated(name: str, single: Callable[[int], int]) -> Function:
    def function(x: IntArray) -> IntArray:
        size = np.abs(x)
        values = _tables()[name][np.minimum(size, _TABLE - 1)]
        if size.max(initial=0) < _TABLE:
            return values
        large, where = np.unique(size[size >= _TABLE], return_inverse=True)
        if large[-1] >= BOUND:
            raise InputError("formula", name, f"of a number of {BOUND} or more")
        values[size >= _TABLE] = np.array([single(number) for number in large.tolist()])[where]
        return values

    return function


_operations: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("<", 2, lambda x, y: np.asarray(x < y, dtype=np.int64), binding=1),
        Operation("=", 2, lambda x, y: np.asarray(x == y, dtype=np.int64), commutative=True, binding=1),
        Operation("+", 2, np.add, commutative=True, binding=2),
        Operation("-", 2, np.subtract, binding=2),
        Operation("*", 2, np.multiply, commutative=True, binding=3),
        Operation("//", 2, _floor_division, binding=3),
        Operation("%", 2, _modulo, binding=3),
        Operation("^", 2, _power, binding=4),
        Operation("gcd", 2, np.gcd, commutative=True),
        Operation("v", 2, _valuation),
        Operation("min", 2, np.minimum, commutative=True),
        Operation("max", 2, np.maximum, commutative=True),
        Operation("rad", 1, _tabulated("rad", radical_of)),
        Operation("phi", 1, _tabulated("phi", totient_of)),
    )
}


def operations() -> dict[str, Operation]:
    """All operations by name."""
    return dict(_operations)


def register_function(name: str, arity: int, commutative: bool = False) -> Callable[[Function], Operation]:
    """Decorator that adds a function to formulas and searches, for this process.

    Parameters
    ----------
    name
        As it is written in formulas: letters, then perhaps digits.
    arity
        The number of arguments: one or two.
    commutative
        Whether the order of two arguments does not matter, which halves their search.

    Examples
    --------
    >>> @register_function("square", 1)
    ... def square(x):
    ...     return x * x
    >>> from pconv.discover import parse
    >>> parse("square(n) % m").size
    4
    >>> remove_function("square")
    """
    if not (name.isascii() and name.isalnum() and name[0].isalpha()) or len(name) == 1 or name in _operations:
        raise InputError("name", name, "must be a new name of at least two letters and digits")
    if arity not in (1, 2):
        raise InputError("arity", arity, "must be 1 or 2")

    def add(function: Function) -> Operation:
        _operations[name] = Operation(name, arity, function, commutative)
        return _operations[name]

    return add


def remove_function(name: str) -> None:
    """Removes a function that `register_function` added."""
    _operations.pop(name)


def in_range(values: IntArray) -> bool:
    """Whether all values are below the bound in size, so that they are exact."""
    return bool(values.size == 0 or max(-int(values.min()), int(values.max())) < BOUND)
