"""Formulas: whole-number expressions of a few variables, as trees."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

from pconv.discover.operations import operations

AGGREGATES = ("sum", "min", "max")
"""The functions over all values of a bound variable: `sum_o(x)` is the sum of x over the rows o."""
CONSTANTS = (1, 2)
"""The constants that a search uses; a formula may have others."""
_LOOSE, _TIGHT = 0, 9  # the bindings of a whole formula, and of a function or a variable


@dataclass(frozen=True)
class Variables:
    """The variables of a kind of formula: free ones, and bound ones that take several values."""

    free: tuple[str, ...]
    bound: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.free, *self.bound)

    @property
    def symbol_bits(self) -> float:
        """The bits that a symbol of a formula costs: all symbols are equally likely."""
        aggregates = len(AGGREGATES) * len(self.bound)
        return log2(len(self.names) + len(CONSTANTS) + len(operations()) + aggregates)


CLASS_VARIABLES = Variables(("n", "m"), ("o", "p"))
"""Laws of partitions: the class n, the modulus m, the offsets o of the rows, the primes p of m."""
COUNT_VARIABLES = Variables(("p", "a", "W"), ("i",))
"""Laws of numbers of groups: modulo p^a with W consecutive rows; i goes from 0 to a."""


@dataclass(frozen=True)
class Formula:
    """A symbol and the formulas it applies to.

    The symbol is a variable, a constant, an operation, or an aggregate over a bound variable (`sum_o`).

    >>> n, o, m = (Formula(name) for name in "nom")
    >>> law = Formula("gcd", (Formula("+", (n, o)), m))
    >>> str(law), law.size
    ('gcd(n+o, m)', 5)
    """

    symbol: str
    arguments: tuple[Formula, ...] = ()

    @property
    def size(self) -> int:
        """The number of symbols."""
        return 1 + sum(argument.size for argument in self.arguments)

    @property
    def names(self) -> frozenset[str]:
        """The variables that are not bound by an aggregate."""
        if self.symbol.isdigit():
            return frozenset()
        if not self.arguments:
            return frozenset({self.symbol})
        found = frozenset[str]().union(*(argument.names for argument in self.arguments))
        return found - {bound_by(self.symbol)}

    def bits(self, variables: Variables) -> float:
        """The length of the formula as a code in Polish notation, in which all symbols are equally likely.

        A constant c that a search does not use costs the code of its digits in addition.
        """
        own = variables.symbol_bits
        if self.symbol.isdigit() and int(self.symbol) not in CONSTANTS:
            own += 2 * int(self.symbol).bit_length() + 1
        return own + sum(argument.bits(variables) for argument in self.arguments)

    def __str__(self) -> str:
        return _written(self, _LOOSE)


def claim(formula: Formula) -> str:
    """What a law of partitions says, in one sentence without its end.

    >>> claim(Formula("%", (Formula("n"), Formula("p"))))
    'classes are mixed iff n % p is the same at every prime p of m'
    """
    rows = "in every row n+o" if "o" in formula.names else ""
    primes = "at every prime p of m" if "p" in formula.names else ""
    where = f" {' and '.join(filter(None, (rows, primes)))}" if rows or primes else ""
    return f"classes are mixed iff {formula} is the same{where}"


def bound_by(symbol: str) -> str | None:
    """The variable that an aggregate binds; None for other symbols.

    >>> bound_by("sum_o"), bound_by("gcd")
    ('o', None)
    """
    kind, underscore, variable = symbol.partition("_")
    return variable if underscore and kind in AGGREGATES else None


def _written(formula: Formula, around: int) -> str:
    if not formula.arguments:
        return formula.symbol
    known = operations().get(formula.symbol)
    if known is None or not known.binding:
        return f"{formula.symbol}({', '.join(_written(each, _LOOSE) for each in formula.arguments)})"
    left, right = formula.arguments
    same = left.symbol == formula.symbol and known.name in "+-*"  # operators group from the left
    text = _written(left, known.binding + (not same)) + _sign(known.name) + _written(right, known.binding + 1)
    return f"({text})" if known.binding < around else text


def _sign(name: str) -> str:
    return name if name in "+-*^" else f" {name} "
