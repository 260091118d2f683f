"""The exported board, scored by its own script without pconv or torch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pconv.board.cases import Case, prepare
from pconv.board.entries import Entry
from pconv.board.export import SCRIPT, export_board, exported_name
from pconv.board.registry import methods
from pconv.board.scoring import METRICS, attribution_sizes, score_method
from pconv.errors import InputError

WITHOUT = "import runpy, sys; sys.modules.update(pconv=None, torch=None, scipy=None); "


@pytest.fixture(scope="module")
def exported(networks: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("export") / "board"
    assert export_board(networks[:1], 6, directory) == 1
    return directory


@pytest.fixture(scope="module")
def case(networks: list[Entry]) -> Case:
    found = prepare(networks[0], 6)
    assert found is not None
    return found


def run_script(directory: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    code = f"{WITHOUT}sys.argv = {['score.py', *map(str, arguments)]!r}; "
    code += f"runpy.run_path({str(directory / SCRIPT)!r}, run_name='__main__')"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_script_scores_as_the_board_does(exported: Path, case: Case, tmp_path: Path) -> None:
    method, name = methods()["saliency"], exported_name(case.entry)
    for network, suffix in ((case.network, ""), (case.twin, "-twin")):
        np.save(tmp_path / f"{name}{suffix}.npy", attribution_sizes(method, case, network)[:, None])
    done = run_script(exported, tmp_path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found, wanted = json.loads(done.stdout)[name], score_method(method, case)
    for metric in (*METRICS, "sanity"):
        assert found[metric] == pytest.approx(wanted.metrics[metric], abs=1e-12)
    assert found["score"] == pytest.approx(wanted.score, abs=1e-12)
    table = run_script(exported, tmp_path).stdout.splitlines()
    assert [line.split()[0] for line in table] == ["network", name, "mean"]
    assert table[1].split()[-1] == f"{wanted.score:.3f}"

    np.save(tmp_path / f"{name}.npy", np.zeros((2, 2)))
    wrong = run_script(exported, tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.endswith("the shape is (2, 2) and not (6, 3, 6)\n")
    (tmp_path / f"{name}.npy").write_text("not an array")
    assert "cannot be read" in run_script(exported, tmp_path).stderr


def test_the_arrays_have_the_layout_of_quantus(exported: Path, case: Case) -> None:
    """The conditions that Quantus puts on the arguments of its localisation metrics."""
    with np.load(exported / f"{exported_name(case.entry)}.npz") as archive:
        x, y, s = (archive[name] for name in ("x_batch", "y_batch", "s_batch"))
    assert x.ndim == 4
    assert x.shape == s.shape
    assert s.shape[1] == 1 < min(s.shape[2:]), "channels first"
    assert set(np.unique(s).tolist()) == {0, 1}
    assert y.tolist() == case.truth.answers.tolist()
    assert np.array_equal(s[:, 0], case.truth.deciding)


def test_a_directory_that_exists_is_left_alone(exported: Path, networks: list[Entry]) -> None:
    before = sorted(path.name for path in exported.iterdir())
    assert {Path(name).suffix for name in before} == {".md", ".npz", ".onnx", ".pt2", ".py"}
    with pytest.raises(InputError, match="exists already"):
        export_board(networks, 4, exported)
    assert sorted(path.name for path in exported.iterdir()) == before
    assert [path.name for path in exported.parent.iterdir()] == ["board"], "no draft is left"
