"""`pconv train --snapshots` and RUN@EPOCH, as a user asks for them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pconv.models.weights import Model
from tests.cli.conftest import TRAIN, Run, Trained


@pytest.fixture
def run_id(trained: Trained, tmp_path: Path) -> str:
    """In a directory of the test's own: a store with one run and its snapshots of the epochs 2 and 4."""
    shutil.copytree(trained.directory, tmp_path, dirs_exist_ok=True)
    return trained.run_id


def files(directory: Path) -> list[str]:
    kept = directory / "pconv.db.d" / "snapshots"
    return sorted(str(path.relative_to(kept)) for path in kept.rglob("*.safetensors"))


def test_they_are_told_and_kept(pconv: Run, trained: Trained, run_id: str, tmp_path: Path) -> None:
    document = trained.document
    assert [snapshot["epoch"] for snapshot in document["snapshots"]] == [2, 4]
    assert [snapshot["test"]["size"] for snapshot in document["snapshots"]] == [200, 200]
    assert files(tmp_path) == [f"{run_id}/2.safetensors", f"{run_id}/4.safetensors"]
    for epoch in (2, 4):
        model = Model.load(tmp_path / "pconv.db.d" / "snapshots" / run_id / f"{epoch}.safetensors")
        assert (model.config.run_id, model.epoch) == (run_id, epoch)
    shown = pconv("show", run_id).stdout
    assert "after epoch 2: test accuracy" in shown


def test_every_command_that_takes_weights_takes_them(pconv: Run, run_id: str, tmp_path: Path) -> None:
    rows = {}
    for source in (f"{run_id[:8]}@2", f"{run_id}@4", f"pconv.db.d/snapshots/{run_id}/2.safetensors"):
        done = pconv("classify", source, 101, 102, 103, "--json")
        assert done.returncode == 0, done.stderr
        rows[source.removeprefix(run_id[:8])] = json.loads(done.stdout)
    second, fourth, by_file = rows.values()
    assert second == by_file
    assert second != fourth
    assert pconv("convert", f"{run_id}@2", "-o", "two.pt2").returncode == 0
    probed = pconv("probe", f"{run_id}@2", "--probe=interventions", "--numbers=300", "--json")
    assert probed.returncode == 0, probed.stderr
    counted = json.loads(pconv("evaluate", f"{run_id}@2", "--json").stdout)
    assert (counted["run_id"], counted["census"]["epoch"]) == (run_id, 2)
    assert json.loads(pconv("show", run_id, "--json").stdout)["census"] is None, "it is not the run's own"


def test_epochs_that_are_not_there(pconv: Run, run_id: str) -> None:
    there, wrong = "the store has no snapshot of this epoch; there are: 2, 4", "after @ must be the epoch of"
    afters = {"99": there, "1": there, "x": wrong, "0": wrong, "": wrong, "-2": wrong, "2@4": wrong}
    commands = {"classify": ["5"], "evaluate": [], "probe": [], "convert": ["-o", "x.pt2"]}
    for command, more in commands.items():
        for after, message in afters.items():
            done = pconv(command, f"{run_id[:6]}@{after}", *more)
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
            assert done.stderr.startswith("pconv: run ")
            assert message in done.stderr


def test_the_message_is_one_line(pconv: Run, run_id: str) -> None:
    done = pconv("evaluate", f"{run_id}@99")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"pconv: run {run_id}@99: the store has no snapshot of this epoch; there are: 2, 4\n"
    )


def test_garbage_is_what_no_run_needs(pconv: Run, run_id: str, tmp_path: Path) -> None:
    kept = files(tmp_path)
    stray = tmp_path / "pconv.db.d" / "snapshots" / "0123456789abcdef" / "1.safetensors"
    stray.parent.mkdir()
    stray.write_bytes(b"of a run that is gone")
    assert "Removed 1 files" in pconv("gc").stdout
    assert files(tmp_path) == kept
    assert pconv("classify", f"{run_id}@2", 101).returncode == 0


def test_a_run_with_its_snapshots_is_not_trained_twice(pconv: Run, run_id: str, tmp_path: Path) -> None:
    first = json.loads(pconv("show", run_id, "--json").stdout)
    again = json.loads(pconv(*TRAIN).stdout)
    assert again["epochs"] == first["epochs"], "also its times"
    more = json.loads(pconv(*TRAIN[:-2], "--snapshots=all", "--json").stdout)
    assert [snapshot["epoch"] for snapshot in more["snapshots"]] == [1, 2, 3, 4]
    assert len(files(tmp_path)) == 4
    assert more["losses"] == first["losses"], "the same run"


def test_other_snapshots_join_those_that_are_there(pconv: Run, run_id: str, tmp_path: Path) -> None:
    """A result stays as long as another lacks what it has: its census and its snapshots are taken again."""
    assert pconv("evaluate", run_id, "--quiet").returncode == 0
    document = json.loads(pconv(*TRAIN[:-2], "--snapshots=1", "--json").stdout)
    assert [snapshot["epoch"] for snapshot in document["snapshots"]] == [1, 2, 4]
    assert files(tmp_path) == [f"{run_id}/{epoch}.safetensors" for epoch in (1, 2, 4)]
    stored = json.loads(pconv("show", run_id, "--json").stdout)
    assert [snapshot["epoch"] for snapshot in stored["snapshots"]] == [1, 2, 4]
    assert stored["census"] is not None


def test_epochs_after_an_early_stop_are_not_waited_for(pconv: Run, tmp_path: Path) -> None:
    """A run that stopped at accuracy 1 has no later epochs, however often it is trained."""
    solved = ("train", "-m2", "-B3", "-N8", "-k3", "-r60", "-s64", "-t30", "--test-size=50", "--limit=20000")
    command = (*solved, "--no-census", "--snapshots=all", "--json")
    first, second = (json.loads(pconv(*command).stdout) for _ in range(2))
    assert len(first["epochs"]) < 30
    assert [s["epoch"] for s in first["snapshots"]] == [e["epoch"] for e in first["epochs"]]
    assert second["epochs"] == first["epochs"], "also its times: it was not trained again"


@pytest.mark.parametrize(
    ("epochs", "message"),
    [
        ("0", "--snapshots 0: must be `all` or a list of epochs from 1 to 4"),
        ("1,5", "--snapshots 1,5: must be"),
        ("1,,2", "--snapshots '1,,2': must be"),
        ("last", "--snapshots 'last': must be"),
    ],
)
def test_what_is_refused_before_anything_is_written(
    pconv: Run, tmp_path: Path, epochs: str, message: str
) -> None:
    done = pconv(*TRAIN, "--snapshots", epochs)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []
