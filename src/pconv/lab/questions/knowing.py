"""What networks know: whether columns, kernels or seeds change it, and whether it ever passes the ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pconv.lab.paper import printed
from pconv.lab.questions.answer import LEVEL, Answer, apart, chance, groups_by, name
from pconv.lab.source import Run
from pconv.lab.studies import studies
from pconv.words import counted


def columns(runs: Sequence[Run]) -> Answer:
    """Runs that differ in the number of columns alone."""
    question = "Does N matter?"
    groups = [group for group in groups_by(runs, "primes") if group[0].config.seed == 0]
    if not groups:
        return Answer(question)
    pvalues = apart(groups)
    rows, differ, worded = [], 0, 0
    for group, pvalue in zip(groups, pvalues, strict=True):
        other_words = len({run.status for run in group}) > 1
        differ += pvalue <= LEVEL
        worded += other_words
        if len(group) > 2 or other_words or pvalue <= LEVEL:
            shown = "; ".join(
                f"N={run.config.primes:,} {run.result.test.accuracy:.4f} {run.status}" for run in group
            )
            rows.append((name(replace(group[0].config, primes=32)), shown, chance(pvalue)))
    sentence = (
        f"{counted(len(groups), 'cell')} with runs of several N. Test accuracy differs by more than "
        f"chance (chi-square over N, Holm over cells, 1%) in {differ}, and the verdict in {worded}. Listed "
        "are these cells and those with more than two N."
    )
    return Answer(question, sentence, ("cell", "test accuracy and verdict", "p"), tuple(rows))


def kernels(runs: Sequence[Run]) -> Answer:
    """The cells of the paper's table of kernels, under all seeds."""
    question = "Does k matter beyond the speed of learning?"
    wanted = {cell.config for preset in ("quick", "paper") for cell in studies(["kernels"], preset)[0].cells}
    found = sorted(
        (run for run in runs if replace(run.config, seed=0) in wanted),
        key=lambda run: (run.config.primes, run.config.modulus, run.config.kernel, run.config.seed),
    )
    if not found:
        return Answer(question)
    rows, short = [], []
    for run in found:
        ceiling = run.verdict["test"]["ceiling"] if run.verdict else 1.0
        reached = [e.epoch for e in run.result.epochs if e.accuracy >= ceiling - 0.01]
        if run.result.test.accuracy < ceiling - 0.01:
            short.append(name(run.config))
        first = str(reached[0]) if reached else f"not in {len(run.result.epochs)}"
        rows.append((name(run.config), f"{run.result.test.accuracy:.4f}", first, run.status))
    sentence = (
        f"{len(found) - len(short)} of {counted(len(found), 'run')} of the kernel study came within 1% of "
        "the ceiling on the test set"
        + (f"; short of it: {'; '.join(short)}." if short else ", with every k that was run.")
        + " How fast is told by the first epoch that came within 1% of it on the 512 numbers."
    )
    header = ("run", "test accuracy", "first epoch at the ceiling", "verdict")
    return Answer(question, sentence, header, tuple(rows))


def the_odd_cell(runs: Sequence[Run]) -> Answer:
    """m=17, B=16, k=3, for which the paper prints 0.07."""
    question = "Is the paper's 0.07 at m=17, B=16, k=3 reproducible or a matter of seed?"
    [odd] = [f for f in printed("kernels") if f.accuracy is not None and f.accuracy < 0.1]
    found = sorted(
        (run for run in runs if replace(run.config, seed=0, primes=odd.config.primes) == odd.config),
        key=lambda run: (run.config.primes, run.config.seed),
    )
    if not found:
        return Answer(question)
    from pconv.lab.paper import agrees

    alike = sum(agrees(run.result.best_accuracy, odd.accuracy or 0) for run in found)
    accuracies = [run.result.best_accuracy for run in found]
    sentence = (
        f"{counted(len(found), 'run')}: best of 512 from {min(accuracies):.3f} to {max(accuracies):.3f}. "
        f"{alike} of them agree with the paper's figure."
    )
    rows = tuple(
        (
            name(run.config),
            f"{run.result.best_accuracy:.3f}",
            f"{run.result.test.accuracy:.4f}",
            str(run.result.best_epoch),
            run.status,
        )
        for run in found
    )
    return Answer(question, sentence, ("run", "best of 512", "test", "best epoch", "verdict"), rows)


