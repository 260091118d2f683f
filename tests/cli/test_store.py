"""Commands on stores that are read-only, emptied or damaged, or that have lost files."""

from __future__ import annotations

import errno
import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from pconv.cli import one_run
from pconv.errors import InputError
from pconv.evaluate import judge
from pconv.store.sqlite import Claim, Store
from tests.cli.conftest import Run
from tests.fakes import tiny
from tests.store.test_reading import emptied, interrupt, spoil

SIZES = ("-m3", "-B3", "-N8", "-k3", "-r10", "-s16", "-t2", "--test-size=50", "--limit=13000")
TRAIN = ("train", *SIZES, "--no-early-stop", "--json")  # the run of `tiny()`
RUN = tiny().run_id


def refused(done: object, *words: str) -> None:
    code, out, err = (getattr(done, name) for name in ("returncode", "stdout", "stderr"))
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert all(word in err for word in words), err


def weights_of(path: Path) -> Path:
    with Store.read(path) as store:
        weights = store.weights(RUN)
    assert weights is not None
    return weights


def test_a_stored_run_is_shown_from_a_read_only_store(pconv: Run, path: Path) -> None:
    first = json.loads(pconv(*TRAIN).stdout)
    path.chmod(0o444)
    again = pconv(*TRAIN, "--save=w.safetensors")
    assert (again.returncode, json.loads(again.stdout)["epochs"]) == (0, first["epochs"])
    assert (path.parent / "w.safetensors").read_bytes() == weights_of(path).read_bytes()
    refused(pconv(*TRAIN, "--seed=1"), "read-only")


def test_a_store_in_memory_is_refused(pconv: Run, tmp_path: Path) -> None:
    for command in (TRAIN, ("runs",), ("gc",)):
        refused(pconv(*command, "--store=:memory:"), "--store :memory:: must be a file")
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_gone_are_computed_again(pconv: Run, path: Path) -> None:
    assert pconv(*TRAIN, "--snapshots=1").returncode == 0
    weights = weights_of(path)
    snapshot = path.parent / "pconv.db.d" / "snapshots" / RUN / "1.safetensors"
    for option in ("--keep-weights", "--save=w.safetensors"):
        weights.unlink()
        refused(pconv("classify", RUN, 5), "its weights are gone", "-m 3 -B 3", "--keep-weights")
        assert f"The weights of 1 run ({RUN}) are gone" in pconv("gc").stdout
        assert pconv(*TRAIN, option).returncode == 0
        assert weights.exists(), "under the name of its checksum"
        assert "gone" not in pconv("gc").stdout
    assert pconv("classify", "w.safetensors", 5).returncode == 0
    snapshot.unlink()
    assert pconv(*TRAIN, "--snapshots=1").returncode == 0
    assert snapshot.exists()


def test_damaged_weights_are_computed_again(pconv: Run, path: Path) -> None:
    assert pconv(*TRAIN, "--snapshots=1").returncode == 0
    weights = weights_of(path)
    snapshot = path.parent / "pconv.db.d" / "snapshots" / RUN / "1.safetensors"
    for file, option in ((weights, "--save=w.safetensors"), (snapshot, "--snapshots=1")):
        spoil(file)
        checked = pconv("gc")
        assert "has 1 damaged file of weights" in checked.stdout
        assert f"{file} is damaged" in checked.stdout
        assert pconv(*TRAIN, option).returncode == 0
        assert "is sound" in pconv("gc").stdout
    assert pconv("classify", "w.safetensors", 5).returncode == 0, "no damaged file was copied"


