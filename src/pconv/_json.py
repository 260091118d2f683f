"""JSON that every program can read: Python's own writes NaN and infinities, which JSON does not have."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any


def strict_json(data: Any, separators: tuple[str, str] | None = None) -> str:
    """The data as JSON; numbers that are not finite are null.

    >>> strict_json({"loss": float("nan"), "epochs": [1, 2.5]})
    '{"loss": null, "epochs": [1, 2.5]}'
    """
    try:
        return json.dumps(data, separators=separators, allow_nan=False)
    except ValueError:  # rare, so that only then the data is copied
        return json.dumps(_finite(data), separators=separators, allow_nan=False)


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data
