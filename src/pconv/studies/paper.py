"""The figures that the paper prints, and when a run agrees with one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from pconv.config import PRESETS, RunConfig, preset_fields
from pconv.data.domain import VALIDATION_SIZE
from pconv.window import successor_window

LEVEL = 0.01
"""The level of Fisher's exact test."""
SOLVED = 0.99
"""Two accuracies of at least this always agree."""
MAIN_TABLES = ("prime-moduli", "prime-power-moduli", "splitting-moduli")
"""Prime moduli, prime powers, and moduli with several prime factors, over B and k."""
SIZES = tuple(sorted(PRESETS, key=lambda preset: -PRESETS[preset]["primes"]))
"""The presets, the paper's own size first."""
PATTERN_EPOCHS = (10, 50)
"""The epochs between which the paper compares the error pattern of one training."""


@dataclass(frozen=True)
class Printed:
    """A figure of the paper: the configuration it was measured on, and its accuracy or time."""

    config: RunConfig
    accuracy: float | None
    minutes: float | None


@cache
def _tables() -> dict[str, list[dict[str, Any]]]:
    text = files("pconv.studies").joinpath("paper.json").read_text(encoding="utf-8")
    return {name: rows for name, rows in json.loads(text).items() if name != "about"}


def table_names() -> list[str]:
    """The names of the paper's tables and figures, which are those of the studies that reproduce them."""
    return list(_tables())


def printed(name: str, preset: str = "quick") -> list[Printed]:
    """The figures of one table, with the preset's number of columns.

    >>> printed("kernels")[3].config.rows, printed("kernels")[3].accuracy
    (17, 0.07)
    """
    return [Printed(_config(row, preset), row.get("accuracy"), row.get("minutes")) for row in _tables()[name]]


def _config(row: dict[str, Any], preset: str) -> RunConfig:
    return RunConfig(
        modulus=row["m"],
        offsets=successor_window(row["B"]),
        kernel=(row["k"],),
        channels=tuple(row.get("channels", RunConfig.channels)),
        batches=row.get("r", RunConfig.batches),
        batch_size=row.get("s", RunConfig.batch_size),
        epochs=row.get("t", RunConfig.epochs),
        primes=preset_fields(preset)["primes"],
    )


@cache
def agrees(ours: float, papers: float) -> bool:
    """Whether two accuracies, each measured on 512 numbers, are consistent with one rate.

    They agree if Fisher's exact test does not reject at 1%, or if both are at least 0.99.

    >>> agrees(0.91, 0.92), agrees(0.998, 0.07), agrees(1.0, 0.99)
    (True, False, True)
    """
    if min(ours, papers) >= SOLVED:
        return True
    from scipy.stats import fisher_exact

    correct = [round(accuracy * VALIDATION_SIZE) for accuracy in (ours, papers)]
    table = [[count, VALIDATION_SIZE - count] for count in correct]
    return float(fisher_exact(table).pvalue) >= LEVEL