def test_a_directory_of_weights_that_cannot_be_written_is_noticed_before_the_training(
    pconv: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(*_: object) -> None:
        raise AssertionError("nothing is trained")

    (path.parent / "pconv.db.d").write_text("a file in its place")
    (path.parent / "grid.toml").write_text("[grid]\nmodulus = 3\nprimes = 8\nbatches = 10\nepochs = 1\n")
    with monkeypatch.context() as patched:
        patched.setattr("pconv.training.trainer.Training.run_epoch", train)
        patched.setattr("pconv.sweeps.runner.Sweep._start", train)
        for command in (TRAIN, ("sweep", "grid.toml")):
            refused(pconv(*command), "the weights of runs cannot be kept in", "pconv.db.d: Not a directory")
    monkeypatch.setattr("pconv.sweeps.job.SMALL", 0)  # no weights are kept, so none can be lost
    assert pconv(*TRAIN).returncode == 0


def test_gc_judges_runs_of_another_version(pconv: Run, path: Path) -> None:
    assert pconv(*TRAIN).returncode == 0
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE verdicts SET document = json_set(document, '$.version', 1)")
    assert "not judged" in pconv("runs").stdout
    assert "Judged 1 run again" in pconv("gc").stdout
    assert "not judged" not in pconv("runs").stdout
    assert "Judged" not in pconv("gc").stdout


def test_gc_watches_a_claim_before_it_is_dropped(
    pconv: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.monotonic()

    def sleep(seconds: float) -> None:
        monkeypatch.setattr(time, "monotonic", lambda: now + seconds + 1)

    monkeypatch.setattr(time, "sleep", sleep)
    with Store.open(path) as store:
        assert store.claim(tiny(), "dead") is Claim.ACQUIRED
        assert pconv("gc").stderr == "", "it may be alive"
        store._connection.execute("UPDATE claims SET heartbeat = 0")
        done = pconv("gc")
        assert done.stderr == "pconv: watching 1 claim without a recent heartbeat for 10 s\n"
        assert store.claim(tiny(), "other") is Claim.ACQUIRED


def test_a_failing_save_leaves_the_run_in_the_store(pconv: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(training: object, save: Path | None) -> None:
        raise InputError("save", save, f"cannot be written ({errno.errorcode[errno.ENOSPC]})")

    monkeypatch.setattr(one_run, "_save_weights", full)
    refused(pconv(*TRAIN, "--save=w.safetensors"), "cannot be written (ENOSPC)", f"run {RUN} is in the store")
    assert json.loads(pconv("show", RUN, "--json").stdout)["verdict"]["theory"] == "signature"


def test_interrupted_runs_are_listed(pconv: Run, path: Path) -> None:
    with Store.open(path) as store:
        interrupt(store)
    listed = pconv("runs").stdout
    assert RUN in listed
    assert "interrupted" in listed
    assert "epoch 1 of 2" in listed
    assert pconv("show", RUN).stdout == f"run {RUN} interrupted: epoch 1 of 2\n"
    [run] = json.loads(pconv("runs", "--json").stdout)
    assert (run["status"], run["epochs"]) == ("interrupted", 1)
    assert json.loads(pconv(*TRAIN).stdout)["run_id"] == RUN
    assert [run["status"] for run in json.loads(pconv("runs", "--json").stdout)] == ["finished"]


@pytest.mark.parametrize("how", ["an empty file", "no results"])
def test_gc_keeps_the_weights_of_an_emptied_store(pconv: Run, path: Path, how: str) -> None:
    pconv(*TRAIN)
    weights = weights_of(path)
    emptied(path, how)
    before = path.read_bytes()
    refused(pconv("gc"), "has no results", "1 files of weights", "pconv.db-wal")
    assert weights.exists()
    for command in ("runs", "export"):
        assert pconv(command).returncode == 0
    assert path.read_bytes() == before


def test_a_damaged_row_is_one_line(pconv: Run, path: Path) -> None:
    pconv(*TRAIN)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE results SET document = '{'")
    for command in (("show", RUN), ("export",), ("gc",), TRAIN):
        refused(pconv(*command), f"run {RUN} is damaged")
    assert RUN in pconv("runs").stdout


def test_a_theory_that_raises_is_one_line(pconv: Run, path: Path, broken_theory: str) -> None:
    done = pconv(*TRAIN)
    assert done.returncode == 0
    line = "pconv: the theory 'broken' was not tested: it raised ZeroDivisionError: division by zero\n"
    assert done.stderr == line
    assert set(json.loads(done.stdout)["theories"]) == {"signature", "paper", "grid"}
    assert pconv("show", RUN, "--json").stderr == line
    refused(pconv(*TRAIN, "--seed=1", "--theory=broken"), "--theory broken: it raised ZeroDivisionError")


def test_a_theory_that_fails_in_its_test(pconv: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is stored; the exit code says that the verdict is missing."""

    def fail(*_: object) -> None:
        raise OverflowError("too many classes")

    monkeypatch.setattr("pconv.evaluate.comparison.judge_answers", fail)
    done = pconv(*TRAIN[:-1], "--theory=grid")
    assert done.returncode == 2
    assert (
        "pconv: the theory 'grid' was not tested: it raised OverflowError: too many classes\n" in done.stderr
    )
    assert "verdict: none. The theory was not tested" in done.stdout
    monkeypatch.setattr("pconv.evaluate.comparison.judge_answers", judge.judge_answers)
    assert pconv(*TRAIN[:-1], "--theory=grid").returncode in (0, 1)
