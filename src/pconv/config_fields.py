"""Declarations of configuration fields: the values that a field takes, its flag and its help text."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import Field, dataclass
from numbers import Real
from typing import Any, ClassVar

from pconv._text import shortened
from pconv.errors import InputError


class Values:
    """The values that a field takes.

    `written` is the type as which the command line reads a value.
    """

    written: ClassVar[type] = str

    def check(self, name: str, value: Any) -> Any:
        """The value in its canonical form, or an `InputError` that names the field."""
        raise NotImplementedError

    def parse(self, name: str, value: Any) -> Any:
        """A value from the command line or a TOML file, as Python code would pass it."""
        return value

    def format(self, value: Any) -> str:
        """The value as the command line takes it."""
        return str(value)


@dataclass(frozen=True)
class Integer(Values):
    """Integers from `low` to `high`, both included.

    >>> Integer(1, 10).check("epochs", 3)
    3
    """

    low: int
    high: int
    written = int

    def check(self, name: str, value: Any) -> int:
        number = check_integer(name, value)
        if not self.low <= number <= self.high:
            raise InputError(name, number, f"must be from {self.low} to {self.high}")
        return number


@dataclass(frozen=True)
class Number(Values):
    """Real numbers from 0 to `high`; 0 itself only with `zero`. Infinities and nan are refused.

    >>> Number(10, zero=False).check("learning_rate", 1)
    1.0
    """

    high: float
    zero: bool = True
    written = float

    def check(self, name: str, value: Any) -> float:
        real = isinstance(value, Real) and not isinstance(value, bool)
        if not real or not 0 <= value <= self.high or (value == 0 and not self.zero):
            least = "from 0 to" if self.zero else "above 0 and at most"
            allowed = f"must be a number {least} {self.high}"
            raise InputError(name, value if real else repr(value), allowed)
        return float(value)


@dataclass(frozen=True)
class Name(Values):
    """Names of registered plugins; whether there is a plugin of that name is checked by its registry."""

    def check(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            raise InputError(name, shortened(repr(value)), "must be a name")
        if len(value) > 100 or not value.isprintable() or set(value) & set("<>|[]`"):
            allowed = "must be a name of up to 100 characters, none of which is <, >, |, [, ] or `"
            raise InputError(name, shortened(repr(value)), allowed)
        return value


@dataclass(frozen=True)
class Switch(Values):
    """True or false."""

    written = bool

    def check(self, name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise InputError(name, repr(value), "must be true or false")
        return value


@dataclass(frozen=True)
class Sizes(Values):
    """A size for each layer, from `low` to `high`; with `odd`, odd sizes only.

    >>> Sizes(3, 999, odd=True).parse("kernel", "7,3")
    (7, 3)
    """

    low: int
    high: int
    odd: bool = False

    def check(self, name: str, value: Any) -> tuple[int, ...]:
        sizes = check_integers(name, value)
        if not sizes or not all(map(self._allows, sizes)):
            odd = "odd, " if self.odd else ""
            allowed = f"must be {odd}from {self.low} to {self.high} in each layer"
            raise InputError(name, self.format(sizes) or "()", allowed)
        return sizes

    def _allows(self, size: int) -> bool:
        return self.low <= size <= self.high and (size % 2 == 1 or not self.odd)

    def parse(self, name: str, value: Any) -> tuple[int, ...]:
        try:
            return tuple(int(part) for part in str(value).split(","))
        except ValueError:
            allowed = "must be a whole number, or one for each layer as in 8,16"
            raise InputError(name, repr(value), allowed) from None

    def format(self, value: Sequence[int]) -> str:
        return ",".join(map(str, value))


@dataclass(frozen=True)
class Option:
    """What a field declares besides its type and default. `short` is its one-letter flag, if it has one."""

    values: Values
    short: str | None
    metavar: str | None
    help: str
    label: str

    def describe(self, name: str, value: Any) -> str:
        """The field and its value in a run's label.

        >>> option(Integer(1, 10), "-t", help="Passes.")["option"].describe("epochs", 5)
        't=5'
        """
        if self.label:
            return self.label.format(value)
        if isinstance(self.values, Name):
            return str(value)
        if self.short:
            return f"{self.short[1:]}={self.values.format(value)}"
        return f"{name.replace('_', ' ')} {value:,}"


def option(
    values: Values, short: str | None = None, *, metavar: str | None = None, help: str, label: str = ""
) -> dict[str, Option]:
    """The metadata of a configuration field.

    Parameters
    ----------
    values
        The values that the field takes.
    short
        The one-letter flag, as in `-t`. The long flag is the field's name.
    metavar
        Stands for the value in help texts.
    help
        One line for `--help`.
    label
        A format of the value in `RunConfig.label`, if `Option.describe` is not to choose one.

    Examples
    --------
    >>> option(Integer(1, 10), "-t", metavar="t", help="Passes.")["option"].short
    '-t'
    """
    return {"option": Option(values, short, metavar, help, label)}


def option_of(field: Field[Any]) -> Option:
    """What a field declared with `option`."""
    declared: Option = field.metadata["option"]
    return declared


def check_integer(name: str, value: Any) -> int:
    """The value as an `int`; numpy's integers are integers, truth values are not."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise InputError(name, repr(value), "must be a whole number") from None


def check_integers(name: str, values: Any) -> tuple[int, ...]:
    """The values as a tuple of `int`; a single value is a tuple of one."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        values = (values,)
    return tuple(check_integer(name, value) for value in values)
