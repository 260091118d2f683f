"""JSON files of users, and JSON without NaN and infinities, which Python writes and JSON does not have."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Any

from pconv.errors import InputError


def strict_json(data: Any, separators: tuple[str, str] | None = None) -> str:
    """The data as JSON; numbers that are not finite are null.

    >>> strict_json({"loss": float("nan"), "epochs": [1, 2.5]})
    '{"loss": null, "epochs": [1, 2.5]}'
    """
    try:
        return json.dumps(data, separators=separators, allow_nan=False)
    except ValueError:  # rare, so that only then the data is copied
        return json.dumps(_finite(data), separators=separators, allow_nan=False)


def read_json(path: Path, option: str) -> Any:
    """The document in a file; an `InputError` that names the option if there is none."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(option, path, f"cannot be read as JSON ({error})") from None


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data
