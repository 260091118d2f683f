"""What the paper prints, and when a run agrees with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from pconv.config import PRESETS, RunConfig
from pconv.data.domain import VALIDATION_SIZE
from pconv.window import successor_window

LEVEL = 0.01
"""Fisher's exact test rejects below it."""
SOLVED = 0.99
"""Two accuracies that are at least this are alike, however many numbers there are."""


@dataclass(frozen=True)
class Printed:
    """One figure of the paper: the run it was measured on, the accuracy or the time."""

    config: RunConfig
    accuracy: float | None
    minutes: float | None


@cache
def _tables() -> dict[str, list[dict[str, Any]]]:
    text = files("pconv.studies").joinpath("paper.json").read_text(encoding="utf-8")
    return {name: rows for name, rows in json.loads(text).items() if name != "about"}


def table_names() -> list[str]:
    """The paper's tables and figures, under the names of the studies that reproduce them."""
    return list(_tables())


def printed(name: str, preset: str = "quick", early_stop: bool = True) -> list[Printed]:
    """The figures of one table, on the preset's number of columns.

    >>> printed("kernels")[3].config.rows, printed("kernels")[3].accuracy
    (17, 0.07)
    """
    return [
        Printed(_config(row, preset, early_stop), row.get("accuracy"), row.get("minutes"))
        for row in _tables()[name]
    ]


def _config(row: dict[str, Any], preset: str, early_stop: bool) -> RunConfig:
    return RunConfig(
        modulus=row["m"],
        offsets=successor_window(row["B"]),
        kernel=(row["k"],),
        channels=tuple(row.get("channels", RunConfig.channels)),
        batches=row.get("r", RunConfig.batches),
        batch_size=row.get("s", RunConfig.batch_size),
        epochs=row.get("t", RunConfig.epochs),
        early_stop=early_stop,
        primes=PRESETS[preset]["primes"],
    )


@cache
def agrees(ours: float, papers: float) -> bool:
    """Whether two accuracies, each on 512 numbers, may be those of the same network.

    >>> agrees(0.91, 0.92), agrees(0.998, 0.07), agrees(1.0, 0.99)
    (True, False, True)
    """
    if min(ours, papers) >= SOLVED:
        return True
    from scipy.stats import fisher_exact

    right = [round(accuracy * VALIDATION_SIZE) for accuracy in (ours, papers)]
    table = [[count, VALIDATION_SIZE - count] for count in right]
    return float(fisher_exact(table).pvalue) >= LEVEL
