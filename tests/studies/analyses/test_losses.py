"""Losses at the floor, and rules of selection."""

from __future__ import annotations

from dataclasses import replace

from pconv.config import RunConfig
from pconv.result import Epoch, Evaluation
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.losses import loss_at_floor, selection_rules
from pconv.theory import predict
from tests.report.fakes import result
from tests.studies.analyses.fake_runs import census_of, censused, ideal, judged


def test_a_loss_at_the_floor_is_described_and_one_above_it_is_not_hidden() -> None:
    near = [censused(RunConfig(modulus=m)) for m in (11, 13, 17, 19)]
    answer = loss_at_floor(near)
    assert "median +0.0098 nats, from +0.00" in answer.headline  # the floor on its very numbers differs a bit
    assert "correlation with the floor above 0.9999 over 4 runs" in answer.headline
    assert "over all runs with mixed groups and a census: median +0.0098 nats" in answer.headline
    far = censused(RunConfig(modulus=23), excess=0.5)
    assert far.status == "underfitted"
    answer = loss_at_floor([*near, far, ideal(modulus=29)])
    rows = {row[0]: row for row in answer.rows}
    assert rows["confirmed"][1] == "4"
    assert rows["the other three parts hold"][1] == "5", "nearness to the floor is no condition here"
    assert rows["no census, training loss"][1] == "1"
    below = censused(RunConfig(modulus=11), excess=-0.02)
    assert "1 of 1 are below the floor" in loss_at_floor([below]).sentence
    assert loss_at_floor([ideal(modulus=7)]).sentence == NOT_RUN


def chosen(best: int, lowest: int, before: float, after: float) -> JudgedRun:
    """Accuracy 1 - before at the epoch of the best accuracy, 1 - after at that of the lowest loss."""
    made = result(RunConfig(modulus=7))
    epochs = tuple(Epoch(i, 1.0, 0.9, 1.0, 0.1 if i == lowest else 0.2) for i in range(1, 11))

    def answers(share: float) -> Evaluation:
        wrong = round(1000 * share)
        rows = [[0] * 7 for _ in range(7)]
        for c in range(7):
            rows[c][c], rows[c][(c + 1) % 7] = 1000 - wrong, wrong
        return Evaluation.from_lists(rows)

    census = census_of(answers(after), predict(7, range(9)).loss_floor + 0.1, lowest)
    return judged(replace(made, epochs=epochs, best_epoch=best, test=answers(before), census=census))


def test_what_a_rule_of_selection_costs() -> None:
    answer = selection_rules([chosen(1, 9, 0.05, 0.01), chosen(8, 2, 0.07, 0.01), chosen(5, 5, 0.02, 0.02)])
    counted = (
        "3 runs with a census; the two rules choose different epochs in 2; in 1 of these accuracy chooses"
    )
    assert answer.sentence.startswith(counted)
    assert "minus accuracy by the 512 is +5.00 points" in answer.sentence
    assert "outside their groups go from 6.00% to 1.00%" in answer.sentence
    assert [row[1] for row in answer.rows] == ["8 → 2", "1 → 9"]
    assert selection_rules([ideal(modulus=7)]).sentence == NOT_RUN


def test_equal_losses_have_no_correlation() -> None:
    runs = [censused(RunConfig(modulus=m)) for m in (11, 13, 17)]
    alike = []
    for run in runs:
        assert run.result.census
        alike.append(judged(replace(run.result, census=replace(run.result.census, loss=0.5))))
    answer = loss_at_floor(alike)
    row = next(row for row in answer.rows if row[0] == "all with a census")
    assert row[-1] == "–"


def test_the_headline_gives_figures_and_no_conclusion() -> None:
    far = loss_at_floor([censused(RunConfig(modulus=23), excess=0.5)])
    start = "Held-out loss minus the predicted floor, over runs whose other three parts hold: median"
    assert far.headline.startswith(start)
