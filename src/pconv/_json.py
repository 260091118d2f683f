"""JSON files of users, and JSON without NaN and infinities, which Python writes and JSON does not have."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any

from pconv.errors import InputError

MOST_DIGITS = 100_000
"""The most digits of a whole number that certificates have, where Python itself allows 4,300."""
_SHOWN = 40  # characters of a name in a message


@contextmanager
def long_numbers() -> Iterator[None]:
    """Lets Python read and write whole numbers of up to `MOST_DIGITS` digits; also a decorator.

    >>> with long_numbers():
    ...     len(str(10**5_000))
    5001
    """
    before = sys.get_int_max_str_digits()
    if before == 0 or before >= MOST_DIGITS:  # 0: no limit
        yield
        return
    sys.set_int_max_str_digits(MOST_DIGITS)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def strict_json(data: Any, separators: tuple[str, str] | None = None) -> str:
    """The data as JSON; numbers that are not finite are null.

    >>> strict_json({"loss": float("nan"), "epochs": [1, 2.5]})
    '{"loss": null, "epochs": [1, 2.5]}'
    """
    with long_numbers():
        try:
            return json.dumps(data, separators=separators, allow_nan=False)
        except ValueError:  # rare, so that only then the data is copied
            return json.dumps(_finite(data), separators=separators, allow_nan=False)


def canonical_json(data: Any) -> str:
    """One text for equal data of equal types: Python takes 4.0 for 4, and 0 for false.

    >>> canonical_json({"b": 4, "a": False}) == canonical_json({"a": 0, "b": 4.0})
    False
    """
    return json.dumps(data, sort_keys=True)


def read_json(path: Path, option: str) -> Any:
    """The document in a file; an `InputError` that names the option if there is none.

    A name that an object has twice is an error, too: of two values Python would keep the last.
    """
    try:
        return json.loads(path.read_text("utf-8"), object_pairs_hook=_object)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(option, path, f"cannot be read as JSON ({error})") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the name {twice[:_SHOWN]!r} twice")
    return found


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data
