"""The exported board, scored by its own script without pconv or torch."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pconv.board import score_exported
from pconv.board.cases import Case
from pconv.board.entries import Entry
from pconv.board.export import SCRIPT, export_board, exported_name
from pconv.board.metrics import METRICS
from pconv.board.registry import methods
from pconv.board.scoring import score_method
from pconv.errors import InputError
from pconv.models.weights import Model

WITHOUT = "import runpy, sys; sys.modules.update(pconv=None, torch=None, scipy=None); "


@pytest.fixture(scope="module")
def exported(networks: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The network of the case; its windows are those of the case, too."""
    directory = tmp_path_factory.mktemp("export") / "board"
    assert export_board(networks[:1], 8, directory) == 1
    return directory


@pytest.fixture(scope="module")
def attributions(exported: Path) -> Path:
    """The plain gradients that the example of the README writes."""
    lines = (exported / "README.md").read_text("utf-8").splitlines()
    example = "\n".join(line[4:] for line in lines if line.startswith("    "))
    with contextlib.chdir(exported):
        exec(example, {})  # a constant of pconv
    return exported / "attributions"


def test_the_script_scores_as_the_board_does(exported: Path, attributions: Path, case: Case) -> None:
    code = f"{WITHOUT}sys.argv = ['score.py', {str(attributions)!r}, '--json']; "
    code += f"runpy.run_path({str(exported / SCRIPT)!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found, wanted = json.loads(done.stdout), score_method(methods()["saliency"], case)
    (scores,) = found.values()
    assert score_exported.METRICS == METRICS
    for metric in (*METRICS, "sanity"):
        assert scores[metric] == pytest.approx(wanted.metrics[metric], abs=1e-12)
    assert scores["score"] == pytest.approx(wanted.score, abs=1e-12)


def test_the_table_of_the_script_and_its_errors(
    exported: Path,
    attributions: Path,
    case: Case,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(score_exported, "HERE", exported)
    monkeypatch.setattr(sys, "argv", ["score.py", str(attributions)])
    score_exported.main()
    name = exported_name(case.entry)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["network", name, "mean"]
    for content, message in (
        (np.zeros((2, 2)), "the shape is (2, 2) and not (8, 3, 6)"),
        (None, "cannot be read"),
    ):
        file = attributions / f"{name}.npy"
        file.unlink()
        if content is not None:
            np.save(file, content)
        with pytest.raises(SystemExit) as ended:
            score_exported.main()
        assert ended.value.code == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert message in captured.err


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
    before = sorted(path.name for path in exported.iterdir() if path.is_file())
    assert {Path(name).suffix for name in before} == {".md", ".npz", ".onnx", ".pt2", ".py"}
    with pytest.raises(InputError, match="exists already"):
        export_board(networks, 4, exported)
    assert sorted(path.name for path in exported.iterdir() if path.is_file()) == before
    assert [path.name for path in exported.parent.iterdir()] == ["board"], "no draft is left"


def test_no_file_replaces_that_of_another_network(networks: list[Entry], tmp_path: Path) -> None:
    """A compiled network with the seed 0, and a trained one whose file is named as if it were that."""
    model = networks[0].model
    for name in ("seven-seed0", "seven-seed0-twin"):
        trained = Entry(name, Model(model.config, model.network), 0)
        with pytest.raises(InputError, match=f"networks {name}: two networks would be seven-seed0"):
            export_board([networks[0], trained], 4, tmp_path / "new")
    assert not list(tmp_path.iterdir())
