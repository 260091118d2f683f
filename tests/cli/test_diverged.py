"""A training whose loss is no longer a number: said in a line, and no harm to the others."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from tests.cli.conftest import Run

SIZES = ("-B3", "-N8", "-k3", "-r40", "-s32", "-t2", "--test-size=50", "--limit=13000", "--weight-decay=1")
GRID = """
[grid]
modulus = [3, 5]
successors = 3
primes = 8
kernel = 3
batches = 40
batch_size = 32
epochs = 2
test_size = 50
limit = 13000
weight_decay = 1
learning_rate = [0.001, 10.0]
"""
"""With a rate of 10 a step multiplies every weight by -9."""


def test_train_says_it_in_one_line(pconv: Run, tmp_path: Path) -> None:
    command = ("train", "-m5", *SIZES, "--learning-rate=10", "--save=w.safetensors", "--snapshots=all")
    done = pconv(*command)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "diverged: the loss of epoch 1 is not a finite number (--learning-rate 10)" in done.stderr
    assert not (tmp_path / "w.safetensors").exists()
    assert json.loads(pconv("runs", "--json").stdout) == [], "and nothing is claimed any more"


def test_a_sweep_records_it_and_does_the_others(pconv: Run, tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(GRID)
    done = pconv("sweep", "spec.toml", "--jobs=1", "--json")
    assert done.returncode == 3
    document = json.loads(done.stdout)
    assert (document["finished"], document["computed"], document["failed"]) == (2, 2, 2)
    assert done.stderr.count("failed: TrainingDiverged: run ") == 2
    assert all(line.startswith("pconv: ") for line in done.stderr.splitlines())
    runs = {run["run_id"]: run for run in json.loads(pconv("runs", "--json").stdout)}
    for cell in document["cells"]:
        diverges = cell["config"]["learning_rate"] == 10
        assert runs[cell["run_id"]]["status"] == ("failed" if diverges else "finished")
        if diverges:
            assert "is not a finite number (--learning-rate 10)" in runs[cell["run_id"]]["reason"]
            assert "diverged" in pconv("show", cell["run_id"]).stdout
        else:
            assert runs[cell["run_id"]]["census"]

    again = pconv("sweep", "spec.toml", "--jobs=1", "--json")
    assert again.returncode == 3
    retold = json.loads(again.stdout)
    assert (retold["finished"], retold["computed"], retold["failed"]) == (2, 0, 2)
    with sqlite3.connect(tmp_path / "pconv.db") as db:
        assert db.execute("SELECT count(*) FROM claims").fetchone() == (0,)
    assert "is sound. Removed 0 files" in pconv("gc").stdout
