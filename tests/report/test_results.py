"""Records of runs against what the runs say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.lab.source import Run
from pconv.lab.store import Store
from pconv.report.figures import draw_confusion, draw_losses, draw_table, save
from pconv.report.latex import latex_table
from pconv.report.load import one_run, paper_figures, stored_runs
from pconv.report.page import page_html
from pconv.report.results import (
    kernel_studies,
    loss_curve,
    loss_figure,
    loss_floor,
    marks,
    run_confusion,
    run_document,
    table_figures,
)
from pconv.theory import predict
from tests.report.made_up import result, run

SMALL = {"batches": 4, "epochs": 2, "test_size": 2_000}


def test_a_curve_is_the_mean_of_its_steps() -> None:
    made = run(modulus=7, batches=45, epochs=10, test_size=100)
    curve = loss_curve(made, points=100)
    assert curve.width == 5
    losses = made.result.losses
    assert curve.losses == tuple(round(sum(losses[i : i + 5]) / 5, 4) for i in range(0, 450, 5))
    broken = Run(replace(made.result, losses=(1.0, float("nan"), float("inf"))))
    assert loss_curve(broken).losses == (1.0, None, None)


def test_a_curve_has_the_floor_of_the_theory() -> None:
    assert loss_floor(RunConfig(modulus=11)) == round(predict(11, range(9)).exact_loss_floor() or 0, 4)
    assert loss_floor(RunConfig(modulus=11, limit=12, smooth=0)) == round(predict(11, range(9)).loss_floor, 4)
    assert loss_floor(RunConfig(modulus=11, task="divisibility")) == 0
    assert loss_floor(RunConfig(modulus=2, task="omega")) is None
    made = run(modulus=11, **SMALL)
    assert run_document(made)["floor"] == loss_curve(made).floor == 0.1232
    [axes] = draw_losses(loss_figure([made])).axes
    [floor] = [line for line in axes.lines if line.get_label() == "loss floor"]
    assert np.asarray(floor.get_ydata()).tolist() == [0.1232, 0.1232]
    higher = Run(replace(made.result, losses=(9.0, 8.0)))
    for axes in draw_losses(loss_figure([made, higher])).axes:
        assert axes.get_ylim()[1] > 9  # no panel cuts another's curve
    silent = Run(replace(made.result, config=replace(made.config, task="omega")))
    [axes] = draw_losses(loss_figure([silent])).axes
    assert len(axes.lines) == 1


def test_a_confusion_is_that_of_the_test_set() -> None:
    made = run(modulus=11, **SMALL)
    figure = run_confusion(made)
    assert figure.counts == made.result.test.confusion
    assert figure.title == "$m=11$, $B=8$, $k=7$"


def test_a_run_without_a_verdict_is_a_case_of_its_own() -> None:
    made = run(modulus=7, **SMALL)
    [table] = table_figures([Run(made.result)], {})
    cell = table.cells[0][0]
    assert cell is not None
    assert (cell.status, cell.ceiling) == ("unjudged", None)


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
    assert table.cells[1][0] is None


def test_settings_do_not_share_a_table_nor_the_papers_figures() -> None:
    tables = table_figures(
        [run(modulus=11, **SMALL), run(modulus=11, channels=(8,), **SMALL)], paper_figures()
    )
    assert [table.setting.split(", ")[1] for table in tables] == ["C=4", "C=8"]
    assert all(cell and cell.paper is None for table in tables for row in table.cells for cell in row)


def test_a_kernel_study_is_runs_that_differ_in_the_kernel() -> None:
    made = [run(modulus=7, kernel=(k,), early_stop=False, **SMALL) for k in (7, 3, 5)]
    others = [run(modulus=11, early_stop=False, **SMALL), run(modulus=7, **SMALL)]
    [study] = kernel_studies([*made, *others])
    assert [each.config.kernel for each in study] == [(3,), (5,), (7,)]
    assert [curve.label for curve in loss_figure(study).curves] == ["$k=3$", "$k=5$", "$k=7$"]


def test_latex_is_one_row_a_modulus() -> None:
    [table] = table_figures([run(modulus=m, **SMALL) for m in (7, 11)], {})
    text = latex_table(table)
    assert text.count(r"\\") == 3
    assert text.startswith("% needs")
    assert r"7 & " in text


def test_figures_of_runs(tmp_path: Path) -> None:
    runs = [run(modulus=7, kernel=(k,), **SMALL) for k in (3, 5)]
    [table] = table_figures(runs, {})
    save(lambda: draw_losses(loss_figure(runs)), tmp_path / "losses.pdf")
    save(lambda: draw_table(table), tmp_path / "table.svg")
    save(lambda: draw_confusion(run_confusion(runs[0])), tmp_path / "confusion.png")
    assert (tmp_path / "losses.pdf").read_bytes().startswith(b"%PDF")
    assert "k=3" in (tmp_path / "table.svg").read_text()


def test_runs_come_from_a_store_or_from_a_document(tmp_path: Path) -> None:
    made = run(modulus=11, **SMALL)
    path = tmp_path / "runs.db"
    with Store.open(path) as store:
        store.finish(made.result, None, made.verdicts, "test")
        store.fail(RunConfig(modulus=5), "no reason", "test")
    [loaded] = stored_runs(path)
    assert run_document(loaded) == run_document(made)
    assert one_run(made.result.run_id[:6], path) == loaded
    (tmp_path / "run.json").write_text(made.result.to_json())
    assert one_run(str(tmp_path / "run.json"), path).result == made.result
    for text in ("[]", "{", '{"findings": []}'):
        (tmp_path / "probe.json").write_text(text)
        with pytest.raises(InputError):
            stored_runs(path, [tmp_path / "probe.json"])


def test_three_hundred_runs_are_a_small_page() -> None:
    """Full-length runs modulo 30, every cell of the confusion filled: the worst of the paper's grid."""
    made = result(RunConfig(modulus=30, test_size=100))
    crowded = replace(made.test, confusion=tuple((700,) * 30 for _ in range(30)))
    runs = [
        Run(replace(made, config=replace(made.config, seed=seed), test=crowded, validation=crowded))
        for seed in range(300)
    ]
    assert len(page_html(runs)) < 5_000_000


