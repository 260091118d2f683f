"""The exported board, scored by its own script without pconv or torch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pconv.board import score_exported
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


@pytest.fixture(scope="module")
def attributions(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Those of saliency, as a user of the script saves them."""
    directory, method = tmp_path_factory.mktemp("attributions"), methods()["saliency"]
    for network, suffix in ((case.network, ""), (case.twin, "-twin")):
        sizes = attribution_sizes(method, case, network)
        np.save(directory / f"{exported_name(case.entry)}{suffix}.npy", sizes[:, None])
    return directory


def test_the_script_scores_as_the_board_does(exported: Path, attributions: Path, case: Case) -> None:
    code = f"{WITHOUT}sys.argv = ['score.py', {str(attributions)!r}, '--json']; "
    code += f"runpy.run_path({str(exported / SCRIPT)!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found, wanted = json.loads(done.stdout), score_method(methods()["saliency"], case)
    (scores,) = found.values()
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
        (np.zeros((2, 2)), "the shape is (2, 2) and not (6, 3, 6)"),
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
    before = sorted(path.name for path in exported.iterdir())
    assert {Path(name).suffix for name in before} == {".md", ".npz", ".onnx", ".pt2", ".py"}
    with pytest.raises(InputError, match="exists already"):
        export_board(networks, 4, exported)
    assert sorted(path.name for path in exported.iterdir()) == before
    assert [path.name for path in exported.parent.iterdir()] == ["board"], "no draft is left"
