"""Tests of the theory: against the paper's, on window sizes, and on numbers past the domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log

from pconv._text import escape_markdown, pluralize
from pconv.config import PRESETS
from pconv.data.domain import VALIDATION_SIZE
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import Answer, assessment, evaluated_on, evaluation_of
from pconv.studies.analyses.registry import analysis
from pconv.studies.catalog import study
from pconv.studies.evaluate import ceiling_of
from pconv.studies.paper import MAIN_TABLES, agrees, printed


@analysis("Does the crucial list decide for the signature every time?", order=40)
def crucial(runs: Sequence[JudgedRun]) -> Answer:
    """Runs of the study `crucial`: they decide for the signature if they refute only the paper's theory."""
    wanted = {config for preset in PRESETS for config in study("crucial", preset).configs()}
    found = [run for run in runs if replace(run.config, seed=0) in wanted and "paper" in run.verdicts]
    if not found:
        return Answer()
    words = [(run.status, str(run.verdicts["paper"].status)) for run in found]
    decided = sum(paper == "refuted" != signature for signature, paper in words)
    against = sum(signature == "refuted" for signature, _ in words)
    sentence = (
        f"{decided} of {pluralize(len(found), 'run')} of the crucial list refute the paper's pattern and not "
        f"the signature's; {against} refute the signature's."
    )
    rows = tuple(
        (run.config.label(), f"{evaluation_of(run).accuracy:.4f} ({evaluated_on(run)})", signature, paper)
        for run, (signature, paper) in zip(found, words, strict=True)
    )
    return Answer(sentence, ("run", "accuracy", "signature", "paper"), rows, sentence)


@analysis("Has a window B rows, as the paper writes, or B+1, as its figures need?", order=60)
def window(runs: Sequence[JudgedRun]) -> Answer:
    """The paper's figures for B=8 against runs with B and with B+1 rows."""
    rows, alike, found = [], Counter[str](), Counter[str]()
    by_config = {run.config: run for run in runs}
    for preset in PRESETS:
        for cell in study("window", preset).cells:
            run = by_config.get(cell.config)
            if run is None or cell.paper is None:
                continue
            same = agrees(run.result.best_accuracy, cell.paper)
            found[cell.column] += 1
            alike[cell.column] += same
            figures = f"{run.result.best_accuracy:.3f}", f"{cell.paper:.2f}", "yes" if same else "no"
            rows.append((run.config.label(), cell.column, *figures))
    if not rows:
        return Answer()
    counts = ", ".join(f"with {words} {alike[words]} of {found[words]}" for words in sorted(found))
    ratio, cells = window_likelihood()
    evidence = (
        f"the paper's own figures are e^{ratio:.1f} times as likely at the ceilings of B+1 rows as at those "
        f"of B ({pluralize(cells, 'cell')} of the main tables with different ceilings below 1)"
    )
    sentence = (
        f"Runs that agree with the paper's figures for B=8: {counts}. Without any run of ours, {evidence}; "
        "cells in which the paper's network fell short of its ceiling count against B+1 there."
    )
    header = ("run", "window", "best of 512", "paper", "agrees")
    headline = f"A window has B+1 rows: {evidence}."
    return Answer(sentence, header, tuple(rows), headline)


def window_likelihood() -> tuple[float, int]:
    """The log-likelihood ratio of the paper's figures, B+1 rows against B rows, and the number of cells.

    Each printed accuracy is taken as a binomial share of 512 numbers at the ceiling.
    """
    ratio, cells = 0.0, 0
    for figure in (figure for table in MAIN_TABLES for figure in printed(table)):
        shorter = replace(figure.config, offsets=figure.config.offsets[:-1])
        longer, short = ceiling_of(figure.config), ceiling_of(shorter)
        if figure.accuracy is None or longer is None or short is None or not short < longer < 1:
            continue
        correct = round(figure.accuracy * VALIDATION_SIZE)
        wrong = VALIDATION_SIZE - correct
        ratio += correct * log(longer / short) + wrong * log((1 - longer) / (1 - short))
        cells += 1
    return ratio, cells


@analysis("Is a prime power solved at B = phi - 1 and not one row earlier?", order=160)
def boundary(runs: Sequence[JudgedRun]) -> Answer:
    """Prime powers at the window that the totient law predicts, and with one row less."""
    by_config = {run.config: run for run in runs}
    cells = [cell for preset in PRESETS for cell in study("boundary", preset).cells]
    found = [(cell, by_config[cell.config]) for cell in cells if cell.config in by_config]
    if not found:
        return Answer()
    words = sorted(Counter(run.status for _, run in found).items())
    sentence = f"{pluralize(len(found), 'run')}: {', '.join(f'{n} {word}' for word, n in words)}."
    rows = tuple(
        (
            run.config.label(),
            cell.column,
            f"{evaluation_of(run).accuracy:.4f} ({evaluated_on(run)})",
            f"{judged.ceiling:.4f}" if (judged := assessment(run)) else "",
            run.status,
        )
        for cell, run in found
    )
    return Answer(sentence, ("run", "", "accuracy", "ceiling", "verdict"), rows)


@analysis("Do networks extrapolate to 10^18?", order=170)
def extrapolation(runs: Sequence[JudgedRun]) -> Answer:
    """Predictions for numbers past the domain, in runs that were tested there."""
    found = [(run, finding) for run in runs if run.probe for finding in run.probe.findings]
    found = [(run, finding) for run, finding in found if finding.probe == "extrapolation"]
    if not found:
        return Answer()
    counts = {holds: sum(f.agrees is holds for _, f in found) for holds in (True, False, None)}
    networks = len({run.result.run_id for run, _ in found})
    sizes = len({finding.what for _, finding in found})
    sentence = (
        f"{counts[True]} of {len(found)} predictions held, {counts[False]} failed and {counts[None]} stayed "
        f"open, for {pluralize(networks, 'network')} on numbers of {pluralize(sizes, 'size')}."
    )
    words = {True: "holds", False: "fails", None: "open"}
    places: dict[tuple[str, str], list[str]] = {}
    for run, f in found:
        shown = f"{escape_markdown(f'{f.predicted}: {f.observed}')}, {words[f.agrees]}"
        places.setdefault((run.config.label(), escape_markdown(f.what)), []).append(shown)
    rows = tuple((*place, "; ".join(seen)) for place, seen in places.items())
    return Answer(sentence, ("run", "on", "predicted, and seen"), rows)
