"""Runs from a store and from documents."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.report.load import one_run, stored_runs
from pconv.report.page.run_record import run_document
from pconv.store.sqlite import Store
from pconv.studies.directory import ResultsDirectory, add_results
from tests.report.fakes import run

SMALL: dict[str, Any] = {"batches": 4, "epochs": 2, "test_size": 2_000}


def test_runs_come_from_a_store_or_from_a_document(tmp_path: Path) -> None:
    made = run(modulus=11, **SMALL)
    path = tmp_path / "runs.db"
    with Store.open(path) as store:
        store.finish(made.result, None, made.verdicts, "test")
        store.fail(RunConfig(modulus=5), "no reason", "test")
    [loaded] = stored_runs(path)
    assert run_document(loaded) == run_document(made)
    assert one_run(made.result.run_id[:6], path) == loaded
    (tmp_path / "run.json").write_text(json.dumps(made.result.to_dict()))
    assert one_run(str(tmp_path / "run.json"), path).result == made.result
    for text in ("[]", "{", '{"findings": []}'):
        (tmp_path / "probe.json").write_text(text)
        with pytest.raises(InputError):
            stored_runs(path, [tmp_path / "probe.json"])


def test_a_run_of_a_directory_by_the_start_of_its_id(tmp_path: Path) -> None:
    made = [run(modulus=m, **SMALL).result for m in (11, 7)]
    add_results(tmp_path, ResultsDirectory({each.run_id: each for each in made}, {}))
    assert one_run(made[0].run_id[:8], tmp_path).config == made[0].config
    with pytest.raises(InputError, match="run '': is the start of 2 runs in"):
        one_run("", tmp_path)
    with pytest.raises(InputError, match="run 'xyz': is the start of 0 runs in"):
        one_run("xyz", tmp_path)


def test_verdicts_of_earlier_versions_are_made_again(tmp_path: Path) -> None:
    made = run(modulus=11, **SMALL)
    old = {"theory": "signature", "status": "undertrained", "test": {"ceiling": 1}}
    path = tmp_path / "runs.db"
    with Store.open(path) as store:
        store.finish(made.result, None, made.verdicts, "test")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE verdicts SET document = ?", (json.dumps(old),))
    [loaded] = stored_runs(path)
    assert loaded == one_run(made.result.run_id, path)
    assert run_document(loaded) == run_document(made)
    (tmp_path / "run.json").write_text(json.dumps({**made.result.to_dict(), "verdict": old}))
    assert one_run(str(tmp_path / "run.json"), path).status == made.status != "undertrained"
