"""How networks learn: what it costs, whether longer helps, which kernel is fastest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, median

from pconv.config import RunConfig
from pconv.lab.questions.answer import LEVEL, Answer, apart, chance, groups_by, name
from pconv.lab.source import Run
from pconv.words import counted


def _epoch_seconds(run: Run) -> float:
    """Of the fastest epoch after the first, which compiles; others wait for what else the machine does."""
    return min(epoch.seconds for epoch in run.result.epochs[1:])


def time_over_moduli(runs: Sequence[Run]) -> Answer:
    """Seconds of an epoch against m, where nothing else differs."""
    from pconv.verify.statistics import robust_slope

    question = "Is training time independent of m?"
    alike: dict[tuple[RunConfig, str, int], list[Run]] = {}
    for run in (run for run in runs if len(run.result.epochs) > 1):
        how = run.result.environment
        others = replace(run.config, modulus=2, seed=0, early_stop=True, epochs=10)
        alike.setdefault((others, how.engine, how.threads), []).append(run)
    rows, apart_from_0 = [], 0
    for (config, engine, threads), group in sorted(alike.items(), key=lambda item: name(item[0][0])):
        moduli, seconds = [run.config.modulus for run in group], [*map(_epoch_seconds, group)]
        if len(set(moduli)) < 5:
            continue
        scale = (max(moduli) - min(moduli)) / median(seconds)
        slope, low, high = (scale * value for value in robust_slope(moduli, seconds))
        apart_from_0 += not low <= 0 <= high
        network = f"{name(config).split(', ', 1)[1]}, {engine}, {counted(threads, 'thread')}"
        span = f"{min(seconds):.2f} / {median(seconds):.2f} / {max(seconds):.2f}"
        change = f"{slope:+.0%} ({low:+.0%} to {high:+.0%})"
        rows.append((network, f"{len(group)}, m={min(moduli)}..{max(moduli)}", span, change))
    if not rows:
        return Answer(question)
    sentence = (
        f"Of {counted(len(rows), 'network')} trained for at least five moduli, time changes with m in "
        f"{apart_from_0}: there the 99% interval of the Theil-Sen slope does not contain 0. Times are "
        "as clocked, and whatever else the machine did is in them."
    )
    header = ("network", "runs", "seconds of the fastest epoch (least / median / most)", "change over all m")
    return Answer(question, sentence, header, tuple(rows))


def time_over_epochs(runs: Sequence[Run]) -> Answer:
    """Whether later epochs cost what earlier ones do: then time is linear in t."""
    from pconv.verify.statistics import straight_line

    question = "Is training time linear in t?"
    long = [run for run in runs if len(run.result.epochs) >= 20]
    if not long:
        return Answer(question)
    rows, explained = [], []
    for run in sorted(long, key=lambda run: name(run.config)):
        seconds = [epoch.seconds for epoch in run.result.epochs]
        passed = [sum(seconds[: i + 1]) for i in range(len(seconds))]
        slope, _, share = straight_line(range(1, len(passed) + 1), passed)
        explained.append(share)
        rows.append(
            (
                name(run.config),
                f"{sum(seconds[:10]):.1f}",
                f"{passed[-1]:.1f}",
                f"{passed[-1] / sum(seconds[:10]):.2f}",
                f"{slope:.2f}",
                f"{share:.4f}",
            )
        )
    sentence = (
        f"In {counted(len(long), 'run')} of at least 20 epochs a straight line through the time passed after "
        f"each epoch explains at least {min(explained):.2%} of its course."
    )
    header = ("run", "10 epochs (s)", "all epochs (s)", "ratio", "seconds an epoch", "R²")
    return Answer(question, sentence, header, tuple(rows))


def longer(runs: Sequence[Run]) -> Answer:
    """Runs of 10 and of 50 epochs: the same pattern?"""
    question = "Is the pattern the same at epochs 10 and 50?"
    pairs = [[run for run in group if run.config.epochs in (10, 50)] for group in groups_by(runs, "epochs")]
    pairs = [pair for pair in pairs if len(pair) == 2 and all(run.verdict for run in pair)]
    if not pairs:
        return Answer(question)
    pvalues = apart(pairs)
    rows = []
    for pair, pvalue in zip(pairs, pvalues, strict=True):
        tests = [run.verdict["test"] for run in pair if run.verdict]
        rows.append(
            (
                name(pair[0].config),
                " → ".join(f"{test['accuracy']:.4f}" for test in tests),
                f"{tests[0]['ceiling']:.4f}",
                chance(pvalue),
                " → ".join(f"{test['leak_rate']:.2%}" for test in tests),
                " → ".join(run.status for run in pair),
            )
        )
    same = sum(len({run.status for run in pair}) == 1 for pair in pairs)
    differ = sum(pvalue <= LEVEL for pvalue in pvalues)
    sentence = (
        f"Of {counted(len(pairs), 'cell')} the verdict on the predicted pattern is the same after 10 and 50 "
        f"epochs in {same}; test accuracy differs by more than chance in {differ}."
    )
    header = ("cell", "test accuracy", "ceiling", "p", "leak", "verdict")
    return Answer(question, sentence, header, tuple(rows))


def fastest_kernel(runs: Sequence[Run]) -> Answer:
    """Loss curves of runs that differ in the kernel alone and did not stop early."""
    question = "Does the loss fall fastest with k=7 of 3, 5, 7?"
    free = [run for run in runs if not run.config.early_stop and run.config.kernel in ((3,), (5,), (7,))]
    groups = [group for group in groups_by(free, "kernel") if len(group) == 3]
    if not groups:
        return Answer(question)
    rows, fastest = [], 0
    for group in groups:
        means = {run.config.kernel[0]: mean(epoch.loss for epoch in run.result.epochs) for run in group}
        fastest += min(means, key=means.__getitem__) == 7
        for run in group:
            losses = [epoch.loss for epoch in run.result.epochs]
            below = next((str(i) for i, loss in enumerate(losses, start=1) if loss < 0.1), "none")
            shown = [f"{losses[i]:.4f}" for i in (0, 1, -1) if i < len(losses)]
            rows.append((name(run.config), *shown, below, f"{means[run.config.kernel[0]]:.4f}"))
    sentence = (
        f"The loss averaged over all epochs (the area under the curve) is least with k=7 in {fastest} of "
        f"{counted(len(groups), 'comparison')}."
    )
    header = ("run", "loss in epoch 1", "epoch 2", "last epoch", "first epoch below 0.1", "mean of epochs")
    return Answer(question, sentence, header, tuple(rows))
