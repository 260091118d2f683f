"""A directory of results: one file for each preset and study, a line a run. No weights, small enough for git.

`quick/prime-moduli.jsonl` has the runs that the study asks for, under any seed. A run that several studies
share is in the file of the first. `quick/extrapolation-probe.jsonl` has what was seen on larger numbers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pconv._atomic import atomic_write
from pconv.config import PRESETS, RunConfig
from pconv.errors import InputError
from pconv.probes.finding import Standard
from pconv.probes.report import ProbeReport
from pconv.result import RunResult
from pconv.store.judging import verdicts_on
from pconv.store.rows import result_of, row_of
from pconv.store.run import JudgedRun, RunSource
from pconv.store.sqlite import Store
from pconv.studies.catalog import studies, study_names

if TYPE_CHECKING:
    from pconv.probes.finding import Finding

_FILES = "*.jsonl"
CURVES = "losses"
PROBED = "extrapolation"
_PROBES = f"{PROBED}-probe.jsonl"
_OTHER = "other.jsonl"

T = TypeVar("T")


class ResultsDirectory:
    """What such a directory holds. Verdicts are not kept: they follow from the results."""

    def __init__(self, results: Mapping[str, RunResult], probes: Mapping[str, ProbeReport]) -> None:
        self.results = results
        self.probes = probes
        self._runs: dict[str, JudgedRun] = {}

    @classmethod
    def read(cls, directory: Path) -> Self:
        """All lines of all files, or an error that names the line."""
        if not directory.is_dir():
            raise InputError("from", directory, "is not a directory of results")
        if not any(directory.rglob(_FILES)):
            raise InputError("from", directory, f"has no results ({_FILES})")
        results: dict[str, RunResult] = {}
        probes: dict[str, ProbeReport] = {}
        for path in sorted(directory.rglob(_FILES)):
            if path.name == _PROBES:
                probes.update(_lines(path, _probe))
            else:
                results.update(_lines(path, result_of))
        return cls(results, probes)

    def run_ids(self) -> list[str]:
        return list(self.results)

    def run(self, run_id: str) -> JudgedRun | None:
        if run_id not in self.results:
            return None
        if run_id not in self._runs:
            result = self.results[run_id]
            self._runs[run_id] = JudgedRun(result, verdicts_on(result), self.probes.get(run_id))
        return self._runs[run_id]

    def extrapolated(self, run_id: str) -> tuple[Finding, ...]:
        probe = self.probes.get(run_id)
        return probe.findings if probe else ()


@contextmanager
def opened(path: Path) -> Iterator[RunSource]:
    """The runs at a path: a directory is read as results, a file as a store."""
    if path.is_dir():
        yield ResultsDirectory.read(path)
        return
    with Store.read(path) as store:
        yield store


def add_results(directory: Path, source: RunSource) -> tuple[int, int]:
    """Write the runs of a source into a directory; how many are new, and how many there are now.

    What the directory has stays as it is: the first result of a run is the one that counts, unless it lacks a
    census or snapshots that the source has.
    """
    there = ResultsDirectory.read(directory) if any(directory.rglob(_FILES)) else ResultsDirectory({}, {})
    results, probes, new = dict(there.results), dict(there.probes), 0
    for run_id in source.run_ids():
        if (run := source.run(run_id)) and _is_more(run.result, results.get(run_id)):
            results[run_id] = run.result
            new += 1
        unprobed = run_id not in probes and _is_probed(results[run_id].config)
        if unprobed and (findings := source.extrapolated(run_id)):
            probes[run_id] = ProbeReport(Standard(), findings, ())
    _write(directory, results, probes)
    return new, len(results)


def _is_more(result: RunResult, there: RunResult | None) -> bool:
    """Whether a result is new, or has something that the one there lacks and lacks nothing it has."""
    return there is None or result.extras > there.extras


def _write(directory: Path, results: Mapping[str, RunResult], probes: Mapping[str, ProbeReport]) -> None:
    files: dict[Path, list[dict[str, Any]]] = {}
    for result in sorted(results.values(), key=_order):
        home = _home(result.config)
        files.setdefault(home, []).append(row_of(result, curve=home.stem == CURVES))
    for run_id in sorted(probes):
        path = Path(_preset(results[run_id].config), _PROBES)
        files.setdefault(path, []).append({"run_id": run_id, **_probe_row(probes[run_id])})
    for name, rows in files.items():
        _write_lines(directory / name, [json.dumps(row, separators=(",", ":")) + "\n" for row in rows])
    for path in directory.rglob(_FILES):
        if path.relative_to(directory) not in files:  # its runs belong to other studies now
            path.unlink()


def _write_lines(path: Path, lines: list[str]) -> None:
    """The file whole, and only where it says something new."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.read_text("utf-8") == "".join(lines):
            return
        with atomic_write(path) as beside:
            Path(beside).write_text("".join(lines), "utf-8")
    except OSError as error:
        raise InputError("output", path, f"cannot be written ({error.strerror or error})") from None


def _order(result: RunResult) -> tuple[Any, ...]:
    c = result.config
    return c.modulus, c.rows, c.kernel, c.channels, c.primes, c.batches, c.epochs, c.seed, result.run_id


@cache
def _homes() -> dict[RunConfig, Path]:
    """The file of each run that a study asks for, under the seed 0."""
    own = [name for name in study_names() if name not in ("headline", "all")]
    homes: dict[RunConfig, Path] = {}
    for name, preset in product(own, PRESETS):
        for cell in studies([name], preset)[0].cells:
            homes.setdefault(cell.config, Path(preset, f"{name}.jsonl"))
    return homes


def _home(config: RunConfig) -> Path:
    return _homes().get(replace(config, seed=0), Path(_OTHER))


def _preset(config: RunConfig) -> str:
    home = _home(config)
    return home.parent.name or next(iter(PRESETS))


@cache
def _probed() -> frozenset[RunConfig]:
    return frozenset(cell.config for preset in PRESETS for cell in studies([PROBED], preset)[0].cells)


def _is_probed(config: RunConfig) -> bool:
    return replace(config, seed=0) in _probed()


def _lines(path: Path, read: Callable[[Mapping[str, Any]], T]) -> Iterator[tuple[str, T]]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError("file", path, f"cannot be read ({reason})") from None
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("not an object")
            found = read(row)
        except ValueError as error:  # an InputError is one, too
            raise InputError("file", f"{path} line {number}", f"is damaged: {error}") from None
        yield row["run_id"], found


def _probe(row: Mapping[str, Any]) -> ProbeReport:
    if "run_id" not in row:
        raise InputError("probe", "row", "has no run_id")
    return ProbeReport.from_dict(row)


def _probe_row(report: ProbeReport) -> dict[str, Any]:
    document = report.to_dict()
    return {name: document[name] for name in ("findings", "maps")}
