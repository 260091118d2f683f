"""The page as a file."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.report.page import build
from pconv.report.page.build import page_html
from pconv.result import Census, Evaluation
from pconv.store.run import JudgedRun
from tests.report.conftest import Opened
from tests.report.fakes import result


def test_three_hundred_runs_are_a_small_page() -> None:
    """Full-length runs modulo 30, every cell of the confusion filled: the worst of the paper's grid."""
    made = result(RunConfig(modulus=30, test_size=100))
    crowded = Evaluation(tuple((700,) * 30 for _ in range(30)))
    census = Census("unseen", 9, 1.0, crowded, None, ())
    runs = [
        JudgedRun(replace(made, config=replace(made.config, seed=seed), test=crowded, census=census))
        for seed in range(300)
    ]
    assert len(page_html(runs)) < 5_000_000


PARITY = """
function drawParity() {
  show("parity-text", `${modulus()} is ${modulus() % 2 ? "odd" : "even"}`);
}
addSection("parity", "Parity", "Odd or even", el("p", { id: "parity-text" }));
whenever(["m"], drawParity);
"""


def test_a_figure_is_one_script(opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put among the scripts of figures, it has a section of its own that follows the sliders."""
    with_parity = tmp_path / "assets"
    shutil.copytree(str(build.ASSETS), with_parity)
    (with_parity / "figures" / "parity.js").write_text(PARITY)
    monkeypatch.setattr(build, "ASSETS", with_parity)
    build.write_page(tmp_path / "report.html")
    page = opened.go(tmp_path / "report.html")
    assert page.inner_text("#parity") == "Odd or even\n\n11 is odd"
    page.fill("#m", "12")
    assert page.inner_text("#parity-text") == "12 is even"
    page.get_by_role("button", name="Parity").click()