def test_runs_of_other_tasks() -> None:
    """Labels in place of residues; where no theory applies every cell is free, and no verdict is made up."""
    silent = run(modulus=2, task="omega", **SMALL)
    figure = run_confusion(silent)
    assert figure.kinds == ("free", "free")
    assert figure.free(0, 1)
    assert figure.title.startswith("omega, $m=2$")
    draw_confusion(figure)
    document = run_document(silent)
    assert document["silence"] == "No theory applies: the task omega is not a function of n modulo m."
    assert document["verdicts"] == {}
    assert silent.status == "unjudged"
    unknown = replace(silent.result, config=replace(silent.config, task="gone"))
    assert run_document(Run(unknown))["silence"] == "The task gone is not known here."

    made = run(modulus=2, **SMALL)
    squares = replace(made.result, config=replace(made.config, modulus=11, task="quadratic"))
    figure = run_confusion(Run(squares))
    assert figure.kinds == ("mixed", "mixed")
    assert figure.labels == (0, 0)
    assert run_document(Run(squares))["silence"] is None

    both = [made, silent, Run(squares)]
    assert [table.setting for table in table_figures(both, paper_figures())] == [
        "N=32, C=4, r=4, s=256, t=2, test_size=2000",
        "N=32, C=4, r=4, s=256, t=2, test_size=2000, task=omega",
        "N=32, C=4, r=4, s=256, t=2, test_size=2000, task=quadratic",
    ]
    assert marks(both) == [(2, 8, made.status)]
