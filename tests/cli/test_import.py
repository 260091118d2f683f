"""`pconv import`, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from pconv.store.sqlite import Store
from pconv.studies.catalog import studies
from tests.cli.conftest import Run, Trained
from tests.cli.test_store import refused
from tests.fakes import fake_result, with_census


def test_a_published_run_is_not_trained_again(pconv: Run, tmp_path: Path) -> None:
    [study] = studies(["losses"])
    with Store.open(tmp_path / "other.db") as store:
        for config in study.configs():
            store.finish(with_census(fake_result(config)), None, {}, "me")
    assert pconv("export", "--store=other.db", "-o", "published").returncode == 0
    done = pconv("import", "published")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "pconv.db: 3 runs new, 0 replaced, 0 there already\n"
    assert pconv("import", "other.db", "published").stdout.startswith(
        "pconv.db: 0 runs new, 0 replaced, 3 th"
    )
    plan = json.loads(pconv("reproduce", "losses", "--dry-run", "--json").stdout)
    assert [(run["status"], run["seconds"]) for run in plan["cells"]] == [("finished", None)] * 3
    done = pconv("reproduce", "losses", "--json")
    assert [cell["accuracy"] for cell in json.loads(done.stdout)["tables"][0]["cells"]] == [1, 1, 1]


def test_a_trained_network_is_imported_with_its_weights(pconv: Run, trained: Trained, path: Path) -> None:
    assert "1 run new" in pconv("import", trained.directory / "pconv.db").stdout
    assert pconv("classify", f"{trained.run_id}@2", 5).returncode == 0
    (trained.directory / "run.json").write_text(json.dumps(trained.document))
    assert "1 there already" in pconv("import", trained.directory / "run.json").stdout
    assert pconv("gc").stdout == "The store pconv.db is sound. Removed 0 files, 0.0 MB.\n"


def test_a_hostile_file_is_one_line(pconv: Run, path: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"run_id": "\\u001b[2J[/x]", "config": {}}\n' + "[" * 100_000)
    refused(pconv("import", "bad.jsonl"), "file bad.jsonl line 1: is damaged")
    refused(pconv("import", "nowhere"), "file nowhere: does not exist")
    refused(pconv("import"), "FILE|DIRECTORY...")
    assert not path.exists()
