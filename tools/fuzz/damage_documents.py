"""Damage to JSON documents: they can still be parsed, but a value is not what its reader expects."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from tools.fuzz.values import FLOATS, INTEGERS, LONG_NUMBER, TEXTS

_RAW = {
    **{f"raw {text}": text for text in ("NaN", "Infinity", "-Infinity", "1e999", "-0", "1E-400")},
    "raw digits": LONG_NUMBER,
    "raw nested lists": "[" * 3_000 + "]" * 3_000,
    "raw nested objects": '{"a":' * 3_000 + "1" + "}" * 3_000,
    "raw surrogate": '"\\ud800"',
    "raw zero byte": '"\\u0000"',
    "raw repeated names": '{"a": 1, "a": [], "a": null}',
}
"""JSON that `json.dumps` would not write, by the text that stands for it until the document is written."""

Place = tuple[Any, Any]
"""A list or an object, and the index or name of one of its values."""


def damage_document(rng: random.Random, document: Any) -> Any:
    """A copy of the document with one to three values changed, removed, added or exchanged."""
    damaged = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(damaged))
        if not places:
            return rng.choice(_values(rng))
        container, key = _chosen(rng, places)
        rng.choice(_WAYS)(rng, container, key, places)
    return damaged


def write_document(rng: random.Random, document: Any) -> str:
    """The document as text, in which a name may occur twice."""
    text = json.dumps(document, ensure_ascii=rng.random() < 0.8)
    for name, raw in _RAW.items():
        text = text.replace(f'"{name}"', raw)
    if rng.random() < 0.05 and text.startswith('{"'):
        name = json.loads(text[1 : text.index(":", 1)]) if ":" in text else "a"
        text = f"{{{json.dumps(name)}: 0, {text[1:]}"
    return text


def _places(document: Any) -> Iterator[Place]:
    if isinstance(document, dict | list):
        for key in document if isinstance(document, dict) else range(len(document)):
            yield document, key
            yield from _places(document[key])


def _chosen(rng: random.Random, places: list[Place]) -> Place:
    """Places near the top as often as the many numbers of a matrix."""
    names = [place for place in places if isinstance(place[0], dict)]
    return rng.choice(names if names and rng.random() < 0.6 else places)


def _values(rng: random.Random) -> list[Any]:
    numbers = [rng.choice(INTEGERS), -rng.choice(INTEGERS), rng.choice(FLOATS)]
    containers: list[Any] = [[], {}, [[]], [None], {"a": 1}, [1, "x", None], [0] * 5_000]
    return [None, True, False, *numbers, rng.choice(TEXTS), "a\0b", *containers, *_RAW]


def _replace(rng: random.Random, container: Any, key: Any, places: list[Place]) -> None:
    container[key] = rng.choice(_values(rng))


def _vary(rng: random.Random, container: Any, key: Any, places: list[Place]) -> None:
    """Another value of the same type."""
    match container[key]:
        case bool(value):
            container[key] = not value
        case int(value):
            container[key] = rng.choice(
                (value + 1, value - 1, -value, value * 10**6, rng.choice(INTEGERS), float(value))
            )
        case float(value):
            container[key] = rng.choice((-value, value * 1e300, int(value), rng.choice(FLOATS)))
        case str(value):
            container[key] = rng.choice((value[:-1], value * 100, value.upper(), rng.choice(TEXTS)))
        case list(value):
            container[key] = rng.choice((value[:-1], value[::-1], value * 2, value[:1] * 3_000, [value], []))
        case _:
            container[key] = [container[key]]


def _remove(rng: random.Random, container: Any, key: Any, places: list[Place]) -> None:
    del container[key]


def _add(rng: random.Random, container: Any, key: Any, places: list[Place]) -> None:
    value = rng.choice(_values(rng))
    if isinstance(container, list):
        container.insert(key, value)
    else:
        container[rng.choice((*TEXTS, "seed", "parts", "census", "config"))] = value


def _exchange(rng: random.Random, container: Any, key: Any, places: list[Place]) -> None:
    """A copy of another part of the document."""
    other, name = rng.choice(places)
    container[key] = copy.deepcopy(other[name])


_WAYS = (_replace, _replace, _vary, _vary, _vary, _remove, _add, _exchange)
