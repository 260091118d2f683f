"""The page with runs, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from pconv.probes.report import ProbeReport
from pconv.report.load import paper_figures
from pconv.report.page.build import write_page
from pconv.result import Evaluation
from pconv.store.judging import verdicts_on
from pconv.store.run import JudgedRun
from tests.report.conftest import Opened
from tests.report.fakes import HOSTILE, run

PROBE: Mapping[str, Any] = {
    "findings": [
        {
            "probe": "interventions",
            "what": HOSTILE,
            "predicted": "all",
            "observed": "99%",
            "agrees": True,
            "n": 500,
        },
        {
            "probe": "interventions",
            "what": "b",
            "predicted": "none",
            "observed": "1%",
            "agrees": None,
            "n": 5,
        },
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
def runs() -> list[JudgedRun]:
    fields: dict[str, Any] = {"test_size": 2_000, "batches": 40}
    made = [
        run(modulus=11, **fields),
        run(modulus=11, seed=1, **fields),
        run(modulus=7, kernel=(3,), early_stop=False, **fields),
        run(modulus=7, kernel=(5,), early_stop=False, **fields),
        run(modulus=16, offsets=range(3), kernel=(3,), **fields),
        run(modulus=13, channels=(8,), **fields),
        run(modulus=11, seed=2, census=60_000, snapshots=(1, 4), **fields),
    ]
    environment = replace(made[0].result.environment, engine=HOSTILE, versions={HOSTILE: HOSTILE})
    made[0] = JudgedRun(
        replace(made[0].result, environment=environment),
        {**made[0].verdicts, HOSTILE: replace(made[0].verdicts["grid"], theory=HOSTILE)},
        ProbeReport.from_dict(PROBE),
    )
    return made


@pytest.fixture(scope="module")
def results_file(runs: list[JudgedRun], tmp_path_factory: pytest.TempPathFactory) -> Path:
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
    page.get_by_role("tab").last.click()
    assert moduli.all_text_contents() == ["13"]
    page.keyboard.press("ArrowRight")  # from the last tab to the first, with the order of its own
    assert moduli.all_text_contents() == ["7", "11", "16"]


def test_a_phone_shows_the_legend_and_a_screen_reader_has_names(
    opened: Opened, results_file: Path, runs: list[JudgedRun]
) -> None:
    opened.page.set_viewport_size({"width": 360, "height": 740})
    page = opened.go(results_file, f"#run={runs[0].result.run_id}")
    assert opened.nameless() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for i in range(page.locator("#table caption .key").count()):
        box = page.locator("#table caption .key").nth(i).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 360


def test_a_click_opens_the_run(opened: Opened, results_file: Path, runs: list[JudgedRun]) -> None:
    page = opened.go(results_file)
    page.locator("#table button.cell", has_text="0.9").first.click()
    assert runs[0].verdict is not None
    expect(page.locator("#run .word").first).to_have_text(runs[0].status)
    assert page.locator("#run .multiples.small figure").count() == 3
    assert "run=" + runs[0].result.run_id in page.evaluate("location.hash")
    page.locator("#run .multiples.small button").first.click()
    expect(page.locator("#run h2")).to_contain_text("seed 1")
    page.click("#shares")
    expect(page.locator("#shares")).to_have_text("Show counts")


def test_what_is_drawn_is_what_was_counted(opened: Opened, results_file: Path, runs: list[JudgedRun]) -> None:
    page = opened.go(results_file, f"#run={runs[1].result.run_id}")
    assert matrix(page, runs[1]) == counts(runs[1].result.test)


def matrix(page: Page, made: JudgedRun) -> list[str]:
    """The texts of the cells that are drawn, without the names of classes."""
    return page.locator("#answers svg > text").all_text_contents()[2 * made.config.modulus :]


def counts(evaluation: Evaluation) -> list[str]:
    return [str(count) for row in evaluation.confusion for count in row if count]


def test_a_run_with_a_census_shows_it(opened: Opened, results_file: Path, runs: list[JudgedRun]) -> None:
    made = runs[-1]
    census = made.result.census
    assert census is not None
    page = opened.go(results_file, f"#run={made.result.run_id}&shares=0")
    assert matrix(page, made) == counts(census.answers)
    expect(page.locator("#answers figcaption")).to_have_text(
        "What it answered: all 60,000 unseen numbers, epoch 1 (lowest held-out loss), "
        f"accuracy {census.accuracy:.4f}. Show shares in %"
    )
    button = page.locator("#table button.cell", has_text=f"{census.accuracy:.4f}")
    assert button.count() == 0  # the cell shows the least seed, which has none
    expect(page.locator("#run .multiples.small figure").last).to_contain_text(f" {census.accuracy:.4f} ")
    expect(page.locator("#run .multiples.small figure").first).to_contain_text("~0.9")


def test_a_run_without_a_census_is_shown_as_such(
    opened: Opened, results_file: Path, runs: list[JudgedRun]
) -> None:
    page = opened.go(results_file, f"#run={runs[1].result.run_id}")
    expect(page.locator("#answers figcaption")).to_contain_text("2,000 test numbers, no census, epoch 10")
    expect(page.locator("#table caption")).to_contain_text("~ on the test numbers: no census")
    expect(page.locator("#run")).to_contain_text("held-out loss not recorded")
    expect(page.locator("#asked")).to_be_empty()
    page.locator("#run summary", has_text="Configuration").click()
    expect(page.locator("#run")).to_contain_text("no census")


def test_the_parts_of_a_verdict_are_shown(opened: Opened, results_file: Path, runs: list[JudgedRun]) -> None:
    page = opened.go(results_file, f"#run={runs[-1].result.run_id}")
    table = page.locator("#run > .parts")
    expect(table.locator("caption")).to_have_text("60,000 numbers asked, all unseen ones")
    assert runs[-1].verdict is not None
    found = runs[-1].verdict.assessment
    rows = [row.locator("th, td").all_text_contents() for row in table.locator("tbody tr").all()]
    assert [row[:2] for row in rows] == [
        [name, "✓ yes"] for name in ("separated", "attained", "nothing beyond", "loss at the floor")
    ]
    assert rows[0][2:] == ["class 0, the worst: 0% of its answers leave the group", "1% of each class"]
    attained, loss = found.attained, found.loss
    figure = f"accuracy {attained.accuracy:.4f}, ceiling {attained.ceiling:.4f}"
    assert rows[1][2:] == [figure, "ceiling ± 0.01"]
    assert rows[2][3] == "1% known"
    figure = f"held-out {loss.loss:.4f}, training 0.2000, floor {loss.floor:.4f}"
    assert rows[3][2:] == [figure, "floor ± 0.079 nats"]
    expect(page.locator("#run > p .word")).to_have_text("confirmed")
    page.locator("#run summary", has_text="Theory grid: underfitted").click()
    grid = page.locator("#run details[open] .parts tbody tr").first
    expect(grid).to_contain_text("✗ no")


def test_parts_of_a_sample_have_bounds(opened: Opened, results_file: Path, runs: list[JudgedRun]) -> None:
    page = opened.go(results_file, f"#run={runs[1].result.run_id}")
    table = page.locator("#run > .parts")
    expect(table.locator("caption")).to_contain_text("2,000 numbers asked, a sample")
    assert runs[1].verdict is not None
    found = runs[1].verdict.assessment.attained
    expect(table.locator("tbody tr").nth(1)).to_contain_text(f"({found.low:.4f} to {found.high:.4f})")
    expect(table.locator("tbody tr").last).to_contain_text("○ open")


def test_snapshots_change_the_matrix(opened: Opened, results_file: Path, runs: list[JudgedRun]) -> None:
    made = runs[-1]
    page = opened.go(results_file, f"#run={made.result.run_id}&shares=0")
    options = page.locator("#at option").all_text_contents()
    assert options == [
        "all 60,000 unseen numbers, epoch 1 (lowest held-out loss)",
        "2,000 test numbers, epoch 1 (lowest held-out loss)",
        "2,000 test numbers, epoch 4",
        "2,000 test numbers, epoch 10 (best on 512)",
    ]
    page.locator("#classes summary").click()
    wanted = [made.result.snapshots[0].test, made.result.snapshots[1].test, made.result.test]
    for k, evaluation in enumerate(wanted, start=1):
        page.select_option("#at", index=k)
        assert matrix(page, made) == counts(evaluation)
        expect(page.locator("#answers figcaption")).to_contain_text(f"accuracy {evaluation.accuracy:.4f}")
        correct = page.locator("#classes tbody tr td:nth-child(3)").all_text_contents()
        assert correct == [str(row[i]) for i, row in enumerate(evaluation.confusion)]
        assert "at=" in page.evaluate("location.hash")
    expect(page.locator("#classes details")).to_have_attribute("open", "")
    page.reload()
    assert matrix(page, made) == counts(made.result.test)
    page.locator("#run .multiples.small button").first.click()
    expect(page.locator("#asked")).to_be_empty()
    assert "at=" not in page.evaluate("location.hash")


def test_classes_are_counted_up_to_127(opened: Opened, tmp_path: Path) -> None:
    made = run(modulus=127, census=400_000, test_size=2_000, batches=4, epochs=2)
    census = made.result.census
    assert census is not None
    rows = [list(row) for row in census.answers.confusion]
    rows[126][125] += 40  # outside: 125 and 126 are identified
    leaky = replace(made.result, census=replace(census, answers=Evaluation.from_lists(rows)))
    write_page(tmp_path / "page.html", [JudgedRun(leaky, verdicts_on(leaky))])
    opened.page.set_viewport_size({"width": 390, "height": 800})
    page = opened.go(tmp_path / "page.html", f"#run={leaky.run_id}")
    expect(page.locator("#classes summary")).to_contain_text(
        "127 classes, 1 with more than 1% of the answers"
    )
    page.locator("#classes summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    last = page.locator("#classes tbody tr").last
    total = sum(rows[126])
    share = f"{100 * 40 / total:.2f}%"
    assert last.locator("th, td.num:not(.within)").all_text_contents() == [
        "126",
        f"{total:,}",
        f"{rows[126][126]:,}",
        f"{100 * rows[126][126] / total:.1f}%",
        "40",
        share,
    ]
    expect(last).to_have_class("above")
    expect(page.locator("#run > .parts tbody tr").first).to_contain_text(
        f"class 126, the worst: {100 * 40 / total:.3g}%"
    )


def test_a_table_of_censuses_has_no_sign_of_samples(opened: Opened, tmp_path: Path) -> None:
    made = run(modulus=11, census=60_000, test_size=2_000, batches=4)
    census = made.result.census
    assert census is not None
    write_page(tmp_path / "page.html", [made])
    page = opened.go(tmp_path / "page.html")
    expect(page.locator("#table button.cell b")).to_have_text(f"{census.accuracy:.4f}")
    expect(page.locator("#table button.cell")).to_have_attribute(
        "aria-label",
        re.compile(rf"census {census.accuracy:.4f}, best of 512 {made.result.best_accuracy:.3f}"),
    )
    assert "~" not in page.locator("#table").inner_text()


def test_names_from_a_store_are_text(opened: Opened, results_file: Path, runs: list[JudgedRun]) -> None:
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
    assert page.locator("#map-picture circle").count() == 7


def test_loss_curves_show_the_floor(opened: Opened, results_file: Path, runs: list[JudgedRun]) -> None:
    """A dashed line where the theory sets one: at the height of the loss that it names."""
    page = opened.go(results_file, f"#run={runs[0].result.run_id}")
    figure = page.locator("#run .multiples figure").first
    expect(figure.locator("figcaption")).to_contain_text("dashed: the loss floor 0.1232")
    assert height_of(figure, 0.1232) == pytest.approx(dashed(figure), abs=0.15)
    expect(figure.locator("svg.chart")).to_have_attribute("aria-label", re.compile("; the floor is 0.1232$"))
    expect(page.locator("#losses .muted")).to_have_text("m=7, B=8 · dashed: the loss floor 0.0000")
    assert page.locator("#losses line[stroke-dasharray]").count() == 2


def dashed(figure: Locator) -> float:
    """The height of the one dashed line of a chart."""
    return float(figure.locator("line[stroke-dasharray]").get_attribute("y1") or "nan")


def height_of(figure: Locator, value: float) -> float:
    """The height of a value by the grid of a chart and the names of its lines."""
    found = figure.evaluate(
        """(figure) => {
          const lines = [...figure.querySelectorAll('line:not([stroke-dasharray]):not(.mark)')];
          return lines.map((line) => [+line.nextSibling.textContent, +line.getAttribute('y1')]);
        }"""
    )
    (low, bottom), (high, top) = found[0], found[-1]
    return float(bottom + (value - low) / (high - low) * (top - bottom))


def test_loss_curves_show_both_losses_and_both_epochs(
    opened: Opened, results_file: Path, runs: list[JudgedRun]
) -> None:
    made = runs[-1].result
    page = opened.go(results_file, f"#run={made.run_id}")
    figure = page.locator("#run .multiples figure").first
    held_out = [epoch.held_out_loss or 0 for epoch in made.epochs]
    heights = [float(each.get_attribute("cy") or 0) for each in figure.locator("circle.held-out").all()]
    assert heights == pytest.approx([height_of(figure, round(loss, 4)) for loss in held_out], abs=0.15)
    ring, mark = figure.locator("circle.ring"), figure.locator("line.mark")
    points = figure.locator("circle.held-out")
    assert ring.get_attribute("cx") == points.first.get_attribute("cx")  # epoch 1
    assert mark.get_attribute("x1") == points.last.get_attribute("cx")  # epoch 10
    expect(figure.locator("figcaption")).to_contain_text("lowest: epoch 1best on 512: epoch 10")
    assert figure.locator("circle.trained").count() == 10


def test_a_run_that_no_theory_applies_to(opened: Opened, tmp_path: Path) -> None:
    made = run(modulus=2, test_size=500, batches=4)
    silent = JudgedRun(replace(made.result, config=replace(made.config, task="gone")))
    write_page(tmp_path / "page.html", [silent, run(modulus=2, test_size=500, batches=4)])
    page = opened.go(tmp_path / "page.html", f"#run={silent.result.run_id}")
    part = page.locator("#run")
    expect(part).to_contain_text("gone, m = 2, B=8")
    expect(part).to_contain_text("unjudged The task gone is not known here.")
    assert part.locator("rect.leak").count() == 0
    assert part.locator("line[stroke-dasharray]").count() == 0
    assert part.locator("rect.free").count() > 0
    assert part.locator(".parts").count() == 0
    expect(part.locator("#classes summary")).to_have_text("Class by class: 2 classes")
    assert part.locator("#classes thead th").count() == 4
