"""`pconv train` and `pconv predict` as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from pconv.config import RunConfig
from pconv.result import RunResult
from tests.cli.conftest import Run

TINY = ("train", "-m5", "-B3", "-N8", "-k3", "-r40", "-s64", "-t3", "--test-size=500")


def test_train_json_then_predict(pconv: Run, tmp_path: Path) -> None:
    done = pconv(*TINY, "--json", "--save", "w.safetensors")
    assert done.returncode == 0
    assert done.stderr == ""
    result = RunResult.from_json(done.stdout)
    expected = RunConfig(
        modulus=5,
        offsets=(0, 1, 2, 3),
        primes=8,
        kernel=(3,),
        batches=40,
        batch_size=64,
        epochs=3,
        test_size=500,
    )
    assert result.config == expected
    document = json.loads(done.stdout)
    assert document["run_id"] == expected.run_id
    assert document["test"]["size"] == 500

    rows = json.loads(pconv("predict", "w.safetensors", 5, 123456, 2**63 - 4, "--json").stdout)
    assert [row["n"] for row in rows] == [5, 123456, 2**63 - 4]
    assert [row["residue"] for row in rows] == [0, 1, (2**63 - 4) % 5]
    assert all(0.2 <= row["probability"] <= 1 for row in rows)
    table = pconv("predict", "w.safetensors", 5)
    assert table.returncode == 0
    assert "n mod 5" in table.stdout
    assert pconv("predict", "w.safetensors", 2**63 - 3).returncode == 2
    assert pconv("predict", "w.safetensors", 0).returncode == 2
    assert pconv("predict", "w.safetensors", -7).returncode == 2


def test_train_for_a_reader(pconv: Run) -> None:
    done = pconv(*TINY)
    assert done.returncode == 0
    assert "epoch" in done.stdout
    assert "test accuracy" in done.stdout
    assert done.stderr == "", "no progress off a terminal"
    quiet = pconv(*TINY, "--quiet").stdout
    assert quiet == done.stdout.splitlines(keepends=True)[-1]


def test_ways_to_say_the_same_window(pconv: Run) -> None:
    short = [flag for flag in TINY if flag != "-B3"]
    by_offsets = json.loads(pconv(*short, "--offsets", "0:4", "--json").stdout)
    by_successors = json.loads(pconv(*TINY, "--json").stdout)
    assert by_offsets["run_id"] == by_successors["run_id"]
    assert by_offsets["losses"] == by_successors["losses"]


def test_interrupted_training_keeps_the_best_weights(tmp_path: Path) -> None:
    """Ctrl-C after some epochs: exit 130, one line, and a file that can be used."""
    command = [
        sys.executable,
        "-m",
        "pconv",
        *TINY,
        "-t",
        "100000",
        "--no-early-stop",
        "--save",
        "w.safetensors",
    ]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=-1, stderr=-1, text=True, env=dict(os.environ))
    time.sleep(8)
    process.send_signal(signal.SIGINT)
    output, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output == ""
    assert said.count("\n") == 1
    assert "interrupted after" in said
    kept = (tmp_path / "w.safetensors").exists()
    assert kept == ("w.safetensors" in said)
    assert kept, "eight seconds are enough for many epochs of this size"
