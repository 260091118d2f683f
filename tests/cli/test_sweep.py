"""`pconv sweep` and the commands that read the store, as a user runs them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.evaluate.judge import judge
from pconv.result import RunResult
from pconv.store.sqlite import Store
from pconv.sweeps.grid import read_spec
from tests.cli.conftest import Run
from tests.cli.test_store import refused
from tests.fakes import fake_result, tiny, with_census
from tests.store.test_reading import interrupt

GRID = """
[grid]
modulus = [3, 5]
successors = 3
kernel = 3
primes = 8
batches = 10
batch_size = 16
epochs = 2
test_size = 50
limit = 13000
seed = [0, 1, 2]
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.toml"
    path.write_text(GRID)
    return path


def test_two_sweeps_share_a_store_and_readers_see_it(pconv: Run, tmp_path: Path, spec: Path) -> None:
    listed = json.loads(pconv("sweep", spec, "--dry-run", "--json").stdout)
    assert [cell["status"] for cell in listed["cells"]] == ["wanted"] * 6
    assert not (tmp_path / "pconv.db").exists(), "a dry run writes nothing"

    command = [sys.executable, "-m", "pconv", "sweep", str(spec), "--jobs", "1", "--json"]
    both = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    reports = [json.loads(process.communicate(timeout=300)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum(done["computed"] for done in reports) == 6
    assert all(done["finished"] == 6 for done in reports)

    runs = json.loads(pconv("runs", "--json").stdout)
    assert [run["status"] for run in runs] == ["finished"] * 6
    ids = [run["run_id"] for run in runs]
    assert sorted(ids) == sorted(cell["run_id"] for cell in listed["cells"])
    assert ids[0] in pconv("runs").stdout

    again = pconv("sweep", spec)
    assert again.stderr == "", "nothing to do, and nothing to say about it"
    assert again.stdout == "6 cells: 6 finished (0 of them now), 0 failed; kept in pconv.db\n"
    assert "0 to be done" in pconv("sweep", spec, "--dry-run").stdout

    document = json.loads(pconv("show", ids[0], "--json").stdout)
    assert RunConfig.from_dict(document["config"]).run_id == ids[0]
    assert document["verdict"]["theory"] == "signature"
    assert ids[0] in pconv("show", ids[0]).stdout
    unknown = pconv("show", "feed")
    assert (unknown.returncode, unknown.stderr.count("\n")) == (2, 1)

    table = list(csv.DictReader(io.StringIO(_exported(pconv, tmp_path, "runs.csv"))))
    assert [row["run_id"] for row in table] == ids
    assert table[0]["config.offsets"] == "0,1,2,3"
    lines = _exported(pconv, tmp_path, "runs.jsonl").splitlines()
    assert json.loads(lines[0])["losses"] == document["losses"]
    assert pconv("export", "-o", "runs.txt").returncode == 2
    assert "is sound. Removed 0 files" in pconv("gc").stdout


def test_a_dry_run_knows_what_is_left(pconv: Run, path: Path, spec: Path) -> None:
    """Of a finished run nothing, unless its weights are wanted; of an interrupted one its last epoch."""
    spec.write_text(GRID.replace("[3, 5]", "3") + "no_early_stop = true\n")  # the runs of `tiny`
    with Store.open(path) as store:
        interrupt(store)
        store.finish(fake_result(tiny(1)), None, {}, "me")
    before = {file.name: file.read_bytes() for file in path.parent.glob("pconv.db")}
    cells = json.loads(pconv("sweep", spec, "--dry-run", "--json").stdout)["cells"]
    assert [cell["run_id"] for cell in cells] == [tiny(seed).run_id for seed in range(3)]
    assert [(cell["status"], cell["epochs"]) for cell in cells] == [
        ("interrupted", 1),
        ("finished", None),
        ("wanted", None),
    ]
    assert 0 < cells[0]["seconds"] < cells[2]["seconds"]
    assert cells[1]["seconds"] is None
    shown = pconv("sweep", spec, "--dry-run").stdout
    assert "interrupted, epoch 1 of 2" in shown
    assert "3 cells, 2 to be done" in shown
    shown = pconv("sweep", spec, "--dry-run", "--keep-weights").stdout
    assert "finished without weights" in shown
    assert "3 cells, 3 to be done" in shown
    assert {file.name: file.read_bytes() for file in path.parent.glob("pconv.db")} == before


def test_a_named_theory(pconv: Run, path: Path, spec: Path) -> None:
    """Its verdicts are shown, and one run that refutes it is exit code 1; without a name there is none."""
    spec.write_text(GRID.replace("[3, 5]", "[3, 7]").replace("[0, 1, 2]", "0"))
    with Store.open(path) as store:
        for config in read_spec(
            spec
        ):  # all answers are right, and 4 rows do not identify the classes modulo 7
            result = with_census(fake_result(config))
            store.finish(result, None, {"grid": judge(result, "grid")}, "me")  # before there was `signature`
    expected = [str(judge(fake, "signature").status) for fake in _census_of(spec)]
    assert expected[1] == "refuted"
    assert pconv("sweep", spec).returncode == 0
    done = pconv("sweep", spec, "--theory", "signature")
    assert done.returncode == 1
    assert done.stdout.splitlines()[1] == f"Verdicts on the signature theory: 1 {expected[0]}, 1 refuted."
    done = pconv("sweep", spec, "--theory", "signature", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["theory"]) == (1, "signature")
    assert [cell["verdict"] for cell in document["cells"]] == expected
    assert pconv("sweep", spec, "--theory", "grid").returncode == 0


def _census_of(spec: Path) -> list[RunResult]:
    return [with_census(fake_result(config)) for config in read_spec(spec)]


def test_a_theory_that_cannot_be_tested_is_an_error_before_any_training(
    pconv: Run, path: Path, spec: Path
) -> None:
    commands = (("sweep", spec), ("sweep", spec, "--dry-run"), ("reproduce", "losses"))
    for command in commands:
        refused(pconv(*command, "--theory", "astrology"), "--theory astrology: must be one of: signature")
    spec.write_text(GRID.replace("successors = 3", 'offsets = "0,2,4,6"'))
    refused(pconv("sweep", spec, "--theory=paper"), "--theory paper: The theory 'paper' does not apply")
    assert not path.exists()


def test_progress_of_a_sweep_is_on_stderr_and_quiet_has_none(pconv: Run, spec: Path) -> None:
    spec.write_text(GRID.replace("[0, 1, 2]", "0"))
    loud = pconv("sweep", spec, "--jobs=1")
    assert loud.stdout == "2 cells: 2 finished (2 of them now), 0 failed; kept in pconv.db\n"
    assert loud.stderr.startswith("pconv: 2 runs to be computed, 0 in the store already; in about ")
    quiet = pconv("sweep", spec, "--jobs=1", "--quiet", "--store=other.db")
    assert (quiet.stdout, quiet.stderr) == (loud.stdout.replace("pconv.db", "other.db"), "")


def test_rates_in_a_grid(pconv: Run, spec: Path) -> None:
    spec.write_text(GRID.replace("[0, 1, 2]", "0") + "learning_rate = [0.001, 0.01]\nweight_decay = 1\n")
    listed = json.loads(pconv("sweep", spec, "--dry-run", "--json").stdout)
    small = {"offsets": range(4), "kernel": 3, "primes": 8, "batches": 10, "batch_size": 16, "epochs": 2}
    small |= {"test_size": 50, "limit": 13_000}
    wanted = [
        RunConfig.from_dict({**small, "modulus": m, "learning_rate": rate, "weight_decay": 1.0}).run_id
        for m in (3, 5)
        for rate in (0.001, 0.01)
    ]
    assert [cell["run_id"] for cell in listed["cells"]] == wanted
    spec.write_text(GRID + 'learning_rate = "0.01"\n')
    refused = pconv("sweep", spec, "--dry-run")
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert refused.stderr.startswith("pconv: learning_rate '0.01': must be a number")


def _exported(pconv: Run, directory: Path, name: str) -> str:
    assert pconv("export", "-o", name).returncode == 0
    return (directory / name).read_text()


def test_a_run_that_cannot_be_computed(pconv: Run, spec: Path) -> None:
    """Exit code 3, the reason on stderr and in the store; the other runs are finished."""
    spec.write_text(GRID.replace("test_size = 50", "test_size = [50, 1000000]").replace("[0, 1, 2]", "0"))
    done = pconv("sweep", spec, "--jobs=1", "--json")
    assert done.returncode == 3
    report = json.loads(done.stdout)
    assert (report["finished"], report["failed"]) == (2, 2)
    assert done.stderr.count("need 1,000,672 numbers") == 2
    failed = [run for run in json.loads(pconv("runs", "--json").stdout) if run["status"] == "failed"]
    assert len(failed) == 2
    assert "1,000,672" in pconv("show", failed[0]["run_id"]).stdout
    refused = pconv("classify", failed[0]["run_id"], 5)
    assert (refused.returncode, "not finished" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("send", "number", "code"),
    [
        (os.killpg, signal.SIGINT, 130),  # as a terminal does: the whole group
        (os.kill, signal.SIGTERM, 143),  # as `kill` does
        (os.killpg, signal.SIGTERM, 143),  # as the scheduler of a cluster does
    ],
)
def test_an_interrupted_sweep_gives_back_what_it_claimed(
    pconv: Run,
    tmp_path: Path,
    spec: Path,
    send: Callable[[int, signal.Signals], None],
    number: signal.Signals,
    code: int,
) -> None:
    """In a terminal, a signal once the display shows an epoch: one line, and nothing is left running."""
    spec.write_text(GRID.replace("epochs = 2", "epochs = 1000000\nno_early_stop = true"))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pconv", "sweep", str(spec), "--jobs", "1"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        shown = b""
        while b"accuracy" not in shown:
            shown += os.read(ours, 4096)
        send(process.pid, number)
        with contextlib.suppress(OSError):  # the terminal's end is an error where its last writer is gone
            while piece := os.read(ours, 4096):
                shown += piece
        assert process.stdout is not None
        assert process.stdout.read() == b""
    os.close(ours)
    assert process.returncode == code
    assert (
        shown.count(b"pconv: ") == shown.count(b"pconv: interrupted; the same command goes on from here") == 1
    )
    assert json.loads(pconv("runs", "--json").stdout) == []


@pytest.mark.parametrize(
    "command", [("sweep", "spec.toml"), ("runs",), ("train", "-m3", "-B3", "-N8", "-k3")]
)
@pytest.mark.parametrize("kind", ["newer", "text"])
def test_a_file_that_is_no_store_of_ours(
    pconv: Run, tmp_path: Path, spec: Path, kind: str, command: tuple[str, ...]
) -> None:
    path = tmp_path / "pconv.db"
    if kind == "text":
        path.write_text("no store\n" * 1000)
    else:
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA user_version = 99")
            db.execute(f"PRAGMA application_id = {0x70436E76}")
    before = path.read_bytes()
    done = pconv(*command)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "pconv.db" in done.stderr
    assert path.read_bytes() == before


def test_a_list_without_values_makes_no_store(pconv: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.toml").write_text("[grid]\nmodulus = []\n")
    done = pconv("sweep", "empty.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "pconv: modulus []: needs at least one value\n"
    assert not (tmp_path / "pconv.db").exists()


def test_a_directory_is_no_store(pconv: Run, tmp_path: Path) -> None:
    (tmp_path / "pconv.db").mkdir()
    done = pconv("runs")
    assert (done.returncode, done.stderr) == (2, "pconv: the store pconv.db: is a directory\n")


def test_a_run_without_a_store_is_named(pconv: Run) -> None:
    done = pconv("classify", "24", 7, "--store=gone.db")
    expected = "pconv: run '24': is no file, and there is no store gone.db that could have it\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)


def test_a_run_in_the_store_is_not_trained_twice(pconv: Run, tmp_path: Path) -> None:
    tiny = (
        "train",
        "-m3",
        "-B3",
        "-N8",
        "-k3",
        "-r10",
        "-s16",
        "-t2",
        "--test-size=50",
        "--no-census",
        "--json",
    )
    first = json.loads(pconv(*tiny).stdout)
    second = json.loads(pconv(*tiny, "--save", "w.safetensors").stdout)
    assert second["epochs"] == first["epochs"], "also its times"
    [kept] = (tmp_path / "pconv.db.d" / "weights").iterdir()
    assert (tmp_path / "w.safetensors").read_bytes() == kept.read_bytes()
    for other in ("pconv.db", "notes.md"):
        refused = pconv(*tiny, "--save", other)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr == f"pconv: --save {other}: must end in .safetensors\n"
    with sqlite3.connect(tmp_path / "pconv.db") as db:
        db.execute("UPDATE results SET weights = NULL")
    refused = pconv("classify", first["run_id"], 5)
    assert refused.returncode == 2
    assert "-m 3 -B 3 -k 3 -N 8 -r 10 -s 16 -t 2 --test-size 50 --keep-weights" in refused.stderr
    assert pconv(*tiny, "--keep-weights").returncode == 0
    assert pconv("classify", first["run_id"][:6], 5).returncode == 0
