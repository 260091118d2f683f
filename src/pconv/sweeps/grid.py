"""Sweep files: grids of alternatives, every combination of which is a run."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from pconv._text import shortened
from pconv.config import RunConfig
from pconv.config_args import argument_names, config_from_args
from pconv.errors import InputError
from pconv.store.checks import check_names

MAX_RUNS = 100_000
"""The most combinations of a grid."""


def read_spec(path: Path) -> list[RunConfig]:
    """The runs of a file, each once; the last list of a grid varies fastest."""
    try:
        spec = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError("spec", path, f"cannot be read ({reason})") from None
    except (ValueError, RecursionError) as error:  # also of a number with thousands of digits
        raise InputError("spec", path, f"is not TOML: {shortened(str(error))}") from None
    return expand(spec, str(path))


def expand(spec: Mapping[str, Any], name: str = "spec") -> list[RunConfig]:
    """The runs of a table `[grid]`, or of an array of tables `[[grid]]`, each once.

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
    keys = argument_names()
    for key in grid:
        if key not in keys:
            allowed = f"is not a key of [grid]; there are: {', '.join(sorted(keys))}"
            raise InputError(shortened(key), shortened(repr(grid[key])), allowed)
    if "modulus" not in grid:
        raise InputError("modulus", "(missing)", "[grid] needs it")
    alternatives = [value if isinstance(value, list) else [value] for value in grid.values()]
    for key, listed in zip(grid, alternatives, strict=True):
        if not listed:
            raise InputError(key, "[]", "needs at least one value")
    count = prod(map(len, alternatives))
    if count > MAX_RUNS:
        raise InputError("spec", "[grid]", f"has {count:,} combinations; at most {MAX_RUNS:,} are taken on")
    for values in product(*alternatives):
        yield _config(dict(zip(grid, values, strict=True)))


def _config(given: Mapping[str, Any]) -> RunConfig:
    """One combination, with values as the command line takes them."""
    for key in ("offsets", "preset"):
        if not isinstance(given.get(key, ""), str):
            raise InputError(key, repr(given[key]), "must be written as on the command line, in quotes")
    count = given.get("successors", 0)
    if isinstance(count, bool) or not isinstance(count, int):
        raise InputError("successors", repr(count), "must be a whole number")
    config = config_from_args(**given)
    check_names(config)  # before the first run is trained
    return config
