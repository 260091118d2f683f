"""Plateaus: the first epochs of a training, while the loss is that of guessing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from math import log

from pconv._text import pluralize
from pconv.evaluate.assessment import GUESSING_WIDTH
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import Answer, evaluated_on, evaluation_of
from pconv.studies.analyses.registry import analysis
from pconv.studies.paper import agrees, printed

LEARNED = 2.0
"""A network has found a rule if its accuracy is at least this multiple of a guess's."""


def plateau(run: JudgedRun, level: float | None = None) -> int:
    """The number of epochs before the mean training loss falls 0.05 nats below that of guessing.

    Parameters
    ----------
    run
        A finished run.
    level
        The loss of guessing; ln m if it is not given.
    """
    guessing = log(len(run.result.test.confusion)) if level is None else level
    return len(list(takewhile(lambda epoch: epoch.loss >= guessing - GUESSING_WIDTH, run.result.epochs)))


@analysis("Is the paper's 0.07 at m=17, B=16, k=3 reproducible or a matter of seed?", order=57)
def lowest_printed_cell(runs: Sequence[JudgedRun]) -> Answer:
    """Compare runs with the lowest accuracy that the paper prints: 0.07 at m=17, B=16, k=3."""
    [odd] = [f for f in printed("kernels") if f.accuracy is not None and f.accuracy < 0.1]
    found = sorted(
        (
            run
            for run in runs
            if run.config == replace(odd.config, seed=run.config.seed, primes=run.config.primes)
        ),
        key=lambda run: (run.config.primes, run.config.seed),
    )
    if not found:
        return Answer()
    alike = sum(agrees(run.result.best_accuracy, odd.accuracy or 0) for run in found)
    accuracies = [run.result.best_accuracy for run in found]
    stayed = sum(plateau(run) == len(run.result.epochs) for run in found)
    lengths = "; ".join(
        f"N={primes:,} " + ", ".join(str(plateau(run)) for run in found if run.config.primes == primes)
        for primes in sorted({run.config.primes for run in found})
    )
    sentence = (
        f"{pluralize(len(found), 'run')}: best of 512 from {min(accuracies):.3f} to {max(accuracies):.3f}; "
        f"{alike} of them agree with the paper's figure. {_longest(found)} Epochs of this plateau, by seed: "
        f"{lengths}. A run that stayed there for all its epochs would print such a figure; {stayed} of ours "
        "did."
    )
    rows = tuple(
        (
            run.config.label(),
            f"{run.result.best_accuracy:.3f}",
            f"{evaluation_of(run).accuracy:.4f} ({evaluated_on(run)})",
            str(plateau(run)),
            ", ".join(f"{epoch.loss:.2f}" for epoch in run.result.epochs),
            run.status,
        )
        for run in found
    )
    header = ("run", "best of 512", "accuracy", "epochs on the plateau", "loss by epoch", "verdict")
    return Answer(sentence, header, rows)


def _longest(runs: Sequence[JudgedRun]) -> str:
    """The longest plateau, and the accuracies on it."""
    longest = max(runs, key=plateau)
    epochs = longest.result.epochs[: plateau(longest)]
    if not epochs:
        return f"No run's loss stays within {GUESSING_WIDTH} nats of ln 17 for an epoch."
    accuracies = [epoch.accuracy for epoch in epochs]
    return (
        f"The loss stays within {GUESSING_WIDTH} nats of ln 17 for up to {pluralize(len(epochs), 'epoch')} "
        f"({longest.config.label()}, where the accuracy on the 512 numbers is {min(accuracies):.3f} to "
        f"{max(accuracies):.3f})."
    )


@analysis("Do networks find a rule in binary digits?", all_networks=True, order=190)
def binary_digits(runs: Sequence[JudgedRun]) -> Answer:
    """Which networks leave the plateau on binary digits, to which no theory applies."""
    found = sorted(
        (run for run in runs if run.config.representation == "binary" and run.config.task == "residue"),
        key=lambda run: (run.config.architecture, run.config.modulus, run.config.seed),
    )
    odd = [run for run in found if run.config.modulus & (run.config.modulus - 1)]
    if not odd:
        return Answer()
    ends = {run.result.run_id: plateau(run, log(_odd_part(run.config.modulus))) for run in odd}
    learned = [run for run in odd if evaluation_of(run).accuracy >= LEARNED * _guess(run)]
    still = sum(ends[run.result.run_id] == len(run.result.epochs) for run in odd)
    left = ", ".join(f"{run.config.label()} after epoch {ends[run.result.run_id]}" for run in learned)
    powers = len(found) - len(odd)
    sentence = (
        f"{pluralize(len(found), 'run')}, {powers} of them modulo a power of two. Of the other {len(odd)}, "
        f"{len(learned)} are right at least twice as often as a guess that knows the power of two"
        + (f"; their loss stays at that of such a guess, then falls ({left})" if learned else "")
        + f". {still} were still on that plateau when they ended: whether they would have left it later "
        "these runs cannot show, so that no rule found is no proof that there is none."
    )
    rows = tuple(
        (
            run.config.label(),
            f"{evaluation_of(run).accuracy:.4f}",
            f"{_guess(run):.4f}",
            str(ends[run.result.run_id]),
            str(len(run.result.epochs)),
        )
        for run in odd
    )
    header = ("run", "accuracy", "guess that knows the power of two", "epochs on the plateau", "of")
    return Answer(sentence, header, rows)


def _odd_part(modulus: int) -> int:
    """The part of m that has to be guessed: binary digits show n modulo the power of two in m."""
    return modulus // (modulus & -modulus)


def _guess(run: JudgedRun) -> float:
    """The accuracy of naming the most frequent class with the correct residue modulo the power of two."""
    counts = [sum(row) for row in evaluation_of(run).confusion]
    power = run.config.modulus // _odd_part(run.config.modulus)
    return sum(max(counts[rest::power]) for rest in range(power)) / sum(counts)
