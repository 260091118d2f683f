"""`pconv evaluate`: a run, a file, all numbers, an older store, and what is refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pconv.config import RunConfig
from pconv.data.domain import Domain, split, unseen
from pconv.engines import census as census_module
from pconv.result import RunResult
from pconv.training.trainer import Training
from tests.cli.conftest import Run, Trained
from tests.store.older import write_store

CONFIG = RunConfig(
    modulus=11,
    offsets=tuple(range(9)),
    primes=8,
    kernel=(3,),
    batches=20,
    batch_size=32,
    epochs=4,
    test_size=200,
    limit=13_000,
    early_stop=False,
)


@pytest.fixture
def run_id(trained: Trained, tmp_path: Path) -> str:
    """In a directory of the test's own: a store with one run without a census, and its weights in a file."""
    assert trained.run_id == CONFIG.run_id
    assert trained.document["census"] is None
    shutil.copytree(trained.directory, tmp_path, dirs_exist_ok=True)
    return trained.run_id


def json_of(pconv: Run, *arguments: object) -> Any:
    done = pconv("evaluate", *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)


def test_a_run_without_a_census_takes_one(pconv: Run, run_id: str) -> None:
    text = pconv("show", run_id).stdout
    assert "census: none was taken of this run" in text
    assert "UNDERFITTED" in text or "UNDECIDED" in text
    assert "no census" in pconv("runs").stdout

    document = json_of(pconv, run_id[:7])
    census, verdict = document["census"], document["verdict"]
    numbers = split(CONFIG)
    left = unseen(CONFIG, numbers)
    assert document["run_id"] == run_id
    assert census["numbers"] == "unseen"
    assert census["size"] == len(left)
    assert census["accuracy"] == sum(census["confusion"][c][c] for c in range(11)) / len(left)
    assert 0 < census["loss"] < 10
    assert [each["class"] for each in census["classes"]] == list(range(11))
    for each in census["classes"]:
        row = census["confusion"][each["class"]]
        group = (1, 2) if each["class"] in (1, 2) else (each["class"],)
        assert each["count"] == sum(row) == (left % 11 == each["class"]).sum()
        assert each["correct"] == row[each["class"]]
        assert each["inside"] == sum(row[c] for c in group)
    assert verdict["status"] == "underfitted"
    assert set(verdict["parts"]) == {"separated", "attained", "nothing_beyond", "loss"}
    assert set(verdict["parts"].values()) <= {"yes", "no", "open"}
    assert set(document["theories"]) == {"signature", "paper", "grid"}

    stored = json.loads(pconv("show", run_id, "--json").stdout)
    assert stored["census"] == census
    assert stored["verdict"] == verdict
    assert stored["loss_epoch"] == census["epoch"]
    assert f"on all {len(left):,} unseen numbers" in pconv("show", run_id).stdout
    assert json_of(pconv, run_id) == document, "again it says the same"


def test_the_census_of_a_file_is_that_of_its_run_and_is_kept_nowhere(
    pconv: Run, run_id: str, tmp_path: Path
) -> None:
    by_file = json_of(pconv, "w.safetensors")
    assert by_file["verdict"]["training_loss"] is None, "a file does not tell how it was trained"
    assert json.loads(pconv("show", run_id, "--json").stdout)["census"] is None
    assert by_file["census"] == json_of(pconv, run_id)["census"]
    quiet = pconv("evaluate", "w.safetensors", "--quiet").stdout.splitlines()
    assert [line.split(":")[0] for line in quiet] == ["census", "verdict on the theory 'signature'"]
    text = pconv("evaluate", "w.safetensors").stdout
    assert "confusion on all numbers evaluated" in text
    assert "loss at the floor" in text
    (tmp_path / "pconv.db").unlink()
    assert json_of(pconv, "w.safetensors") == by_file, "no store is needed"


