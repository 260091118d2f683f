"""Figures as files: what they are, and what is said when they cannot be made."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.report.architecture import draw_architecture
from pconv.report.diagrams import draw_map, draw_window
from pconv.report.figures import draw_confusion, save
from pconv.report.files import check_output, write_whole
from pconv.report.records import architecture_figure, confusion_figure, map_figure, window_figure
from pconv.result import Evaluation
from pconv.theory import Problem, predict


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


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("before")

    def fails(draft: Path) -> None:
        draft.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="No space left"):
        write_whole(path, fails)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_outputs_are_checked_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must end in \.pdf or \.svg"):
        check_output(tmp_path / "x.doc", (".pdf", ".svg"))
    with pytest.raises(InputError, match="cannot be written"):
        check_output(tmp_path / "nowhere" / "x.pdf", (".pdf",))
    (tmp_path / "x.pdf").mkdir()
    with pytest.raises(InputError, match="directory"):
        check_output(tmp_path / "x.pdf", (".pdf",))
