"""Records of runs against what the runs say."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.evaluate.comparison import compare
from pconv.report.curves import kernel_studies, loss_curve, loss_figure, loss_floor
from pconv.report.figures import draw_confusion, draw_losses, draw_table, save
from pconv.report.latex import latex_table
from pconv.report.load import one_run, paper_figures, stored_runs
from pconv.report.page import page_html
from pconv.report.results import answer_sets, marks, run_confusion, table_figures
from pconv.report.run_record import run_document, verdict_record
from pconv.result import Census, Evaluation
from pconv.store.judging import verdicts_on
from pconv.store.run import JudgedRun
from pconv.store.sqlite import Store
from pconv.theory import predict
from tests.report.fakes import result, run

SMALL: dict[str, Any] = {"batches": 4, "epochs": 2, "test_size": 2_000}


def test_a_curve_is_the_mean_of_its_steps() -> None:
    made = run(modulus=7, batches=45, epochs=10, test_size=100)
    curve = loss_curve(made, points=100)
    assert curve.width == 5
    losses = made.result.losses
    assert curve.losses == tuple(round(sum(losses[i : i + 5]) / 5, 4) for i in range(0, 450, 5))
    broken = JudgedRun(replace(made.result, losses=(1.0, float("nan"), float("inf"))))
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
    higher = JudgedRun(replace(made.result, losses=(9.0, 8.0)))
    for axes in draw_losses(loss_figure([made, higher])).axes:
        assert axes.get_ylim()[1] > 9  # no panel cuts another's curve
    silent = JudgedRun(replace(made.result, config=replace(made.config, task="omega")))
    [axes] = draw_losses(loss_figure([silent])).axes
    assert len(axes.lines) == 1


def test_a_confusion_is_that_of_the_census() -> None:
    made = run(modulus=11, census=30_000, **SMALL)
    assert made.result.census is not None
    figure = run_confusion(made)
    assert figure.counts == made.result.census.answers.confusion
    assert figure.title == "$m=11$, $B=8$, $k=7$\nall 30,000 unseen numbers"
    whole = replace(made.result, census=replace(made.result.census, numbers="all"))
    assert run_confusion(JudgedRun(whole)).title.endswith("\nall 30,000 numbers of the domain")


def test_a_confusion_without_a_census_is_that_of_the_test_set() -> None:
    made = run(modulus=11, **SMALL)
    figure = run_confusion(made)
    assert figure.counts == made.result.test.confusion
    assert figure.title == "$m=11$, $B=8$, $k=7$\n2,000 test numbers, no census"


def test_sets_of_answers_are_by_epoch_after_that_of_the_verdict() -> None:
    """A snapshot of the best epoch is the test set itself."""
    made = run(modulus=7, census=3_000, snapshots=(3, 1), batches=4, epochs=3, test_size=500).result
    assert [(each.numbers, each.epoch) for each in answer_sets(made)] == [
        ("all 3,000 unseen numbers", 1),
        ("500 test numbers", 1),
        ("500 test numbers", 3),
    ]
    without = answer_sets(replace(made, census=None))
    assert [(each.numbers, each.epoch) for each in without] == [
        ("500 test numbers, no census", 3),
        ("500 test numbers", 1),
    ]
    assert without[1].answers == made.snapshots[1].test


def test_losses_have_the_held_out_loss_by_step() -> None:
    made = run(modulus=11, census=3_000, **SMALL)
    curve = loss_curve(made)
    held_out = [epoch.held_out_loss or 0 for epoch in made.result.epochs]
    assert curve.held_out == ((4, round(held_out[0], 4)), (8, round(held_out[1], 4)))
    assert curve.chosen == 4
    [axes] = draw_losses(loss_figure([made])).axes
    [line] = [line for line in axes.lines if line.get_label() == "held-out loss"]
    assert np.asarray(line.get_xdata()).tolist() == [4, 8]
    [ring] = axes.collections
    assert np.asarray(ring.get_offsets())[0].tolist() == [4, round(held_out[0], 4)]
    assert loss_curve(run(modulus=11, **SMALL)).held_out == ()


def test_the_floor_is_the_one_that_the_run_was_judged_by() -> None:
    """On the numbers of a census it may differ from that on the domain."""
    made = run(modulus=11, census=3_000, **SMALL)
    assert made.verdict is not None
    floor = made.verdict.assessment.loss.floor
    assert loss_curve(made).floor == round(floor, 4) != loss_floor(made.config)


def test_the_titles_of_losses_are_those_of_their_runs() -> None:
    """In the title what the runs share, at each curve what sets it apart."""
    made = [run(modulus=m, kernel=(k,), seed=s, **SMALL) for m, k, s in [(7, 7, 0), (11, 7, 0), (11, 5, 1)]]

    def names(*runs: JudgedRun) -> tuple[str, ...]:
        figure = loss_figure(runs)
        return figure.title, *(curve.label for curve in figure.curves)

    assert names(made[0]) == ("$m=7$, $B=8$", "$k=7$")
    assert names(*made[:2]) == ("$B=8$, $k=7$", "$m=7$", "$m=11$")
    assert names(*made) == ("$B=8$", "$m=7$, $k=7$, seed 0", "$m=11$, $k=7$, seed 0", "$m=11$, $k=5$, seed 1")
    other = run(modulus=7, **{**SMALL, "batches": 5}, early_stop=False)
    assert names(made[0], other) == ("$m=7$, $B=8$, $k=7$", "r=4", "r=5, no early stop")
    mlp = run(modulus=7, architecture="mlp", **SMALL)
    assert names(made[0], mlp) == ("$m=7$, $B=8$", "$k=7$, C=4", "mlp")


def test_the_parts_of_a_verdict_are_those_of_the_document() -> None:
    made = run(modulus=11, census=30_000, **SMALL)
    assert made.verdict is not None
    status, reason, parts = run_document(made)["verdicts"]["signature"]
    assert (status, reason) == ("confirmed", "All four parts hold.")
    assert [parts[name][0] for name in made.verdict.assessment.parts] == ["yes"] * 4
    assert (parts["size"], parts["complete"], parts["tolerance"]) == (30_000, True, 0.01)
    ceiling = made.verdict.assessment.ceiling
    assert parts["attained"][2] == pytest.approx(ceiling, abs=1e-6)
    assert parts["strongest"] is None


def test_a_refuted_theory_names_its_group() -> None:
    """All classes known, though the theory mixes 1 and 2."""
    made = result(RunConfig(modulus=11, **SMALL), census=30_000)
    assert made.census is not None
    known = Evaluation.from_lists([[2_000 * (i == j) for j in range(11)] for i in range(11)])
    judged = verdicts_on(replace(made, census=replace(made.census, answers=known)))
    status, _, parts = run_document(JudgedRun(made, judged))["verdicts"]["signature"]
    assert (status, parts["nothing_beyond"][0]) == ("refuted", "no")
    assert parts["strongest"][:3] == [[1, 2], 4_000, 2_000]


def test_the_reason_is_the_conclusion_of_the_verdict() -> None:
    """With what the network remembers of its training numbers, where it does."""
    made = result(RunConfig(modulus=11, **SMALL), census=30_000)
    assert made.census is not None
    wrong = Evaluation.from_lists([[9 * (i + j == 10) for j in range(11)] for i in range(11)])
    near = replace(made, census=replace(made.census, far=wrong))
    for verdict in compare(near).verdicts:
        assert "remembers" in verdict.conclusion
        assert verdict_record(verdict)[:2] == [verdict.status, verdict.conclusion]


def test_verdicts_of_earlier_versions_are_made_again(tmp_path: Path) -> None:
    made = run(modulus=11, **SMALL)
    old = {"theory": "signature", "status": "undertrained", "test": {"ceiling": 1}}
    path = tmp_path / "runs.db"
    with Store.open(path) as store:
        store.finish(made.result, None, made.verdicts, "test")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE verdicts SET document = ?", (json.dumps(old),))
    [loaded] = stored_runs(path)
    assert loaded == one_run(made.result.run_id, path)
    assert run_document(loaded) == run_document(made)
    (tmp_path / "run.json").write_text(json.dumps({**made.result.to_dict(), "verdict": old}))
    assert one_run(str(tmp_path / "run.json"), path).status == made.status != "undertrained"


def test_a_run_without_a_verdict_is_a_case_of_its_own() -> None:
    made = run(modulus=7, **SMALL)
    [table] = table_figures([JudgedRun(made.result)], {})
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
    assert cell.census_accuracy is None
    assert table.cells[1][0] is None


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
    (tmp_path / "run.json").write_text(json.dumps(made.result.to_dict()))
    assert one_run(str(tmp_path / "run.json"), path).result == made.result
    for text in ("[]", "{", '{"findings": []}'):
        (tmp_path / "probe.json").write_text(text)
        with pytest.raises(InputError):
            stored_runs(path, [tmp_path / "probe.json"])


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
    assert run_document(JudgedRun(unknown))["silence"] == "The task gone is not known here."

    made = run(modulus=2, **SMALL)
    squares = replace(made.result, config=replace(made.config, modulus=11, task="quadratic"))
    figure = run_confusion(JudgedRun(squares))
    assert figure.kinds == ("mixed", "mixed")
    assert figure.labels == (0, 0)
    assert run_document(JudgedRun(squares))["silence"] is None

    both = [made, silent, JudgedRun(squares)]
    assert [table.setting for table in table_figures(both, paper_figures())] == [
        "N=32, C=4, r=4, s=256, t=2, test_size=2000",
        "N=32, C=4, r=4, s=256, t=2, test_size=2000, task=omega",
        "N=32, C=4, r=4, s=256, t=2, test_size=2000, task=quadratic",
    ]
    assert marks(both) == [(2, 8, made.status)]
