"""The cost of training: time over moduli and epochs, and the kernel that learns fastest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import expm1, log
from statistics import mean, median
from typing import NamedTuple

from pconv._text import escape_markdown, pluralize
from pconv.config import RunConfig
from pconv.result import Epoch
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import Answer, groups_by
from pconv.studies.analyses.registry import analysis
from pconv.studies.analyses.trend import common_slope

SPAN = 28
"""From m=2 to m=30, the moduli of the paper."""


class Setup(NamedTuple):
    """Everything but m that may affect the time of an epoch."""

    network: RunConfig
    engine: str
    device: str
    threads: int
    revision: int
    versions: tuple[tuple[str, str], ...]  # the processor's name among them, where it was recorded


def _timed_epochs(run: JudgedRun) -> list[Epoch]:
    """The epochs after the first, which compiles, whose time was recorded."""
    return [epoch for epoch in run.result.epochs[1:] if epoch.seconds > 0]


def _epoch_seconds(run: JudgedRun) -> float:
    """The fastest epoch after the first. Others may be slowed by other processes."""
    return min(epoch.seconds for epoch in _timed_epochs(run))


@analysis("Is training time independent of m?", order=210)
def time_over_moduli(runs: Sequence[JudgedRun]) -> Answer:
    """The trend of seconds per epoch over m, within groups of runs with the same setup."""
    groups = {setup: group for setup, group in _setups(runs).items() if _several_moduli(group)}
    found = common_slope([[(r.config.modulus, log(_epoch_seconds(r))) for r in g] for g in groups.values()])
    if found is None:
        return Answer()
    count = sum(map(len, groups.values()))
    change, low, high = (expm1(SPAN * slope) for slope in (found.slope, found.low, found.high))
    sentence = (
        f"{pluralize(count, 'run')} in {pluralize(len(groups), 'setup')} (network, engine, threads, engine "
        "revision, versions and processor alike) of several moduli. From m=2 to m=30 the fastest epoch "
        f"changes by {change:+.0%} (99% interval {low:+.0%} to {high:+.0%}; Theil-Sen slope of the "
        f"logarithm, one for all setups). A change of {expm1(SPAN * found.detectable):+.0%} would have been "
        "found 4 times in 5; a smaller one may have been missed. Times are as clocked on a shared machine."
    )
    rows = tuple(
        _time_row(setup, group) for setup, group in sorted(groups.items(), key=lambda item: -len(item[1]))
    )
    header = ("setup", "runs", "moduli", "seconds of the fastest epoch (least / median / most)")
    return Answer(sentence, header, rows)


def _setups(runs: Sequence[JudgedRun]) -> dict[Setup, list[JudgedRun]]:
    alike: dict[Setup, list[JudgedRun]] = {}
    for run in filter(_timed_epochs, runs):
        how = run.result.environment
        network = replace(run.config, modulus=2, seed=0, early_stop=True, epochs=10)
        versions = tuple(sorted(how.versions.items()))
        setup = Setup(network, how.engine, how.device, how.threads, how.revision, versions)
        alike.setdefault(setup, []).append(run)
    return alike


def _several_moduli(group: Sequence[JudgedRun]) -> bool:
    return len({run.config.modulus for run in group}) > 1


def _time_row(setup: Setup, group: Sequence[JudgedRun]) -> tuple[str, ...]:
    moduli, seconds = [run.config.modulus for run in group], [*map(_epoch_seconds, group)]
    network = setup.network.label().split(", ", 1)[1]
    how = f"{escape_markdown(setup.engine)}, revision {setup.revision}, {pluralize(setup.threads, 'thread')}"
    processor = dict(setup.versions).get("cpu")
    label = f"{network}, {how}" + (f", {escape_markdown(processor)}" if processor else "")
    span = f"{min(seconds):.2f} / {median(seconds):.2f} / {max(seconds):.2f}"
    return label, str(len(group)), f"{min(moduli)} to {max(moduli)}", span


@analysis("Is training time linear in t?", order=220)
def time_over_epochs(runs: Sequence[JudgedRun]) -> Answer:
    """The trend of seconds over the epochs of a run: none if time is linear in t."""
    timed = filter(_timed_epochs, runs)
    long = sorted((run for run in timed if len(run.result.epochs) >= 20), key=lambda run: run.config.label())
    found = common_slope([[(e.epoch, log(e.seconds)) for e in _timed_epochs(run)] for run in long])
    if found is None:
        return Answer()
    change, low, high = (expm1(10 * slope) for slope in (found.slope, found.low, found.high))
    sentence = (
        f"In {pluralize(len(long), 'run')} of at least 20 epochs the time of an epoch changes by "
        f"{change:+.1%} every ten epochs (99% interval {low:+.1%} to {high:+.1%}; Theil-Sen slope of the "
        "logarithm within runs, the first epoch left out because it compiles); linear time means no "
        "change. Load from elsewhere lasts over several epochs, so that the interval is rather too narrow."
    )
    rows = tuple(_epochs_row(run) for run in long)
    header = ("run", "10 epochs (s)", "all epochs (s)", "ratio", "epochs / 10")
    return Answer(sentence, header, rows)


def _epochs_row(run: JudgedRun) -> tuple[str, ...]:
    seconds = [epoch.seconds for epoch in run.result.epochs]
    first, whole = sum(seconds[:10]), sum(seconds)
    ratio = f"{whole / first:.2f}" if first else "–"
    return run.config.label(), f"{first:.1f}", f"{whole:.1f}", ratio, f"{len(seconds) / 10:.1f}"


@analysis("Does the loss fall fastest with k=7 of 3, 5, 7?", order=200)
def fastest_kernel(runs: Sequence[JudgedRun]) -> Answer:
    """Compare loss curves of runs that differ only in the kernel and could not stop early."""
    free = [run for run in runs if not run.config.early_stop and run.config.kernel in ((3,), (5,), (7,))]
    groups = [group for group in groups_by(free, "kernel") if len(group) == 3]
    if not groups:
        return Answer()
    rows, fastest = [], 0
    for group in groups:
        means = {run.config.kernel[0]: mean(epoch.loss for epoch in run.result.epochs) for run in group}
        fastest += min(means, key=means.__getitem__) == 7
        for run in group:
            losses = [epoch.loss for epoch in run.result.epochs]
            below = next((str(i) for i, loss in enumerate(losses, start=1) if loss < 0.1), "none")
            shown = [f"{losses[i]:.4f}" if i < len(losses) else "–" for i in (0, 1, -1)]
            rows.append((run.config.label(), *shown, below, f"{means[run.config.kernel[0]]:.4f}"))
    sentence = (
        f"The loss averaged over all epochs (the area under the curve) is least with k=7 in {fastest} of "
        f"{pluralize(len(groups), 'comparison')}, one seed each (by chance in one of three)."
    )
    header = ("run", "loss in epoch 1", "epoch 2", "last epoch", "first epoch below 0.1", "mean of epochs")
    return Answer(sentence, header, tuple(rows))
