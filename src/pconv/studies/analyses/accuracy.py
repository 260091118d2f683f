"""Accuracy: whether it depends on the kernel or on the seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pconv._text import pluralize
from pconv.config import PRESETS
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import (
    LEVEL,
    Answer,
    assessment,
    equal_accuracy_pvalues,
    evaluated_on,
    evaluation_of,
    format_pvalue,
    groups_by,
)
from pconv.studies.analyses.registry import analysis
from pconv.studies.catalog import study


@analysis("Does k matter beyond the speed of learning?", order=140)
def kernels(runs: Sequence[JudgedRun]) -> Answer:
    """Compare the accuracies of the study `kernels` with the ceilings, under all seeds."""
    wanted = {config for preset in PRESETS for config in study("kernels", preset).configs()}
    found = sorted(
        (run for run in runs if replace(run.config, seed=0) in wanted),
        key=lambda run: (run.config.primes, run.config.modulus, run.config.kernel, run.config.seed),
    )
    if not found:
        return Answer()
    rows, short = [], []
    for run in found:
        ceiling = _ceiling(run)
        reached = [e.epoch for e in run.result.epochs if e.accuracy >= ceiling - 0.01]
        if evaluation_of(run).accuracy < ceiling - 0.01:
            short.append(run.config.label())
        first = str(reached[0]) if reached else f"not in {len(run.result.epochs)}"
        rows.append(
            (
                run.config.label(),
                f"{evaluation_of(run).accuracy:.4f} ({evaluated_on(run)})",
                first,
                run.status,
            )
        )
    sentence = (
        f"{len(found) - len(short)} of {pluralize(len(found), 'run')} of the kernel study are within 1% of "
        "the ceiling"
        + (f"; short of it: {'; '.join(short)}." if short else ", with every k that was run.")
        + f" The first epoch within 1% of it on the 512 numbers shows the speed.{_single_seeds(found)}"
    )
    header = ("run", "accuracy", "first epoch at the ceiling", "verdict")
    return Answer(sentence, header, tuple(rows))


def _single_seeds(runs: Sequence[JudgedRun]) -> str:
    cells = Counter(replace(run.config, seed=0) for run in runs)
    single = sum(count == 1 for count in cells.values())
    if not single:
        return ""
    return (
        f" {single} of {pluralize(len(cells), 'cell')} {'has' if single == 1 else 'have'} one seed, so "
        "that a difference between two k may be one between seeds."
    )


def _ceiling(run: JudgedRun) -> float:
    found = assessment(run)
    return found.ceiling if found else 1.0


@analysis("Which cells depend on the seed?", order=100)
def seeds(runs: Sequence[JudgedRun]) -> Answer:
    """Compare runs that differ only in the seed, with one status over all seeds of a cell."""
    from pconv.evaluate.comparison import judge_replicates  # loads scipy

    groups = groups_by(runs, "seed")
    if not groups:
        return Answer()
    pvalues = equal_accuracy_pvalues(groups)
    statuses = [str(judge_replicates([run.result for run in group]).status) for group in groups]
    rows = []
    for group, pvalue, status in zip(groups, pvalues, statuses, strict=True):
        accuracies = [run.result.test.accuracy for run in group]
        span = f"{min(accuracies):.4f} to {max(accuracies):.4f}"
        words = ", ".join(f"{count} {word}" for word, count in Counter(run.status for run in group).items())
        cell = replace(group[0].config, seed=0).label()
        rows.append((cell, str(len(group)), span, format_pvalue(pvalue), words, status))
    differ = sum(pvalue <= LEVEL for pvalue in pvalues)
    counts = ", ".join(f"{count} {status}" for status, count in Counter(statuses).most_common())
    censused = sum(all(run.result.census for run in group) for group in groups)
    sentence = (
        f"{pluralize(len(groups), 'cell')} with runs of several seeds, up to {max(map(len, groups))}; "
        f"{censused} with a census of every seed, without which no cell can be confirmed. Test accuracy "
        f"differs by more than chance (chi-square over seeds, Holm over cells, 1%) in {differ}. Over all "
        "its seeds a cell is confirmed, refuted, unattained (every seed short of the prediction, its "
        "held-out loss no longer falling), undecided (for some seed too few numbers, or no held-out losses) "
        f"or mixed (anything else): {counts}."
    )
    header = ("cell", "seeds", "test accuracy", "p", "verdicts", "over all seeds")
    return Answer(sentence, header, tuple(rows))
