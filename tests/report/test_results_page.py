"""The page with runs, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from pconv.lab.source import Run
from pconv.report.load import paper_figures
from pconv.report.page import write_page
from tests.report.conftest import Opened
from tests.report.made_up import HOSTILE, run

PROBE: Mapping[str, Any] = {
    "findings": [
        {"what": HOSTILE, "predicted": "all", "observed": "99%", "agrees": True, "n": 500},
        {"what": "b", "predicted": "none", "observed": "1%", "agrees": None, "n": 5},
    ],
    "maps": [
        {
            "title": "a map",
            "rows": ["n", "n+1"],
            "columns": ["2", "3"],
            "values": [[0, 0.5], [None, 1]],
            "low": 0,
            "high": 1,
        }
    ],
}


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    fields = {"test_size": 2_000, "batches": 40}
    made = [
        run(modulus=11, **fields),
        run(modulus=11, seed=1, **fields),
        run(modulus=7, kernel=(3,), early_stop=False, **fields),
        run(modulus=7, kernel=(5,), early_stop=False, **fields),
        run(modulus=16, offsets=range(3), kernel=(3,), **fields),
        run(modulus=13, channels=(8,), **fields),
    ]
    environment = replace(made[0].result.environment, engine=HOSTILE, versions={HOSTILE: HOSTILE})
    made[0] = Run(
        replace(made[0].result, environment=environment),
        {**made[0].verdicts, HOSTILE: {"status": HOSTILE, "sentence": HOSTILE}},
        PROBE,
    )
    return made


@pytest.fixture(scope="module")
def results_file(runs: list[Run], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "report.html"
    write_page(path, runs, paper_figures())
    return path


def test_a_table_sorts(opened: Opened, results_file: Path) -> None:
    page = opened.go(results_file)
    moduli = page.locator("#table tbody th")
    assert moduli.all_text_contents() == ["7", "11", "16"]
    page.click("[data-sort='m']")
    assert moduli.all_text_contents() == ["16", "11", "7"]
    expect(page.locator("#table th[aria-sort]")).to_have_attribute("aria-sort", "descending")
    page.select_option("#set", index=1)
    assert moduli.all_text_contents() == ["13"]


def test_a_phone_shows_the_legend_and_a_screen_reader_has_names(
    opened: Opened, results_file: Path, runs: list[Run]
) -> None:
    opened.page.set_viewport_size({"width": 360, "height": 740})
    page = opened.go(results_file, f"#run={runs[0].result.run_id}")
    assert opened.nameless() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for i in range(page.locator("#table caption .key").count()):
        box = page.locator("#table caption .key").nth(i).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 360


def test_a_click_opens_the_run(opened: Opened, results_file: Path, runs: list[Run]) -> None:
    page = opened.go(results_file)
    page.locator("#table button.cell", has_text="0.9").first.click()
    assert runs[0].verdict is not None
    expect(page.locator("#run")).to_contain_text(runs[0].verdict["sentence"])
    assert page.locator("#run .multiples.small figure").count() == 2
    assert "run=" + runs[0].result.run_id in page.evaluate("location.hash")
    page.locator("#run .multiples.small button").click()
    expect(page.locator("#run h2")).to_contain_text("seed 1")
    page.click("#shares")
    expect(page.locator("#shares")).to_have_text("Show counts")


def test_what_is_drawn_is_what_was_counted(opened: Opened, results_file: Path, runs: list[Run]) -> None:
    page = opened.go(results_file, f"#run={runs[1].result.run_id}")
    texts = page.locator("#run .even figure:first-child svg > text").all_text_contents()
    ticks = 2 * runs[1].config.modulus
    wanted = [str(count) for row in runs[1].result.test.confusion for count in row if count]
    assert texts[ticks:] == wanted


def test_names_from_a_store_are_text(opened: Opened, results_file: Path, runs: list[Run]) -> None:
    page = opened.go(results_file, f"#run={runs[0].result.run_id}")
    expect(page.locator("#run")).to_contain_text(HOSTILE)
    assert page.title() != "taken"
    assert page.locator("#run img, #run script").count() == 0
    assert page.locator("#run figure svg[aria-label='a map'] rect").count() == 4


def test_a_run_that_is_not_there(opened: Opened, results_file: Path) -> None:
    page = opened.go(results_file, "#run=%3Cb%3Enobody")
    expect(page.locator("#run")).to_have_text("No run <b>nobody is in this report.")


def test_the_kernel_study_and_the_marks_on_the_map(opened: Opened, results_file: Path) -> None:
    page = opened.go(results_file)
    assert page.locator("#losses figcaption").all_text_contents() == ["(a) k = 3", "(b) k = 5"]
    assert page.locator("#map-picture circle").count() == 6


def test_loss_curves_show_the_floor(opened: Opened, results_file: Path, runs: list[Run]) -> None:
    """A dashed line where the theory sets one: at the height of the loss that it names."""
    page = opened.go(results_file, f"#run={runs[0].result.run_id}")
    figure = page.locator("#run .multiples figure").first
    expect(figure.locator("figcaption")).to_have_text("dashed: the loss floor 0.1232")
    heights = figure.evaluate(
        """(figure) => [...figure.querySelectorAll('line')].map((line) =>
          [line.hasAttribute('stroke-dasharray'), +line.getAttribute('y1')])"""
    )
    [floor] = [y for dashed, y in heights if dashed]
    ticks = [y for dashed, y in heights if not dashed]  # 0, 0.5, ..
    assert (ticks[0] - floor) / (ticks[0] - ticks[1]) == pytest.approx(0.1232 / 0.5, abs=1e-6)
    expect(figure.locator("svg")).to_have_attribute("aria-label", re.compile("; the floor is 0.1232$"))
    expect(page.locator("#losses .muted")).to_have_text("m=7, B=8 · dashed: the loss floor 0.0000")
    assert page.locator("#losses line[stroke-dasharray]").count() == 2


def test_a_run_that_no_theory_speaks_of(opened: Opened, tmp_path: Path) -> None:
    silent = run(modulus=2, task="omega", test_size=500, batches=4)
    write_page(tmp_path / "page.html", [silent, run(modulus=2, test_size=500, batches=4)])
    page = opened.go(tmp_path / "page.html", f"#run={silent.result.run_id}")
    part = page.locator("#run")
    expect(part).to_contain_text("omega, m = 2, B=8")
    expect(part).to_contain_text(
        "unjudged No theory applies: the task omega is not a function of n modulo m."
    )
    assert part.locator("rect.leak").count() == 0
    assert part.locator("line[stroke-dasharray]").count() == 0
    assert part.locator("rect.free").count() > 0
