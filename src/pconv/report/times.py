"""Training times: ours at both presets, the dense engine's by its pace, and the paper's minutes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from pconv._json import read_json
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.store.run import RunSource
from pconv.studies.catalog import STUDIES
from pconv.studies.cell import StudyCell

BENCH = "bench.json"
_MISSING = "–"


@dataclass(frozen=True)
class Pace:
    """The time of a step of the dense engine, as `pconv bench` measured it."""

    successors: int
    kernel: int
    primes: int
    threads: int
    dense_ms: float

    @classmethod
    def of(cls, measurement: Mapping[str, Any]) -> Self:
        return cls(**{field.name: measurement[field.name] for field in fields(cls)})

    def fits(self, config: RunConfig) -> bool:
        """Whether it was measured with the run's network and batch size."""
        alike = (config.batch_size, config.channels) == (RunConfig.batch_size, RunConfig.channels)
        shape = (config.successors, config.kernel, config.primes)
        return alike and shape == (self.successors, (self.kernel,), self.primes)


def read_paces(directory: Path) -> list[Pace]:
    """The measurements in the directory of results; none if it has no such file."""
    path = directory / BENCH
    if not path.exists():
        return []
    measurements = read_json(path, "file")
    try:
        return [Pace.of(measurement) for measurement in measurements]
    except (TypeError, KeyError, AttributeError) as error:
        raise InputError("file", path, f"is not what `pconv bench --json` prints ({error!r})") from None


def time_rows(source: RunSource, paces: Sequence[Pace]) -> list[tuple[str, ...]]:
    """A row for each cell for which the paper prints a time."""
    rows: list[tuple[str, ...]] = []
    for small, large in zip(_timed_cells("quick"), _timed_cells("paper"), strict=True):
        row = (
            small.config.label(),
            _seconds(source, small.config, 1, ".1f"),
            _seconds(source, large.config, 60, ".1f"),
            _dense(large.config, paces),
            f"{small.minutes:.0f}",
        )
        if row not in rows:
            rows.append(row)
    return rows


def _timed_cells(preset: str) -> list[StudyCell]:
    """The cells with the paper's minutes; first those of studies whose runs may not stop early."""
    timed = sorted((study.at(preset) for study in STUDIES.values()), key=lambda study: study.early_stop)
    return [cell for study in timed for cell in study.cells if cell.minutes is not None]


def _seconds(source: RunSource, config: RunConfig, unit: float, digits: str) -> str:
    run = source.run(config.run_id) or source.run(replace(config, early_stop=True).run_id)
    if run is None:
        return _MISSING
    epochs, threads = len(run.result.epochs), run.result.environment.threads
    whole = run.seconds * config.epochs / epochs  # estimated from its pace if the run stopped early
    return f"{whole / unit:{digits}} ({threads} thread{'s' * (threads > 1)})"


def _dense(config: RunConfig, paces: Sequence[Pace]) -> str:
    found = [pace for pace in paces if pace.fits(config)]
    if not found:
        return _MISSING
    minutes = found[0].dense_ms * config.batches * config.epochs / 60_000
    return f"{minutes:.0f} ({found[0].threads} thread{'s' * (found[0].threads > 1)})"
