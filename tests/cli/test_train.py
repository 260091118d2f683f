"""`pconv train` and `pconv classify` as a user runs them."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.evaluate import comparison
from pconv.evaluate.assessment import Settings
from pconv.evaluate.verdict import Verdict
from pconv.result import RunResult
from pconv.store.sqlite import Store
from pconv.training.options import RunOptions
from pconv.training.trainer import Training
from tests.cli.conftest import Run

TINY = ("train", "-m5", "-B3", "-N8", "-k3", "-r40", "-s64", "-t3", "--test-size=500", "--limit=20000")


def test_train_json_then_predict(pconv: Run, tmp_path: Path) -> None:
    done = pconv(*TINY, "--json", "--save", "w.safetensors")
    assert done.returncode == 0
    assert done.stderr == ""
    result = RunResult.from_dict(json.loads(done.stdout))
    expected = RunConfig(
        modulus=5,
        offsets=(0, 1, 2, 3),
        primes=8,
        kernel=(3,),
        batches=40,
        batch_size=64,
        epochs=3,
        test_size=500,
        limit=20_000,
    )
    assert result.config == expected
    document = json.loads(done.stdout)
    assert document["run_id"] == expected.run_id
    assert document["test"]["size"] == 500
    assert document["verdict"]["theory"] == "signature"
    assert document["verdict"]["status"] in ("confirmed", "underfitted")
    assert set(document["verdict"]["parts"]) == {"separated", "attained", "nothing_beyond", "loss"}
    census = document["census"]
    assert census["size"] == 19_999 - 40 * 64 - 10_000
    assert [row["count"] for row in census["classes"]] == [sum(row) for row in census["confusion"]]
    assert sum(row["correct"] for row in census["classes"]) == census["accuracy"] * census["size"]
    assert set(document["theories"]) >= {"signature", "paper", "grid"}

    rows = json.loads(pconv("classify", "w.safetensors", 5, 123456, 2**63 - 4, "--json").stdout)
    assert [row["n"] for row in rows] == [5, 123456, 2**63 - 4]
    assert [row["residue"] for row in rows] == [0, 1, (2**63 - 4) % 5]
    assert "n is 0 modulo 5" in rows[0]["why"]
    assert all(0.2 <= row["probability"] <= 1 for row in rows)
    table = pconv("classify", "w.safetensors", 5)
    assert table.returncode == 0
    assert "n mod 5" in table.stdout
    assert pconv("classify", "w.safetensors", 2**63 - 3).returncode == 2
    assert pconv("classify", "w.safetensors", 0).returncode == 2
    assert pconv("classify", "w.safetensors", -7).returncode == 2


def test_train_for_a_reader(pconv: Run) -> None:
    done = pconv(*TINY)
    assert done.returncode == 0
    assert "epoch" in done.stdout
    assert "test accuracy" in done.stdout
    assert done.stderr == "", "a short run logs no progress off a terminal"
    quiet = pconv(*TINY, "--quiet")
    assert quiet.stderr == ""
    lines = quiet.stdout.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("run ")
    assert lines[1].startswith("census: accuracy ")
    assert lines[2].startswith("verdict on the theory 'signature': ")
    assert all(line in done.stdout for line in lines)


def test_a_run_is_judged_once_and_the_stored_verdict_is_shown(
    pconv: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: list[Settings | None] = []
    compare = comparison.compare

    def counted(result: RunResult, settings: Settings | None = None) -> comparison.Comparison:
        calls.append(settings)
        return compare(result, settings)

    monkeypatch.setattr(comparison, "compare", counted)
    shown = json.loads(pconv(*TINY, "--json").stdout)
    assert calls == [None]
    with Store.read(tmp_path / "pconv.db") as store:
        stored = store.verdicts(shown["run_id"])
    assert Verdict.from_dict(shown["verdict"]) == stored["signature"]
    other = json.loads(pconv(*TINY, "--json", "--tolerance=0.05").stdout)
    assert calls == [None, Settings(0.05, 0.01)]
    assert other["verdict"]["tolerance"] == 0.05 != shown["verdict"]["tolerance"]
    with Store.read(tmp_path / "pconv.db") as store:
        assert store.verdicts(shown["run_id"]) == stored, "other settings are for display alone"


def test_ways_to_say_the_same_window(pconv: Run) -> None:
    short = [flag for flag in TINY if flag != "-B3"]
    by_offsets = json.loads(pconv(*short, "--offsets", "0:4", "--json").stdout)
    by_successors = json.loads(pconv(*TINY, "--json").stdout)
    assert by_offsets["run_id"] == by_successors["run_id"]
    assert by_offsets["losses"] == by_successors["losses"]


def test_interrupted_training_keeps_the_best_weights(tmp_path: Path, pconv: Run) -> None:
    """In a terminal, Ctrl-C as soon as the display shows a finished epoch: exit 130, one line, and a file
    that can be used."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pconv", *TINY, "-t100000", "--no-early-stop", "--save=w.safetensors"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while b"accuracy" not in shown:
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        shown = b""
        with contextlib.suppress(OSError):  # the terminal's end is an error where its last writer is gone
            while piece := os.read(ours, 4096):
                shown += piece
        assert process.stdout is not None
        assert process.stdout.read() == b""
    os.close(ours)
    assert process.returncode == 130
    assert b"interrupted after" in shown
    assert b"are in w.safetensors" in shown
    assert pconv("classify", "w.safetensors", 5).returncode == 0


def test_interrupted_in_the_census_goes_on_from_there(pconv: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pconv.training.trainer.take_census", interrupted)
        patch.setattr("pconv.training.options.RunOptions", partial(RunOptions, save_after=0))
        done = pconv(*TINY)
    assert done.returncode == 130
    assert done.stderr.startswith("pconv: interrupted after the training; the same command goes on from its")
    assert done.stderr.count("\n") == 1
    monkeypatch.setattr(Training, "run_epoch", interrupted)  # nothing is left to train
    assert pconv(*TINY).returncode == 0


def test_interrupted_before_the_first_epoch_keeps_nothing(
    pconv: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(training: Training, on_step: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Training, "run_epoch", interrupted)
    done = pconv(*TINY, "--save=w.safetensors")
    assert done.returncode == 130
    assert done.stdout == ""
    assert "no epoch was finished" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "w.safetensors").exists()
