"""`pconv board` as a user runs it, on a compiled network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.board.conftest import compiled
from tests.cli.conftest import Run

QUICK = ("--networks", "networks", "--windows", 4)
CHEATS = ("--method", "large-exponents", "--method", "columns-of-m")


@pytest.fixture(autouse=True)
def _networks(tmp_path: Path) -> None:
    from pconv.models.weights import save_weights

    (tmp_path / "networks").mkdir()
    model = compiled(7, 3, 6)
    path = tmp_path / "networks" / "seven.safetensors"
    save_weights(path, model.network.state_dict(), model.config, epoch=None)


def test_a_method_of_your_own(pconv: Run, tmp_path: Path) -> None:
    (tmp_path / "by_gradient.py").write_text(
        "import torch\n\n\ndef attribute(network, grids, target):\n"
        "    grids.requires_grad_()\n"
        "    logits = network(grids).gather(1, target[:, None])\n"
        "    return torch.autograd.grad(logits.sum(), grids)[0]\n"
    )
    done = pconv("board", *QUICK, *CHEATS, "--method", "by_gradient.py", "--seeds", 2, "-o", "board.json")
    assert done.returncode == 0
    assert done.stderr == "pconv: scoring 3 methods on 2 networks\n"
    lines = done.stdout.splitlines()
    assert lines[0].split()[:4] == ["method", "score", "95%", "interval"]
    assert lines[1].split()[:2] == ["1", "by_gradient"]
    assert {line.split()[1] for line in lines[2:4]} == {"large-exponents", "columns-of-m"}
    assert lines[4].split()[:2] == ["exact", "search"]
    document = json.loads((tmp_path / "board.json").read_text())
    assert [row["name"] for row in document["methods"]] == [line.split()[1] for line in lines[1:4]]

    drawn = pconv("figure", "board", "board.json", "-o", "board.png")
    assert (drawn.returncode, drawn.stderr) == (0, "")
    assert (tmp_path / "board.png").stat().st_size > 10_000


def test_a_method_that_fails_loses_nothing(pconv: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def attribute(network, grids, target):\n    return grids[0]\n")
    done = pconv("board", *QUICK, *CHEATS, "--method", "bad.py", "--seeds", 1, "--json", "--quiet")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line == (
        "pconv: the method bad failed: returned values of shape (3, 6) instead of (4, 3, 6) (network seven)"
    )
    document = json.loads(done.stdout)
    assert [row["name"] for row in document["methods"]] == ["columns-of-m", "large-exponents"]
    assert [row["name"] for row in document["failed"]] == ["bad"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--method nowhere.py", "--method nowhere.py: does not exist"),
        ("--method astrology", "--method 'astrology': must be a file .py, or one of: integrated-gradients, "),
        ("--networks nowhere", "--networks nowhere: has no weights"),
        ("--networks .", "--networks .: has no weights"),
        ("--windows 0", "--windows 0: must be from 1 to 1000"),
        ("--seeds 0", "--seeds 0: must be from 1 to 100"),
        ("-o nowhere/board.json", "--output nowhere/board.json: cannot be written"),
        ("-o board.png", "--output board.png: must end in .json"),
        ("--export networks", "--export networks: exists already"),
        ("--export new --json", "--json True: is not for use with --export"),
        ("--export new -o b.json", "--output b.json: is not for use with --export"),
        ("--export nowhere/to", "--export nowhere/to: cannot be written"),
    ],
)
def test_bad_input(pconv: Run, tmp_path: Path, arguments: str, message: str) -> None:
    done = pconv("board", *arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"pconv: {message}")
    assert [path.name for path in tmp_path.iterdir()] == ["networks"], "nothing was trained"


def test_without_captum(pconv: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "captum.attr", None)
    done = pconv("board", *QUICK)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "pconv: integrated-gradients needs captum: pip install 'captum>=0.9'\n"
    assert pconv("board", *QUICK, *CHEATS, "--seeds", 1, "--quiet").returncode == 0
