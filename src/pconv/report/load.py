"""Runs for figures and the page: from a store, a directory of results, or documents that commands print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pconv._json import read_json
from pconv.data.examples import class_count
from pconv.errors import InputError
from pconv.evaluate.verdict import Verdict, is_current
from pconv.probes.report import ProbeReport
from pconv.result import RunResult
from pconv.store.judging import verdicts_on
from pconv.store.run import JudgedRun, RunSource, runs_of
from pconv.store.sqlite import Store
from pconv.studies.directory import opened
from pconv.studies.paper import MAIN_TABLES, printed, table_names

PaperCell = tuple[tuple[int, ...], tuple[int, ...], int]
"""Offsets, kernel and modulus: the key of a cell in the paper's tables."""


def stored_runs(path: Path, probes: Iterable[Path] = ()) -> list[JudgedRun]:
    """All runs of a store or a directory of results, with the documents of `pconv probe --json` on them."""
    found = _probes(probes)
    with opened(path) as source:
        return [replace(run, probe=found.get(run.result.run_id, run.probe)) for run in runs_of(source)]


def one_run(name: str, store: Path) -> JudgedRun:
    """A run of a store or a directory of results by the start of its id, or from `pconv train --json`."""
    if Path(name).is_file():
        return _documented(Path(name))
    with opened(store) as source:
        run_id = source.find(name).run_id if isinstance(source, Store) else _found(name, source, store)
        run = source.run(run_id)
    if run is None:
        raise InputError("run", run_id, "has not finished")
    return run


def _found(start: str, source: RunSource, directory: Path) -> str:
    """The only id of a directory that starts so."""
    found = [run_id for run_id in source.run_ids() if run_id.startswith(start)]
    if len(found) != 1:
        raise InputError("run", repr(start), f"is the start of {len(found)} runs in {directory}")
    return found[0]


def chosen_runs(names: Sequence[str] | None, store: Path) -> list[JudgedRun]:
    """The runs of these names as `one_run` finds them, or all runs of the store if there are no names."""
    found = [one_run(name, store) for name in names] if names else stored_runs(store)
    if not found:
        raise InputError("store", store, "holds no finished run")
    return found


def paper_runs(source: RunSource, preset: str) -> list[JudgedRun]:
    """The runs of the cells of the paper's tables at a preset, each once, as far as the source has them."""
    configs = {figure.config: None for table in table_names() for figure in printed(table, preset)}
    return [run for config in configs if (run := source.run(config.run_id))]


def paper_figures() -> dict[PaperCell, float]:
    """The paper's accuracies in its default setting, by window, kernel and modulus."""
    return {
        (figure.config.offsets, figure.config.kernel, figure.config.modulus): figure.accuracy
        for name in (*MAIN_TABLES, "kernels")
        for figure in printed(name)
        if figure.accuracy is not None
    }


def _documented(path: Path) -> JudgedRun:
    data = _json(path)
    result = RunResult.from_dict(data)
    if len(result.test.confusion) != class_count(result.config):
        raise InputError("file", path, "its confusion matrix has not the classes of its configuration")
    document = data.get("verdict")
    if not document:
        return JudgedRun(result)
    if isinstance(document, dict) and not is_current(document):  # printed by another version
        return JudgedRun(result, verdicts_on(result))
    verdict = Verdict.from_dict(document)
    return JudgedRun(result, {verdict.theory: verdict})


def _probes(paths: Iterable[Path]) -> dict[str, ProbeReport]:
    """The reports of `pconv probe --json`, by run."""
    reports = {}
    for path in paths:
        data = _json(path)
        if not {"run_id", "findings", "maps"} <= set(data):
            raise InputError("probe", path, "is not what `pconv probe --json` prints")
        if not isinstance(data["run_id"], str):
            raise InputError("probe", path, "its run_id is not a text")
        reports[data["run_id"]] = ProbeReport.from_dict(data)
    return reports


def _json(path: Path) -> dict[str, Any]:
    data = read_json(path, "file")
    if not isinstance(data, dict):
        raise InputError("file", path, "is not a document of pconv")
    return data