def seeds(runs: Sequence[Run]) -> Answer:
    """Runs that differ in the seed alone."""
    question = "Which cells depend on the seed?"
    groups = groups_by(runs, "seed")
    if not groups:
        return Answer(question)
    pvalues = apart(groups)
    rows = []
    worded = 0
    for group, pvalue in zip(groups, pvalues, strict=True):
        words = [run.status for run in group]
        worded += len(set(words)) > 1
        if pvalue > LEVEL and len(set(words)) == 1:
            continue
        accuracies = [run.result.test.accuracy for run in group]
        spread = max(accuracies) - min(accuracies)
        span = f"{min(accuracies):.4f} to {max(accuracies):.4f}"
        told = ", ".join(words)
        rows.append((spread, (name(replace(group[0].config, seed=0)), span, chance(pvalue), told)))
    differ = sum(pvalue <= LEVEL for pvalue in pvalues)
    most = max(len(group) for group in groups)
    sentence = (
        f"{counted(len(groups), 'cell')} with runs of several seeds, up to {most}. Test accuracy "
        f"differs by more than chance (chi-square over seeds, Holm over cells, 1%) in {differ}, and the "
        f"verdict in {worded}."
    )
    listed = tuple(row for _, row in sorted(rows, key=lambda pair: (-pair[0], pair[1])))
    return Answer(question, sentence, ("cell", "test accuracy", "p", "verdicts by seed"), listed)


def above_the_ceiling(runs: Sequence[Run]) -> Answer:
    """Every run's tests for knowing more than the signature, corrected for the number of runs."""
    question = "Do networks ever do better than the signature's ceiling?"
    judged = [run for run in runs if run.verdict]
    if not judged:
        return Answer(question)
    gaps = [run for run in judged if run.verdict and run.verdict["gap"]]
    longer = [run for run in judged if run.config.batches > 400 or run.config.epochs > 10]
    found = [(run, where) for run in judged for where in ("test", "gap") if _beyond(run, where)]
    corrected = LEVEL / (len(judged) + len(gaps))
    surely = [(run, where) for run, where in found if _still_beyond(run, where, corrected)]
    rows = tuple(
        (
            name(run.config),
            where,
            f"{document['accuracy']:.4f}",
            f"{document['ceiling']:.4f}",
            chance(min([document["above_ceiling"], *(g["pvalue"] for g in document["groups"])])),
            "yes" if (run, where) in surely else "no",
        )
        for run, where in found
        if run.verdict and (document := run.verdict[where])
    )
    sentence = (
        f"{counted(len(judged), 'run')} tested on the test set and {len(gaps)} of them on the gap "
        f"set; {len(longer)} had more than the paper's 400 batches or 10 epochs. Each single set "
        f"is called beyond the theory with probability at most 1% if the theory is true, so at most about "
        f"{LEVEL * (len(judged) + len(gaps)):.0f} would be by chance; {len(found)} are. "
        f"After correction for the number of sets {len(surely)} remain."
    )
    header = ("run", "set", "accuracy", "ceiling", "p", "after correction")
    return Answer(question, sentence, header if rows else (), rows)


def _beyond(run: Run, where: str) -> bool:
    return bool(run.verdict and run.verdict[where] and run.verdict[where]["beyond"])


def _still_beyond(run: Run, where: str, level: float) -> bool:
    """The same tests at a stricter level, with random tables enough to reach it."""
    from pconv.verify.assessment import Settings
    from pconv.verify.verdict import judge

    verdict = judge(run.result, "signature", Settings(level=level))
    assessment = verdict.assessment if where == "test" else verdict.far
    return assessment is not None and assessment.nothing_beyond.holds == "no"
