"""A sweep's file: a grid of alternatives, every combination of which is a run."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

from pconv.config import RunConfig
from pconv.config_args import run_config, sizes
from pconv.errors import InputError
from pconv.store.checks import check_names

_KEYS = {field.name for field in fields(RunConfig)} | {"successors", "preset", "no_early_stop"}


def read_spec(path: Path) -> list[RunConfig]:
    """The runs that a file asks for, each once, in the order in which the file's lists vary."""
    try:
        spec = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError("spec", path, f"cannot be read ({reason})") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError("spec", path, f"is not TOML: {error}") from None
    return expand(spec, str(path))


def expand(spec: Mapping[str, Any], name: str = "spec") -> list[RunConfig]:
    """The runs of `[grid]`, or of several `[[grid]]` one after the other.

    >>> [c.modulus for c in expand({"grid": {"modulus": [7, 11], "successors": 8}})]
    [7, 11]
    """
    grids = spec.get("grid")
    grids = grids if isinstance(grids, list) else [grids]
    if set(spec) != {"grid"} or not all(isinstance(grid, dict) for grid in grids):
        raise InputError("spec", name, "needs a table [grid], and nothing else, at its top")
    runs = {config.run_id: config for grid in grids for config in _combinations(grid)}
    return list(runs.values())


def _combinations(grid: Mapping[str, Any]) -> Iterator[RunConfig]:
    for key in grid:
        if key not in _KEYS:
            allowed = f"is not a key of [grid]; there are: {', '.join(sorted(_KEYS))}"
            raise InputError(key, repr(grid[key]), allowed)
    if "modulus" not in grid:
        raise InputError("modulus", "(missing)", "[grid] needs it")
    alternatives = [value if isinstance(value, list) else [value] for value in grid.values()]
    for values in product(*alternatives):
        yield _config(dict(zip(grid, values, strict=True)))


def _config(asked: dict[str, Any]) -> RunConfig:
    """One combination, read as the command line would read it."""
    for key in ("kernel", "channels"):
        if key in asked:
            asked[key] = sizes(key, str(asked[key]))
    for key in ("offsets", "preset"):
        if not isinstance(asked.get(key, ""), str):
            raise InputError(key, repr(asked[key]), "must be written as on the command line, in quotes")
    if "no_early_stop" in asked:
        given = asked.pop("no_early_stop")
        asked["early_stop"] = not given if isinstance(given, bool) else given
    count, offsets = asked.pop("successors", None), asked.pop("offsets", None)
    if count is not None and (isinstance(count, bool) or not isinstance(count, int)):
        raise InputError("successors", repr(count), "must be a whole number")
    config = run_config(asked.pop("preset", "quick"), count, offsets, **asked)
    check_names(config)  # before the first run, not in each
    return config
