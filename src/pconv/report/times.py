"""Training times: ours at both presets, the plain loop's by its pace, and the paper's printed minutes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.store.run import RunSource
from pconv.studies.catalog import studies

BENCH = "bench.json"
_TIMED = ("locality", "epochs", "batches")
_MISSING = "–"


@dataclass(frozen=True)
class Pace:
    """What a step of the plain loop takes, as `pconv bench` measured it."""

    successors: int
    kernel: int
    primes: int
    threads: int
    dense_ms: float

    @classmethod
    def of(cls, measurement: Mapping[str, Any]) -> Self:
        return cls(**{field.name: measurement[field.name] for field in fields(cls)})

    def fits(self, config: RunConfig) -> bool:
        """Whether the run has the network and the batches that were measured."""
        alike = (config.batch_size, config.channels) == (RunConfig.batch_size, RunConfig.channels)
        shape = (config.successors, config.kernel, config.primes)
        return alike and shape == (self.successors, (self.kernel,), self.primes)


def read_paces(directory: Path) -> list[Pace]:
    """The measurements beside the results; none where there is no such file."""
    path = directory / BENCH
    if not path.exists():
        return []
    try:
        return [Pace.of(measurement) for measurement in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError("file", path, f"is not what `pconv bench --json` prints ({error!r})") from None


def time_rows(source: RunSource, paces: Sequence[Pace]) -> list[tuple[str, ...]]:
    """A row for each cell for which the paper prints minutes."""
    rows: list[tuple[str, ...]] = []
    quick, paper = (studies(_TIMED, preset) for preset in ("quick", "paper"))
    pairs = zip(
        (cell for study in quick for cell in study.cells),
        (cell for study in paper for cell in study.cells),
        strict=True,
    )
    for small, large in pairs:
        row = (
            small.config.label(),
            _seconds(source, small.config, 1, ".1f"),
            _seconds(source, large.config, 60, ".1f"),
            _dense(large.config, paces),
            _MISSING if small.minutes is None else f"{small.minutes:.0f}",
        )
        if row not in rows:
            rows.append(row)
    return rows


def _seconds(source: RunSource, config: RunConfig, unit: float, digits: str) -> str:
    run = source.run(config.run_id) or source.run(replace(config, early_stop=True).run_id)
    if run is None:
        return _MISSING
    epochs, threads = len(run.result.epochs), run.result.environment.threads
    whole = run.seconds * config.epochs / epochs  # of a run that stopped early, by its pace
    return f"{whole / unit:{digits}} ({threads} thread{'s' * (threads > 1)})"


def _dense(config: RunConfig, paces: Sequence[Pace]) -> str:
    found = [pace for pace in paces if pace.fits(config)]
    if not found:
        return _MISSING
    minutes = found[0].dense_ms * config.batches * config.epochs / 60_000
    return f"{minutes:.0f} ({found[0].threads} thread{'s' * (found[0].threads > 1)})"
