"""A directory of results: a file for each preset and study, with a line for each run and no weights.

`quick/prime-moduli.jsonl` has the runs of that study at that preset, under any seed. A run that several
studies share is in the file of the first, and a run of no study in `other.jsonl`. What the networks of a
study do past their domain is in `quick/extrapolation-probe.jsonl`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pconv._atomic import atomic_write, make_directory
from pconv.config import PRESETS, RunConfig
from pconv.errors import InputError
from pconv.probes.finding import Standard
from pconv.probes.report import ProbeReport
from pconv.result import RunResult
from pconv.store.contents import contents, replaces
from pconv.store.judging import verdicts_on
from pconv.store.rows import read_lines, result_of, row_of
from pconv.store.run import JudgedRun, RunSource
from pconv.store.sqlite import Store
from pconv.studies.catalog import STUDIES
from pconv.studies.study import OTHER, PROBES, Study

if TYPE_CHECKING:
    from pconv.probes.finding import Finding

_SUFFIX = ".jsonl"
_FILES = f"*{_SUFFIX}"


class ResultsDirectory:
    """The runs of a directory. Verdicts are not stored but computed from the results."""

    def __init__(self, results: Mapping[str, RunResult], probes: Mapping[str, ProbeReport]) -> None:
        self.results = results
        self.probes = probes
        self._runs: dict[str, JudgedRun] = {}

    @classmethod
    def read(cls, directory: Path, flag: str = "from") -> Self:
        """Read all files. An error names the damaged line, or the flag by which the directory was named."""
        if not directory.is_dir():
            raise InputError(flag, directory, "is not a directory of results")
        paths = _result_files(directory)
        if not paths:
            raise InputError(flag, directory, f"has no results ({_FILES})")
        results: dict[str, RunResult] = {}
        probes: dict[str, ProbeReport] = {}
        for path in sorted(paths):
            if path.stem.endswith(PROBES):
                probes.update(read_lines(path, _probe))
            else:
                results.update((result.run_id, result) for result in read_lines(path, result_of))
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
    """The runs at a path: a directory of results, or the file of a store."""
    if path.is_dir():
        yield ResultsDirectory.read(path)
        return
    with Store.read(path) as store:
        yield store


def read_results(path: Path) -> list[RunResult]:
    """All results of a directory, or of a store."""
    if path.is_dir():
        return list(ResultsDirectory.read(path).results.values())
    with Store.read(path) as store:
        return [result for run_id in store.run_ids() if (result := store.result(run_id))]


def add_results(directory: Path, source: RunSource, run_ids: Iterable[str] | None = None) -> tuple[int, int]:
    """Write the runs of a source into a directory of results.

    A run that the directory has already is replaced only by one that has a census or snapshots in addition.

    Parameters
    ----------
    directory
        Where the results are; it is made if it does not exist.
    source
        A store, or another directory of results.
    run_ids
        The runs to write; by default all. Those that have not finished are left out.

    Returns
    -------
    The number of runs that are new or replaced, and the number of runs in the directory.

    Raises
    ------
    InputError
        The directory is damaged, or has tests past the domain of a run without its result.
    """
    there = ResultsDirectory.read(directory) if _result_files(directory) else ResultsDirectory({}, {})
    results, probes, new = dict(there.results), dict(there.probes), 0
    layout = _layout_of(tuple(STUDIES.values()))
    for run_id in source.run_ids() if run_ids is None else run_ids:
        if (run := source.run(run_id)) and _is_more(run.result, results.get(run_id)):
            results[run_id] = run.result
            new += 1
        result = results.get(run_id)
        unprobed = result and run_id not in probes and layout.is_probed(result.config)
        if unprobed and (findings := source.extrapolated(run_id)):
            probes[run_id] = ProbeReport(Standard(), findings, ())
    if alone := sorted(probes.keys() - results.keys()):
        reason = f"has run {alone[0]} in a file *{PROBES}{_SUFFIX}, and not its result; remove that line"
        raise InputError("output", directory, reason)
    _write(directory, layout, results, probes)
    return new, len(results)


def _is_more(result: RunResult, there: RunResult | None) -> bool:
    return replaces(contents(result), contents(there) if there else None)


@dataclass(frozen=True)
class _Layout:
    """The study whose files have a run, and the one whose files have its tests past the domain.

    Keys are configurations with seed 0.
    """

    runs: dict[RunConfig, Study] = field(default_factory=dict)
    probes: dict[RunConfig, Study] = field(default_factory=dict)

    def is_probed(self, config: RunConfig) -> bool:
        return replace(config, seed=0) in self.probes

    def exports_curve(self, config: RunConfig) -> bool:
        study = self.runs.get(replace(config, seed=0))
        return study is not None and study.exports_curves

    def run_file(self, config: RunConfig) -> Path:
        return _file(self.runs.get(replace(config, seed=0)), _SUFFIX)

    def probe_file(self, config: RunConfig) -> Path:
        return _file(self.probes.get(replace(config, seed=0)), PROBES + _SUFFIX)


@cache
def _layout_of(studies: tuple[Study, ...]) -> _Layout:
    layout = _Layout()
    for study in (study.at(preset) for study, preset in product(studies, PRESETS)):
        for config in study.configs():
            layout.runs.setdefault(config, study)
            if study.extrapolates:
                layout.probes.setdefault(config, study)
    return layout


def _result_files(directory: Path) -> list[Path]:
    """The files of results: in the directory itself and in those of the presets. What is elsewhere below it
    belongs to somebody else, and `pconv export -o .` must not touch it."""
    return [
        path for place in (directory, *(directory / name for name in PRESETS)) for path in place.glob(_FILES)
    ]


def _file(study: Study | None, ending: str) -> Path:
    return Path(study.preset, study.name + ending) if study else Path(OTHER + ending)


def _write(
    directory: Path, layout: _Layout, results: Mapping[str, RunResult], probes: Mapping[str, ProbeReport]
) -> None:
    files: dict[Path, list[dict[str, Any]]] = {}
    for result in sorted(results.values(), key=_order):
        row = row_of(result, curve=layout.exports_curve(result.config))
        files.setdefault(layout.run_file(result.config), []).append(row)
    for run_id in sorted(probes):
        files.setdefault(layout.probe_file(results[run_id].config), []).append(
            {"run_id": run_id, **_probe_row(probes[run_id])}
        )
    for name, rows in files.items():
        _write_lines(directory / name, [json.dumps(row, separators=(",", ":")) + "\n" for row in rows])
    for path in _result_files(directory):
        moved = path.relative_to(directory) not in files  # its runs belong to other studies now
        if moved and path.stat().st_size:  # an empty file had no runs, so it is not ours
            path.unlink()


def _write_lines(path: Path, lines: list[str]) -> None:
    """Write a file atomically, unless it has these lines already."""
    try:
        make_directory(path.parent)
        if path.exists() and path.read_text("utf-8") == "".join(lines):
            return
        with atomic_write(path) as draft:
            Path(draft).write_text("".join(lines), "utf-8")
    except OSError as error:
        raise InputError("output", path, f"cannot be written ({error.strerror or error})") from None


def _order(result: RunResult) -> tuple[Any, ...]:
    c = result.config
    return c.modulus, c.rows, c.kernel, c.channels, c.primes, c.batches, c.epochs, c.seed, result.run_id


def _probe(row: Mapping[str, Any]) -> tuple[str, ProbeReport]:
    if not isinstance(row.get("run_id"), str):
        raise InputError("probe", "row", "has no run_id")
    return row["run_id"], ProbeReport.from_dict(row)


def _probe_row(report: ProbeReport) -> dict[str, Any]:
    document = report.to_dict()
    return {name: document[name] for name in ("findings", "maps")}
