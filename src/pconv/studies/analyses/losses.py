"""Losses: how near the floor they end, and the effect of selecting an epoch by accuracy instead."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import correlation, mean, median
from typing import NamedTuple

import numpy as np

from pconv._text import pluralize
from pconv.evaluate.assessment import Holds
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import Answer, assessment, prediction_of
from pconv.studies.analyses.columns import mean_difference
from pconv.studies.analyses.registry import analysis


class Excess(NamedTuple):
    """The losses of a run and the predicted floor, in nats."""

    run: JudgedRun
    floor: float
    held_out: float | None  # of the census; None: not recorded
    training: float  # mean of the last epoch


@analysis("Does the loss end at the floor H(class given group)?", order=30)
def loss_at_floor(runs: Sequence[JudgedRun]) -> Answer:
    """The distribution of loss minus predicted floor, over runs with a floor above 0."""
    found = [each for run in runs if (each := _excess(run)) and each.floor > 0]
    if not found:
        return Answer()
    censused = [each for each in found if each.held_out is not None]
    scopes = (
        ("confirmed", [e for e in censused if e.run.status == "confirmed"], True),
        ("the other three parts hold", [e for e in censused if _others_hold(e.run)], True),
        ("all with a census", censused, True),
        ("all with a census, training loss", censused, False),
        ("no census, training loss", [e for e in found if e.held_out is None], False),
    )
    rows = tuple(_row(title, own, held_out) for title, own, held_out in scopes if own)
    below = sum(each.held_out < each.floor for each in censused if each.held_out is not None)
    independent = scopes[1][1]
    result = _described(independent, True) if independent else "no run with a census whose other parts hold"
    sentence = (
        f"{pluralize(len(found), 'run')} with mixed groups, {len(censused)} with a census. Held-out loss "
        "minus the floor, over runs whose other three parts hold (a confirmed run is near the floor by "
        f"definition): {result}. {below} of {len(censused)} are below the floor, which no reader of the "
        "groups can be. The training loss of the last epoch is an average over the epoch, and of numbers "
        "that were fitted."
    )
    header = ("runs", "count", "median (nats)", "range", "correlation with the floor")
    return Answer(sentence, header, rows, _floor_headline(result, censused) if independent else "")


def _floor_headline(result: str, censused: Sequence[Excess]) -> str:
    return (
        f"Held-out loss minus the predicted floor, over runs whose other three parts hold: {result}; over "
        f"all runs with mixed groups and a census: {_described(censused, True)}."
    )


def _excess(run: JudgedRun) -> Excess | None:
    found = assessment(run)
    if not found:
        return None
    return Excess(run, found.loss.floor, found.loss.loss, run.result.epochs[-1].loss)


def _others_hold(run: JudgedRun) -> bool:
    found = assessment(run)
    if found is None:
        return False
    return all(part.holds is Holds.YES for part in (found.separated, found.attained, found.nothing_beyond))


def _values(found: Sequence[Excess], held_out: bool) -> list[float]:
    return [each.held_out if held_out and each.held_out is not None else each.training for each in found]


def _correlation(found: Sequence[Excess], held_out: bool) -> str:
    floors, values = [each.floor for each in found], _values(found, held_out)
    if len(set(floors)) < 3 or len(set(values)) == 1:
        return "–"
    found_correlation = correlation(floors, values)
    return f"{found_correlation:.4f}" if found_correlation < 0.99995 else "above 0.9999"


def _described(found: Sequence[Excess], held_out: bool) -> str:
    over = [value - e.floor for value, e in zip(_values(found, held_out), found, strict=True)]
    return (
        f"median {median(over):+.4f} nats, from {min(over):+.4f} to {max(over):+.4f}, correlation with the "
        f"floor {_correlation(found, held_out)} over {pluralize(len(found), 'run')}"
    )


def _row(title: str, found: Sequence[Excess], held_out: bool) -> tuple[str, ...]:
    over = [value - e.floor for value, e in zip(_values(found, held_out), found, strict=True)]
    span = f"{min(over):+.4f} to {max(over):+.4f}"
    return title, str(len(found)), f"{median(over):+.4f}", span, _correlation(found, held_out)


class Chosen(NamedTuple):
    """The epochs that two rules select in one run, and the difference between their weights."""

    run: JudgedRun
    gain: float  # census accuracy at the epoch chosen by loss minus test accuracy at that by accuracy
    leaks: tuple[float, float]  # share of answers outside their groups, chosen by accuracy and by loss

    @property
    def differs(self) -> bool:
        return self.run.result.best_epoch != self.run.result.loss_epoch

    @property
    def earlier(self) -> bool:
        """Whether the epoch chosen by accuracy is before the one chosen by loss."""
        by_loss = self.run.result.loss_epoch
        return by_loss is not None and self.run.result.best_epoch < by_loss


@analysis("Does it matter by which rule the epoch is chosen?", order=110)
def selection_rules(runs: Sequence[JudgedRun]) -> Answer:
    """Compare the epoch with the best accuracy on 512 numbers and the one with the lowest held-out loss."""
    found = [_chosen(run) for run in runs if run.result.census and run.result.loss_epoch is not None]
    if not found:
        return Answer()
    apart = [each for each in found if each.differs]
    same = [each for each in found if not each.differs]
    parts = [
        f"{pluralize(len(found), 'run')} with a census; the two rules choose different epochs in "
        f"{len(apart)}; in {sum(each.earlier for each in apart)} of these accuracy chooses the earlier one.",
        _cost("Where they differ", apart),
        _cost("Where they are the same, which shows the noise of the test numbers", same),
    ]
    rows = tuple(
        (
            each.run.config.label(),
            f"{each.run.result.best_epoch} → {each.run.result.loss_epoch}",
            f"{100 * each.gain:+.2f}",
            " → ".join(f"{leak:.2%}" for leak in each.leaks),
        )
        for each in sorted(apart, key=lambda each: -abs(each.leaks[0] - each.leaks[1]))[:15]
    )
    header = ("run", "epoch by accuracy → by loss", "accuracy gained (points)", "outside the groups")
    return Answer(" ".join(filter(None, parts)), header, rows)


def _chosen(run: JudgedRun) -> Chosen:
    census = run.result.census
    assert census is not None
    outside = ~prediction_of(run.config).pattern
    by_accuracy, by_loss = (
        np.array(answers.confusion)[outside].sum() / answers.size
        for answers in (run.result.test, census.answers)
    )
    return Chosen(run, census.accuracy - run.result.test.accuracy, (float(by_accuracy), float(by_loss)))


def _cost(title: str, found: Sequence[Chosen]) -> str:
    if not found:
        return ""
    gains = mean_difference([100 * each.gain for each in found])
    mixed = [each for each in found if prediction_of(each.run.config).mixed]
    interval = f" (99% interval {gains.low:+.2f} to {gains.high:+.2f})" if gains else ""
    before, after = (mean(each.leaks[i] for each in found) for i in (0, 1))
    return (
        f"{title} ({pluralize(len(found), 'run')}, {len(mixed)} with mixed groups), accuracy by loss minus "
        f"accuracy by the 512 is {mean(100 * each.gain for each in found):+.2f} points{interval}, and "
        f"answers outside their groups go from {before:.2%} to {after:.2%}."
    )