def test_all_numbers_give_no_verdict_and_are_not_kept(pconv: Run, run_id: str) -> None:
    document = json_of(pconv, run_id, "--numbers=all")
    assert document["census"]["numbers"] == "all"
    assert document["census"]["size"] == Domain.of(CONFIG).size == 12_999
    assert document["verdict"] is document["theories"] is None
    text = pconv("evaluate", run_id, "--numbers", "all", "--quiet").stdout
    assert "verdict: none, because training numbers are among those evaluated" in text
    assert json.loads(pconv("show", run_id, "--json").stdout)["census"] is None


def test_what_is_refused(pconv: Run, run_id: str, tmp_path: Path) -> None:
    (tmp_path / "damaged").write_bytes((tmp_path / "w.safetensors").read_bytes()[:-50])
    for arguments, said in (
        ((run_id, "--numbers=seen"), "--numbers 'seen': must be one of: unseen, all"),
        (("0123456789abcdef",), "run '0123456789abcdef': is not in the store pconv.db"),
        (("nowhere.safetensors",), "file nowhere.safetensors: does not exist"),
        (("damaged",), "file damaged: is damaged"),
        ((run_id, "--store=other.db"), f"run '{run_id}': is no file, and there is no store other.db"),
    ):
        done = pconv("evaluate", *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        assert said in done.stderr
    assert not (tmp_path / "other.db").exists()


def test_a_run_whose_weights_are_gone(pconv: Run, run_id: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "pconv.db") as db:
        db.execute("UPDATE results SET weights = NULL")
    done = pconv("evaluate", run_id)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "its weights were not kept; this keeps them: pconv train -m 11 -B 8 -k 3" in done.stderr


def test_a_store_that_cannot_be_written_is_noticed_before_the_census(
    pconv: Run, run_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the paper's size it takes minutes, and would be lost."""
    store = tmp_path / "pconv.db"
    store.chmod(0o444)
    before = store.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(census_module, "evaluate_model", None)
        done = pconv("evaluate", run_id)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "the store pconv.db: it is read-only" in done.stderr
    assert store.read_bytes() == before
    assert json_of(pconv, "w.safetensors")["census"]["numbers"] == "unseen"
    assert json_of(pconv, run_id, "--numbers=all")["census"]["numbers"] == "all"


def test_a_store_that_is_only_read_is_not_written(pconv: Run, run_id: str, tmp_path: Path) -> None:
    first = json_of(pconv, run_id)
    (tmp_path / "pconv.db").chmod(0o444)
    assert json_of(pconv, run_id) == first, "its census is there already"


def test_a_store_of_version_0_1(pconv: Run, tmp_path: Path) -> None:
    """Its runs have weights of the best epoch and no census; it opens, says so, and takes one."""
    training = Training(CONFIG, threads=1)
    while not training.done:
        training.run_epoch()
    plain = training.result(census=False)
    assert training.chosen is not None
    epochs = tuple(type(e)(e.epoch, e.loss, e.accuracy, e.seconds) for e in plain.epochs)
    old = RunResult(**{**vars(plain), "epochs": epochs})
    run_id = write_store(tmp_path / "pconv.db", old, training.chosen.weights)

    listed = json.loads(pconv("runs", "--json").stdout)
    assert [(run["run_id"], run["status"], run["census"]) for run in listed] == [(run_id, "finished", False)]
    assert "no census" in pconv("runs").stdout
    shown = pconv("show", run_id)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "census: none was taken of this run" in shown.stdout
    assert "undertrained" not in shown.stdout.lower()

    census = json_of(pconv, run_id)["census"]
    assert census["size"] == len(unseen(CONFIG, split(CONFIG)))
    assert census["epoch"] == old.best_epoch, "the weights of 0.1 do not name their epoch: it was the best"
    stored = json.loads(pconv("show", run_id, "--json").stdout)
    assert stored["census"] == census
    assert stored["loss_epoch"] is None
    assert set(stored["verdict"]["parts"]) == {"separated", "attained", "nothing_beyond", "loss"}
    assert "census: accuracy" in pconv("show", run_id).stdout
    assert pconv("report").returncode == 0
