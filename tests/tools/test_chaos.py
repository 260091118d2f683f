"""The checks of `make chaos` report planted violations; the scenarios themselves are not run here."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pconv.result import RunResult
from pconv.store.files import Weights
from pconv.store.sqlite import Store
from tests.fakes import fake_result, tiny
from tools.chaos.invariants import Fingerprint, fingerprints, new_store, violations
from tools.chaos.processes import MARK, cpu_seconds, left_over, marked, send
from tools.chaos.trial import Trial, wrong_errors

RUN = tiny().run_id
HEADER = b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"__metadata__":{"x":"1","y":"2"}}'
WEIGHTS = Weights("c0ffee", len(HEADER).to_bytes(8, "little") + HEADER + b"\0\0\0\0")


def finish(path: Path, result: RunResult) -> None:
    with Store.open(path) as store:
        store.finish(result, WEIGHTS, {}, "me")


@pytest.fixture
def reference(path: Path) -> dict[str, Fingerprint]:
    new_store(path)
    for seed in range(2):
        finish(path, fake_result(tiny(seed)))
    found = fingerprints(path)
    Store.open(path).close()  # a reader leaves an empty log, which a writer removes
    return found


def test_a_sound_store_has_no_violation(path: Path, reference: dict[str, Fingerprint]) -> None:
    assert len(reference) == 2
    other_order = HEADER.replace(b'"x":"1","y":"2"', b'"y":"2","x":"1"')
    weights = path.with_name("pconv.db.d") / "weights" / "c0ffee.safetensors"
    weights.write_bytes(WEIGHTS.data.replace(HEADER, other_order))
    assert violations(path, reference) == []


def execute(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute(statement)
        db.commit()


def lose(path: Path) -> None:
    execute(path, f"DELETE FROM results WHERE run_id = '{RUN}'")


def compute_differently(path: Path) -> None:
    lose(path)
    execute(path, f"DELETE FROM chaos_stored WHERE run_id = '{RUN}'")
    finish(path, replace(fake_result(tiny()), losses=(1 / 3, 0.1, 2e-300)))


def store_twice(path: Path) -> None:
    lose(path)
    finish(path, fake_result(tiny()))


def change_weights(path: Path) -> None:
    with (path.with_name("pconv.db.d") / "weights" / "c0ffee.safetensors").open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\1")


def leave_claim(path: Path) -> None:
    execute(path, f"INSERT INTO claims VALUES ('{RUN}', 'dead', 0)")


def leave_draft(path: Path) -> None:
    (path.with_name("pconv.db.d") / "weights" / ".5bad.safetensors.tmp").touch()


def cut(path: Path) -> None:
    os.truncate(path, 5000)


@pytest.mark.parametrize(
    ("plant", "reported"),
    [
        (lose, f"run {RUN} is lost"),
        (compute_differently, f"run {RUN} has other bits: losses"),
        (store_twice, f"run {RUN} was stored 2 times"),
        (change_weights, f"run {RUN} has other bits: weights"),
        (leave_claim, f"claim left over: ('{RUN}', 'dead')"),
        (leave_draft, "file left over: pconv.db.d/weights/.5bad.safetensors.tmp"),
        (cut, "the store cannot be read"),
    ],
)
def test_a_planted_violation_is_reported(
    path: Path, reference: dict[str, Fingerprint], plant: Callable[[Path], None], reported: str
) -> None:
    plant(path)
    assert any(line.startswith(reported) for line in violations(path, reference)), violations(path, reference)


@pytest.mark.parametrize(
    ("code", "errors", "reported"),
    [
        (0, "", []),
        (-9, "", []),
        (2, "pconv: the store x: it is damaged\n", []),
        (0, "run ab12 goes on without a checkpoint: [Errno 28] No space left on device\n", []),
        (2, "pconv: 8 runs to be computed, 1 in the store already\npconv: the store x: it is damaged\n", []),
        (0, "pconv: the heartbeat failed: the store x: the disk is full\n", []),
        (2, "pconv: 3 of 8 cells done, 1 running\n", ["0 lines for exit code 2: []"]),
        (2, "", ["0 lines for exit code 2: []"]),
        (2, "pconv: one\npconv: two\n", ["2 lines for exit code 2: ['pconv: one', 'pconv: two']"]),
        (0, "something\n", ["unexpected line 'something'"]),
        (-9, "Traceback (most recent call last):\n  ...\nBrokenPipeError\n", ["traceback: BrokenPipeError"]),
    ],
)
def test_what_a_command_may_write_to_stderr(code: int, errors: str, reported: list[str]) -> None:
    assert wrong_errors(code, errors) == reported


def test_a_process_that_is_left_is_found_and_ended(tmp_path: Path) -> None:
    trial = Trial("test", tmp_path / "trial", {}, Random(0))
    command = [sys.executable, "-c", "print(flush=True); import signal; signal.pause()"]
    environment = {**os.environ, MARK: trial.mark}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        there = left_over(trial.mark, patience=0)
        (trial.directory / "tmp" / "pconv-error.log").touch()
        trial.kill_all() if there else process.kill()
    assert not send(process.pid)
    assert (cpu_seconds(process.pid), cpu_seconds(os.getpid()) > 0) == (0, True)
    assert [found.pid for found in there] == [process.pid]
    assert marked(trial.mark) == []
    trial.check_nothing_left()
    assert trial.violations == ["tmp: file left over: pconv-error.log"]
