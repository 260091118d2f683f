"""Tables against the runs in them."""

from __future__ import annotations

from typing import Any

from pconv.report.figures.table import latex_table, table_figures
from pconv.report.load import paper_figures
from pconv.store.run import JudgedRun
from tests.report.fakes import run

SMALL: dict[str, Any] = {"batches": 4, "epochs": 2, "test_size": 2_000}


def test_tables_are_laid_out_as_the_papers() -> None:
    runs = [
        run(modulus=m, kernel=(k,), seed=seed, offsets=range(B + 1), epochs=10, batches=400, test_size=500)
        for m, B, k, seed in [(11, 8, 7, 1), (11, 8, 7, 0), (7, 8, 7, 0), (7, 8, 3, 0), (7, 16, 15, 0)]
    ]
    [table] = table_figures(runs, paper_figures())
    assert table.moduli == (7, 11)
    assert [(c.window, c.kernel) for c in table.columns] == [
        ("$B=8$", "3"),
        ("$B=8$", "7"),
        ("$B=16$", "15"),
    ]
    cell = table.cells[1][1]
    assert cell is not None
    assert cell.run_ids == (runs[1].result.run_id, runs[0].result.run_id)
    assert cell.paper == 0.92
    assert cell.accuracy == runs[1].result.best_accuracy
    assert cell.census_accuracy is None
    assert table.cells[1][0] is None


def test_a_run_without_a_verdict_is_a_case_of_its_own() -> None:
    made = run(modulus=7, **SMALL)
    [table] = table_figures([JudgedRun(made.result)], {})
    cell = table.cells[0][0]
    assert cell is not None
    assert (cell.status, cell.ceiling) == ("unjudged", None)


def test_a_cell_has_the_accuracy_of_the_census() -> None:
    made = run(modulus=11, census=3_000, **SMALL)
    [table] = table_figures([made], {})
    [[cell]] = table.cells
    assert cell is not None
    assert made.result.census is not None
    assert cell.census_accuracy == made.result.census.accuracy != cell.test_accuracy
    assert made.verdict is not None
    assert cell.ceiling == made.verdict.assessment.ceiling


def test_settings_do_not_share_a_table_nor_the_papers_figures() -> None:
    tables = table_figures(
        [run(modulus=11, **SMALL), run(modulus=11, channels=(8,), **SMALL)], paper_figures()
    )
    assert [table.setting.split(", ")[1] for table in tables] == ["C=4", "C=8"]
    assert all(cell and cell.paper is None for table in tables for row in table.cells for cell in row)


def test_latex_is_one_row_a_modulus() -> None:
    [table] = table_figures([run(modulus=m, **SMALL) for m in (7, 11)], {})
    text = latex_table(table)
    assert text.count(r"\\") == 3
    assert text.startswith("% needs")
    assert r"7 & " in text
