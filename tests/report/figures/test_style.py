"""Figures as files, in every format."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from pconv.config import RunConfig
from pconv.report.figures.architecture import architecture_figure, draw_architecture
from pconv.report.figures.confusion import confusion_figure, draw_confusion, run_confusion
from pconv.report.figures.losses import draw_losses, loss_figure
from pconv.report.figures.map import draw_map, map_figure
from pconv.report.figures.style import save
from pconv.report.figures.table import draw_table, table_figures
from pconv.report.figures.window import draw_window, window_figure
from pconv.result import Evaluation
from pconv.theory import Problem, predict
from tests.report.fakes import run

SMALL: dict[str, Any] = {"batches": 4, "epochs": 2, "test_size": 2_000}


def drawn(kind: str) -> Figure:
    counts = Evaluation(tuple(tuple(9 * (i == j) + (i + j == 3) for j in range(11)) for i in range(11)))
    question = Problem(27, range(9))
    return {
        "confusion": lambda: draw_confusion(confusion_figure(predict(11, range(9)), counts)),
        "prediction": lambda: draw_confusion(confusion_figure(predict(16, range(3)))),
        "window": lambda: draw_window(window_figure(question, 1)),
        "map": lambda: draw_map(map_figure(range(2, 20), range(9), [(11, 8, "confirmed")])),
        "architecture": lambda: draw_architecture(architecture_figure(RunConfig(modulus=11))),
    }[kind]()


@pytest.mark.parametrize("kind", ["confusion", "prediction", "window", "map", "architecture"])
def test_every_ending(kind: str, tmp_path: Path) -> None:
    for ending in (".pdf", ".svg", ".png"):
        save(lambda: drawn(kind), tmp_path / f"x{ending}")
    pdf = (tmp_path / "x.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert b"/Type3" not in pdf  # bitmaps and outlines that publishers refuse
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    root = ElementTree.parse(tmp_path / "x.svg").getroot()
    assert root.findall(".//{http://www.w3.org/2000/svg}text")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.pdf", "x.png", "x.svg"]


def test_the_same_figure_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "a.pdf", "b.pdf"):
        save(lambda: drawn("window"), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def test_figures_of_runs(tmp_path: Path) -> None:
    runs = [run(modulus=7, kernel=(k,), **SMALL) for k in (3, 5)]
    [table] = table_figures(runs, {})
    save(lambda: draw_losses(loss_figure(runs)), tmp_path / "losses.pdf")
    save(lambda: draw_table(table), tmp_path / "table.svg")
    save(lambda: draw_confusion(run_confusion(runs[0])), tmp_path / "confusion.png")
    assert (tmp_path / "losses.pdf").read_bytes().startswith(b"%PDF")
    assert "k=3" in (tmp_path / "table.svg").read_text()
