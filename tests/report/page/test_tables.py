"""The tables of the page by study."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from pconv.config import RunConfig
from pconv.report.page.build import write_page
from pconv.report.page.tables import page_tables
from pconv.store.run import JudgedRun
from pconv.studies.catalog import study
from pconv.studies.study import Study
from tests.report.conftest import Opened
from tests.report.fakes import result


def runs_of(name: str, preset: str, count: int, seeds: int = 1) -> list[JudgedRun]:
    """The first runs of a study."""
    found: Study = study(name, preset, seeds)
    return [JudgedRun(result(config)) for config in found.configs()[:count]]


def test_the_papers_size_comes_first() -> None:
    runs = [
        *runs_of("prime-moduli", "quick", 3),
        *runs_of("channels", "paper", 2),
        *runs_of("channels", "quick", 2),
    ]
    tables = page_tables(runs, {})
    names = [(table.tab, table.title) for table in tables]
    assert names[:3] == [("channels", "N=5,000"), ("channels", "N=32"), ("prime moduli", "N=32")]
    assert all(table.question for table in tables)


def test_cells_are_those_of_the_study() -> None:
    """Rows and columns in the order of the study, the paper's figure, all seeds; no empty rows."""
    runs = runs_of("channels", "quick", 6, seeds=2)
    table = next(table for table in page_tables(runs, {}) if table.tab == "channels")
    cells = study("channels").cells[:3]
    assert table.rows == tuple(dict.fromkeys(cell.row for cell in cells))
    assert table.columns == tuple(dict.fromkeys(cell.column for cell in cells))
    for place in cells:
        cell = table.cells[table.rows.index(place.row)][table.columns.index(place.column)]
        assert cell is not None
        assert cell.paper == place.paper
        assert [run.result.run_id for run in runs if run.config.seed == 0 and run.config == place.config] == [
            cell.run_ids[0]
        ]
        assert len(cell.run_ids) == 2


def test_runs_of_no_study_have_a_tab_for_each_setting() -> None:
    one = JudgedRun(result(study("headline").configs()[0]))
    other = JudgedRun(result(RunConfig(modulus=9, batches=4, epochs=1, test_size=50)))
    tabs = [table.tab for table in page_tables([one, other], {})]
    assert "headline" in tabs
    assert tabs[-1] == "N=32, C=4, r=4, s=256, t=1, test_size=50"
    assert tabs.count(tabs[-1]) == 1


def test_tabs_in_the_browser(opened: Opened, tmp_path: Path) -> None:
    """Both sizes of a study are in its tab; loss curves are in the tab of their runs."""
    runs = [
        *runs_of("losses", "quick", 2),
        *runs_of("channels", "paper", 2),
        *runs_of("channels", "quick", 2),
    ]
    write_page(tmp_path / "page.html", runs)
    page = opened.go(tmp_path / "page.html")
    expect(page.get_by_role("tab", selected=True)).to_have_text("channels N=5,000")
    assert page.locator("#table table").count() == 2
    expect(page.locator("#losses")).to_be_empty()
    page.get_by_role("tab", name="losses").click()
    assert page.locator("#losses figure").count() == 2
    expect(page.locator("#losses")).to_contain_text("dashed: the loss floor")
    assert "set=losses" in page.evaluate("location.hash")
