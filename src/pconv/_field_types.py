"""Checks that the values of a dataclass, read from a document, have the types that its fields declare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


def check_field_types(instance: T) -> T:
    """The instance, if every field, at any depth, has its declared type; else a `TypeError` names it.

    Only the types of JSON documents are checked: numbers, texts, truth values, None, enumerations, tuples,
    mappings and dataclasses of these. An integer counts as a float.

    >>> from pconv.result import Epoch
    >>> check_field_types(Epoch(1, 0.5, 1, 0.25)).accuracy
    1
    >>> check_field_types(Epoch("1", 0.5, 1.0, 0.25))
    Traceback (most recent call last):
    TypeError: Epoch.epoch is not of type int
    """
    kind: type = type(instance)
    hints = _hints(kind)
    for field in fields(instance):  # type: ignore[arg-type]
        if not _fits(getattr(instance, field.name), hints[field.name]):
            expected = getattr(hints[field.name], "__name__", hints[field.name])
            raise TypeError(f"{kind.__name__}.{field.name} is not of type {expected}")
    return instance


@cache
def _hints(of: type) -> dict[str, Any]:
    return get_type_hints(of)


def _fits(value: Any, hint: Any) -> bool:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return any(_fits(value, each) for each in arguments)
    if origin is tuple:
        return isinstance(value, tuple) and _members_fit(value, arguments)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(
            _fits(key, arguments[0]) and _fits(member, arguments[1]) for key, member in value.items()
        )
    if hint in (int, float):
        return isinstance(value, int if hint is int else int | float) and not isinstance(value, bool)
    if hint in (str, bool, NoneType):
        return isinstance(value, hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return isinstance(value, hint) and check_field_types(value) is not None
    return not isinstance(hint, type) or isinstance(value, hint)


def _members_fit(values: tuple[Any, ...], hints: tuple[Any, ...]) -> bool:
    if len(hints) == 2 and hints[1] is Ellipsis:
        if hints[0] in (int, float):  # rows of confusion matrices: millions of numbers in a large store
            return set(map(type, values)) <= {int, hints[0]}
        return all(_fits(value, hints[0]) for value in values)
    return len(values) == len(hints) and all(map(_fits, values, hints))
