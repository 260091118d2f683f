"""`pconv convert` as a user runs it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.cli.conftest import Run, Trained


def test_a_run_becomes_a_program_by_id_or_by_file(pconv: Run, trained: Trained, tmp_path: Path) -> None:
    shutil.copytree(trained.directory, tmp_path, dirs_exist_ok=True)
    run_id = trained.run_id

    shown = pconv("convert", "w.safetensors", "-o", "eleven.pt2")
    assert shown.returncode == 0, shown.stderr
    assert shown.stderr == ""
    assert "takes grids of shape (batch, 9, 8)" in shown.stdout
    assert "Checked on 200 numbers" in shown.stdout

    done = pconv("convert", run_id[:8], "-o", "again.pt2", "--json")
    document = json.loads(done.stdout)
    assert document["run_id"] == run_id
    assert document["bytes"] == (tmp_path / "again.pt2").stat().st_size
    assert document["difference"] < 1e-5


def test_bad_input_gets_one_line_and_leaves_nothing(pconv: Run, tmp_path: Path) -> None:
    (tmp_path / "not.safetensors").write_text("nothing of the kind")
    for source, output, said in (
        ("not.safetensors", "model.pt2", "damaged"),
        ("gone.safetensors", "model.pt2", "does not exist"),
        ("not.safetensors", "model.txt", "must end in .pt2 or .onnx"),
        ("not.safetensors", "no/model.pt2", "directory does not exist"),
    ):
        done = pconv("convert", source, "-o", output)
        assert done.returncode == 2
        assert done.stdout == ""
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["not.safetensors"]
