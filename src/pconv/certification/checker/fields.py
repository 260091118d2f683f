"""The fields of a certificate and the form of their values, checked before any is used."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pconv._json import MOST_DIGITS

_SHARE = re.compile(rf"\d{{1,{MOST_DIGITS}}}(/0*[1-9]\d{{0,{MOST_DIGITS - 1}}})?")


class Rejected(Exception):
    """Why a certificate does not hold."""


class Form(NamedTuple):
    """The form of a value: in words, and as a condition."""

    words: str
    fits: Callable[[Any], bool]


def _of_type(words: str, kind: type) -> Form:
    return Form(words, lambda value: type(value) is kind)


TEXT = _of_type("a text", str)
OBJECT = _of_type("an object", dict)
LIST = _of_type("a list", list)
COUNT = Form("a whole number from 0", lambda value: type(value) is int and value >= 0)
NUMBER = Form("a number", lambda value: type(value) in (int, float))
SHARE = Form("a fraction", lambda value: isinstance(value, str) and bool(_SHARE.fullmatch(value)))
NOTHING = Form("null, as of a statement that is proved", lambda value: value is None)

_FIELDS = {
    **dict.fromkeys(("format", "pconv", "kind", "network", "digest", "checksum"), TEXT),
    **dict.fromkeys(("config", "rounding"), OBJECT),
    **dict.fromkeys(("low", "high", "leaks_low", "leaks_high", "wanted_width"), NUMBER),
    **dict.fromkeys(("low_fraction", "high_fraction", "ceiling_fraction"), SHARE),
    **dict.fromkeys(("leaks_low_fraction", "leaks_high_fraction"), SHARE),
    **dict.fromkeys(("grids", "wrong_grids", "short_grids", "unsure_grids"), COUNT),
    "examples": LIST,
}
_MASSES = ("covered", "covered_ceiling", "wrong", "unsure", "shortfall", "doubt")
_FIELDS_OF_KIND: Mapping[str, Mapping[str, Form]] = {
    "enumerated": {
        "confidence": NOTHING,
        "levels": OBJECT,
        "blocks": LIST,
        **dict.fromkeys(_MASSES, SHARE),
    },
    "sampled": {
        "confidence": NUMBER,
        "seed": COUNT,
        "batch": COUNT,
        "interval": TEXT,
        "lost": OBJECT,
        "open": OBJECT,
    },
}


def check_fields(document: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless a certificate has the fields of its kind, and values of their form."""
    forms = {**_FIELDS, **_FIELDS_OF_KIND[document["kind"]]}
    for name, form in forms.items():
        if name not in document:
            raise Rejected(f"it has no {name}")
        if not form.fits(document[name]):
            raise Rejected(f"its {name} is {shown(document[name])}, and must be {form.words}")
    for name in document:
        if name not in forms:
            raise Rejected(f"it has a field {shown(name)}, which is not known here")


def shown(value: Any) -> str:
    """A value in a message, or its beginning.

    >>> shown([1, 2]), shown("7" * 50)
    ('[1, 2]', '7777777777777777777777777777777777777...')
    """
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
