"""Conditions on runs, as in `pconv runs --where "primes>=64"`, and the order of runs.

The fields are those of a configuration, as `RunConfig` declares them, with `successors` and `rows`, and the
figures of a run. A field that is added to `RunConfig` can be used here without a change.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from pconv._colours import VERDICTS_IN_TERMINAL
from pconv._text import shortened
from pconv.config import RunConfig
from pconv.config_fields import Integer, Name, Number, Switch, Values, option_of
from pconv.errors import InputError
from pconv.store.summary import STATUSES, Summary

_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "==": operator.eq,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
_EQUALITIES = (operator.eq, operator.ne)
_CONDITION = re.compile(r"\s*([A-Za-z_-]+)\s*(<=|>=|!=|==|=|<|>)\s*(.*?)\s*")


@dataclass(frozen=True)
class RunField:
    """A field that runs can be selected and sorted by.

    Parameters
    ----------
    name
        Its name in conditions.
    get
        Its value in a run; None where the run has none.
    parse
        From a text to a value; a `ValueError` where the text is none.
    ordered
        Whether values can be compared by size.
    listed
        Whether `a,b` are two alternatives; else the comma is part of the value.
    """

    name: str
    get: Callable[[Summary, RunConfig], Any]
    parse: Callable[[str], Any]
    ordered: bool = False
    listed: bool = True


@cache
def run_fields() -> Mapping[str, RunField]:
    """All fields by name.

    >>> list(run_fields())[:4]
    ['modulus', 'offsets', 'primes', 'kernel']
    """
    found = [_config_field(field.name, option_of(field).values) for field in fields(RunConfig)]
    found += [RunField(name, _of_config(name), int, ordered=True) for name in ("successors", "rows")]
    found += [RunField("best_epoch", _of_summary("best_epoch"), int, ordered=True)]
    for name in ("best_accuracy", "test_accuracy", "seconds"):
        found.append(RunField(name, _of_summary(name), float, ordered=True))
    found += [RunField(name, _of_summary(name), _truth_value) for name in ("census", "weights")]
    found.append(RunField("status", _of_summary("status"), _one_of(STATUSES)))
    found.append(RunField("verdict", _of_summary("verdict"), _one_of(VERDICTS_IN_TERMINAL)))
    return {field.name: field for field in found}


def _config_field(name: str, values: Values) -> RunField:
    if isinstance(values, Integer | Number):
        return RunField(name, _of_config(name), values.written, ordered=True)
    if isinstance(values, Switch):
        return RunField(name, _of_config(name), _truth_value)
    if isinstance(values, Name):
        return RunField(name, _of_config(name), str)
    # sizes of layers and offsets: in their canonical form
    return RunField(
        name, _of_config(name), lambda text: values.check(name, values.parse(name, text)), listed=False
    )


def _of_config(name: str) -> Callable[[Summary, RunConfig], Any]:
    return lambda summary, config: getattr(config, name)


def _of_summary(name: str) -> Callable[[Summary, RunConfig], Any]:
    return lambda summary, config: getattr(summary, name)


def _truth_value(text: str) -> bool:
    return _one_of(("true", "false"))(text) == "true"


def _one_of(allowed: Iterable[str]) -> Callable[[str], str]:
    names = tuple(allowed)

    def parse(text: str) -> str:
        if text not in names:
            raise ValueError(f"it is one of: {', '.join(names)}")
        return text

    return parse


@dataclass(frozen=True)
class Condition:
    """A condition on one field of a run: it must compare so with one of the values, for != with all."""

    field: RunField
    compare: Callable[[Any, Any], bool]
    values: tuple[Any, ...]

    @classmethod
    def parse(cls, text: str, flag: str = "where") -> Condition:
        """The condition of a text: FIELD, then =, !=, <, <=, > or >=, then a value.

        After = and != there may be several values, `modulus=11,13`.

        Parameters
        ----------
        text
            The condition.
        flag
            The option that it comes from, for messages.

        Examples
        --------
        >>> Condition.parse("modulus=11,13").values, Condition.parse("kernel = 7,3").values
        ((11, 13), ((7, 3),))
        >>> Condition.parse("primes>=many")
        Traceback (most recent call last):
        pconv.errors.InputError: where 'primes>=many': 'many' is no value of primes: it is a number
        """
        found = _CONDITION.fullmatch(text)
        if not found:
            raise InputError(flag, repr(shortened(text)), "must be FIELD OPERATOR VALUE, as in primes>=64")
        name, sign, value = found.groups()
        field, compare = field_named(name, flag), _OPERATORS[sign]
        if compare not in _EQUALITIES and not field.ordered:
            raise InputError(flag, repr(shortened(text)), f"{field.name} can be compared by = and != only")
        several = compare in _EQUALITIES
        return cls(field, compare, _values(field, value, flag, text, several))

    @classmethod
    def equal(cls, name: str, text: str) -> Condition:
        """That a field has this value, or one of several with commas between them; its flag has its name."""
        field = field_named(name)
        return cls(field, operator.eq, _values(field, text, name, text, several=True))

    def holds(self, summary: Summary, config: RunConfig) -> bool:
        value = self.field.get(summary, config)
        if self.compare is operator.ne:
            return value not in self.values
        return value is not None and any(self.compare(value, each) for each in self.values)


def _values(field: RunField, text: str, flag: str, given: str, several: bool) -> tuple[Any, ...]:
    """The values in a text; `given` is what messages show of the user's input."""
    texts = text.split(",") if field.listed and several else [text]
    values = []
    for each in map(str.strip, texts):
        try:
            values.append(field.parse(each))
            if not each or values[-1] != values[-1]:  # nan is equal to nothing
                raise ValueError
        except ValueError as error:
            reason = error.allowed if isinstance(error, InputError) else str(error)
            allowed = reason if reason.startswith(("it is", "must")) else "it is a number"
            wrong = f"{shortened(each)!r} is no value of {field.name}: {allowed}"
            raise InputError(flag, repr(shortened(given)), wrong) from None
    return tuple(values)


def field_named(name: str, flag: str = "where") -> RunField:
    """The field of this name, in which dashes count as underscores; an `InputError` if there is none."""
    field = run_fields().get(name.replace("-", "_"))
    if field is None:
        raise InputError(flag, repr(shortened(name)), f"must be a field: {', '.join(run_fields())}")
    return field


def select(
    summaries: Sequence[Summary], conditions: Iterable[Condition] = (), sort: str | None = None
) -> list[Summary]:
    """The runs for which all conditions hold.

    Parameters
    ----------
    summaries
        Runs of a store.
    conditions
        The conditions.
    sort
        The field by which they are sorted, with a minus before it in descending order. Runs without a value
        come last, equal ones stay in their order.
    """
    wanted = list(conditions)
    if not wanted and sort is None:
        return list(summaries)
    every = [(summary, RunConfig.from_dict(summary.config)) for summary in summaries]
    found = [pair for pair in every if all(condition.holds(*pair) for condition in wanted)]
    if sort is None:
        return [summary for summary, _ in found]
    field = field_named(sort.removeprefix("-"), "sort")
    known = [pair for pair in found if field.get(*pair) is not None]
    unknown = [pair for pair in found if field.get(*pair) is None]
    known.sort(key=lambda pair: field.get(*pair), reverse=sort.startswith("-"))
    return [summary for summary, _ in known + unknown]
