"""`pconv reproduce` on a store that has the runs already: nothing is trained, all is told."""

from __future__ import annotations

import json
from pathlib import Path

from pconv.lab.judging import verdicts_on
from pconv.lab.store import Store
from pconv.lab.studies import studies
from tests.cli.conftest import Run
from tests.lab.conftest import made_up


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
