"""`pconv reproduce` on a store that has the runs already: nothing is trained, all is told."""

from __future__ import annotations

import json
from pathlib import Path

from pconv.store.judging import verdicts_on
from pconv.store.sqlite import Store
from pconv.studies.catalog import studies
from tests.cli.conftest import Run
from tests.fakes import made_up


def test_a_study_from_the_store(pconv: Run, tmp_path: Path) -> None:
    [study] = studies(["losses"])
    with Store.open(tmp_path / "pconv.db") as store:
        for cell in study.cells:
            result = made_up(cell.config)
            store.finish(result, None, verdicts_on(result), "me")

    done = pconv("reproduce", "losses")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.endswith(f"All runs are in {tmp_path / 'pconv.db'}\n")

    [table] = json.loads(pconv("reproduce", "losses", "--json").stdout)["tables"]
    assert table["name"] == "losses"
    assert [cell["run_id"] for cell in table["cells"]] == [cell.config.run_id for cell in study.cells]
    expected = {"modulus": 7, "successors": 8, "kernel": 3, "seed": 0, "accuracy": 1, "paper": None}
    first = table["cells"][0]
    assert {name: first[name] for name in expected} == expected
    assert first["agrees"] is None
    assert first["seconds"] == 0.75

    refused = pconv("reproduce", "tables")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    left = json.loads(pconv("reproduce", "kernels", "--max-hours", "1e-9", "--json").stdout)
    assert len(left["left_out"]) == 17
    assert all(cell["accuracy"] is None for cell in left["tables"][0]["cells"])


def test_from_a_directory_nothing_is_trained(pconv: Run, tmp_path: Path) -> None:
    [study] = studies(["losses"])
    with Store.open(tmp_path / "pconv.db") as store:
        for cell in study.cells[:2]:
            result = made_up(cell.config)
            store.finish(result, None, verdicts_on(result), "me")
    assert pconv("export", "-o", "kept").stdout == "kept: 2 runs, 2 of them new\n"
    assert pconv("export", "-o", "kept").stdout == "kept: 2 runs, 0 of them new\n"
    (tmp_path / "pconv.db").unlink()

    done = pconv("reproduce", "losses", "--from", "kept")
    assert done.returncode == 0
    assert done.stdout.endswith("2 of 3 runs are in kept, 1 are missing.\n")
    document = json.loads(pconv("reproduce", "losses", "--from", "kept", "--json").stdout)
    assert document["missing"] == [study.cells[2].config.run_id]
    assert [cell["accuracy"] for cell in document["tables"][0]["cells"]] == [1, 1, None]
    assert pconv("report", "--from", "kept").stdout.startswith("report.html: 2 runs")
    assert pconv("results", "--from", "kept").stdout == "results.md: 2 runs\n"
    assert not (tmp_path / "pconv.db").exists()

    path = tmp_path / "kept/quick/losses.jsonl"
    path.write_text(path.read_text()[:-40])
    before = (tmp_path / "results.md").read_bytes()
    for command in ("reproduce", "report", "results"):
        refused = pconv(command, "--from", "kept")
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert "file kept/quick/losses.jsonl line 2: is damaged" in refused.stderr
    assert (tmp_path / "results.md").read_bytes() == before
