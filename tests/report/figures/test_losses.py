"""Loss figures against the runs they show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pconv.config import RunConfig
from pconv.report.figures.losses import (
    draw_losses,
    kernel_studies,
    loss_curve,
    loss_figure,
    loss_floor,
    paper_losses,
)
from pconv.report.page.run_record import run_document
from pconv.store.run import JudgedRun
from pconv.studies.directory import ResultsDirectory
from pconv.theory import predict
from pconv.theory.readers import predict_reader
from tests.report.fakes import run

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
    omega = RunConfig(modulus=2, task="omega", limit=5_000)
    assert loss_floor(omega) == round(predict_reader(omega, "local").loss_floor, 4)
    assert loss_floor(RunConfig(modulus=2, task="gone")) is None
    made = run(modulus=11, **SMALL)
    assert run_document(made)["floor"] == loss_curve(made).floor == 0.1232
    [axes] = draw_losses(loss_figure([made])).axes
    [floor] = [line for line in axes.lines if line.get_label() == "loss floor"]
    assert np.asarray(floor.get_ydata()).tolist() == [0.1232, 0.1232]
    higher = JudgedRun(replace(made.result, losses=(9.0, 8.0)))
    for axes in draw_losses(loss_figure([made, higher])).axes:
        assert axes.get_ylim()[1] > 9  # no panel cuts another's curve
    silent = JudgedRun(replace(made.result, config=replace(made.config, task="gone")))
    [axes] = draw_losses(loss_figure([silent])).axes
    assert len(axes.lines) == 1


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


def test_a_kernel_study_is_runs_that_differ_in_the_kernel() -> None:
    made = [run(modulus=7, kernel=(k,), early_stop=False, **SMALL) for k in (7, 3, 5)]
    others = [run(modulus=11, early_stop=False, **SMALL), run(modulus=7, **SMALL)]
    [study] = kernel_studies([*made, *others])
    assert [each.config.kernel for each in study] == [(3,), (5,), (7,)]
    assert [curve.label for curve in loss_figure(study).curves] == ["$k=3$", "$k=5$", "$k=7$"]


def test_the_papers_figure_has_a_panel_for_each_kernel() -> None:
    made = run(modulus=7, kernel=(5,), early_stop=False)
    record = paper_losses(ResultsDirectory({made.result.run_id: made.result}, {}), "quick")
    assert record.title == "$m=7$, $B=8$, $N=32$"
    assert [(curve.label, bool(curve.losses)) for curve in record.curves] == [
        ("$k=3$", False),
        ("$k=5$", True),
        ("$k=7$", False),
    ]
    empty, drawn, _ = draw_losses(record).axes
    assert [text.get_text() for text in empty.texts] == ["not computed yet"]
    assert not drawn.texts
    assert drawn.get_ylim()[0] < 0, "a floor of 0 is above the axis"
    assert draw_losses(paper_losses(ResultsDirectory({}, {}), "paper")).axes[0].get_ylim()[1] == 1
