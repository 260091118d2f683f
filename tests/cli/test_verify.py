"""`pconv verify`: a recorded run computed again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Trained


@pytest.fixture
def store(trained: Trained, tmp_path: Path) -> Path:
    return Path(shutil.copy(trained.directory / "pconv.db", tmp_path))


def test_from_the_store_and_from_exported_results(pconv: Run, store: Path, trained: Trained) -> None:
    before = store.read_bytes()
    done = pconv("verify", trained.run_id[:6])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"run {trained.run_id}: bit-identical\n")
    assert store.read_bytes() == before, "nothing is stored"
    assert pconv("export", "-o", "results").returncode == 0
    document = json.loads(pconv("verify", trained.run_id, "--from=results", "--json").stdout)
    assert (document["outcome"], document["environment"]) == ("bit-identical", {})


def test_a_run_that_differs_from_its_record(pconv: Run, store: Path, trained: Trained) -> None:
    assert pconv("export", "-o", "results").returncode == 0
    (path,) = Path("results").rglob("*.jsonl")
    row = json.loads(path.read_text())
    row["epochs"][0][0] *= 1.5
    path.write_text(json.dumps(row) + "\n")
    done = pconv("verify", trained.run_id, "--from=results")
    assert done.returncode == 3
    assert done.stdout.startswith(f"run {trained.run_id}: different\n")
    assert "which is too much" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["0000"], "run '0000': is not a finished run of pconv.db"),
        (["''"], "is not a finished run"),
        (["ab", "--from=nowhere"], "nowhere"),
    ],
)
def test_bad_input(pconv: Run, store: Path, arguments: list[str], message: str) -> None:
    done = pconv("verify", *arguments)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert message in done.stderr
