"""The tables of the results document: what each row shows of runs and cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pconv._text import escape_markdown
from pconv.config import DEFAULT_THEORY
from pconv.evaluate.assessment import Assessment
from pconv.report.figures.map import marks
from pconv.store.run import JudgedRun, RunSource
from pconv.studies.analyses.answer import NO_CENSUS, assessment, evaluated_on, evaluation_of
from pconv.studies.cell import CellResult
from pconv.studies.disagreement import disagreements
from pconv.studies.paper import MAIN_TABLES, SIZES, SOLVED
from pconv.studies.study import Study
from pconv.theory import predict

WORDS = ("confirmed", "underfitted", "overfitted", "refuted", "undecided")
MISSING = "–"


@dataclass(frozen=True)
class Filling:
    """A study with the results of its cells."""

    study: Study
    cells: list[CellResult]

    @property
    def run(self) -> list[CellResult]:
        return [cell for cell in self.cells if cell.accuracy is not None]

    @property
    def compared(self) -> list[CellResult]:
        return [cell for cell in self.cells if cell.agrees is not None]

    @property
    def informative(self) -> list[CellResult]:
        """The cells that could differ from the paper: not both accuracies are at least 0.99."""
        return [c for c in self.compared if min(c.accuracy or 0.0, c.cell.paper or 0.0) < SOLVED]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def computed_rows(runs: Sequence[JudgedRun]) -> list[tuple[str, ...]]:
    """With what the runs were computed."""
    counts = Counter(
        (
            run.config.primes,
            escape_markdown(how.engine),
            how.revision,
            escape_markdown(how.device),
            how.threads,
            escape_markdown(", ".join(f"{package} {version}" for package, version in how.versions.items())),
        )
        for run in runs
        for how in [run.result.environment]
    )
    return [(str(count), *map(str, key)) for key, count in sorted(counts.items())]


COMPUTED = ("runs", "N", "engine", "revision", "device", "threads", "versions")
SUMMARY = (
    *("study", "preset", "cells", "run", "census", "agree with the paper", "can differ", "of these agree"),
    *WORDS,
)


def summary_rows(filled: Sequence[Filling]) -> list[tuple[str, ...]]:
    rows = []
    for preset in SIZES:
        here = [each for each in filled if each.study.preset == preset]
        main = [cell for each in here if each.study.table in MAIN_TABLES for cell in each.cells]
        together = Filling(here[0].study, main)
        rows += [_counts("**the three main tables**", together)]
        rows += [_counts(each.study.name, each) for each in here if each.run]
    return rows


def _counts(title: str, filling: Filling) -> tuple[str, ...]:
    words = Counter(cell.verdict for cell in filling.run)
    sizes = (len(filling.cells), len(filling.run), sum(cell.has_census for cell in filling.run))
    agreement = [MISSING] * 3
    if compared := filling.compared:
        able = filling.informative
        agree, informed = (sum(bool(cell.agrees) for cell in cells) for cells in (compared, able))
        agreement = [f"{agree} of {len(compared)}", str(len(able)), str(informed)]
    counts = (str(words[word]) for word in WORDS)
    return title, filling.study.preset, *map(str, sizes), *agreement, *counts


def section(filling: Filling) -> dict[str, Any]:
    """A study's table laid out as the paper's, rows and columns in the order of its cells; those without a
    single run are left out."""
    places = {(cell.cell.row, cell.cell.column): cell for cell in filling.cells}
    ran = [cell.cell for cell in filling.run]
    rows = [row for row in dict.fromkeys(row for row, _ in places) if row in {cell.row for cell in ran}]
    columns = [at for at in dict.fromkeys(at for _, at in places) if at in {cell.column for cell in ran}]
    lines = [(row, *(_shown(places.get((row, column))) for column in columns)) for row in rows]
    return {
        "name": filling.study.name,
        "preset": filling.study.preset,
        "question": filling.study.question,
        "cells": len(filling.cells),
        "missing": len(filling.cells) - len(filling.run),
        "table": table(("", *columns), lines),
    }


def _shown(cell: CellResult | None) -> str:
    """Best of 512, test, census, paper, ceiling; then the verdict."""
    if cell is None:
        return ""
    if cell.accuracy is None or cell.test_accuracy is None:
        return MISSING
    census = NO_CENSUS if cell.census_accuracy is None else f"{cell.census_accuracy:.4f}"
    paper = MISSING if cell.cell.paper is None else f"{cell.cell.paper:.2f}"
    apart = "**≠** " if cell.agrees is False else ""
    word = (cell.verdicts or {}).get(DEFAULT_THEORY, "unjudged" if cell.ceiling else "no theory")
    ceiling = MISSING if cell.ceiling is None else f"{cell.ceiling:.3f}"
    return f"{apart}{cell.accuracy:.3f} · {cell.test_accuracy:.4f} · {census} · {paper} · {ceiling} {word}"


def disagreeing_rows(filled: Sequence[Filling]) -> list[tuple[str, ...]]:
    """The cells of the paper that do not agree, each once."""
    found = {
        (each.result.cell.config, each.result.cell.paper): (each, filling.study.name)
        for filling in reversed(filled)
        for each in reversed(disagreements(filling.cells))
    }
    return [
        (
            each.result.cell.config.label(),
            study,
            f"{each.result.accuracy:.3f}",
            f"{each.result.test_accuracy:.4f}",
            f"{each.result.cell.paper:.2f}",
            f"{each.result.ceiling:.3f}",
            str(each.result.verdict),
            each.why,
        )
        for each, study in reversed(found.values())
    ]


DISAGREEING = ("cell", "table", "best of 512", "test", "paper", "ceiling", "verdict", "side of the ceiling")
UNCONFIRMED = (
    *("run", "numbers", "accuracy", "ceiling", "worst class leaves its group", "loss", "training loss"),
    *("floor", "verdict"),
)


def unconfirmed_rows(filled: Sequence[Filling], source: RunSource) -> list[tuple[str, ...]]:
    """The runs whose verdict is neither confirmed nor undecided, each once."""
    ids = {cell.cell.config.run_id: None for each in filled for cell in each.run}
    runs = [run for run_id in ids if (run := source.run(run_id))]
    return [
        _unconfirmed_row(run, judged)
        for run in runs
        if run.status not in ("confirmed", "undecided") and (judged := assessment(run))
    ]


def _unconfirmed_row(run: JudgedRun, judged: Assessment) -> tuple[str, ...]:
    separated, loss = judged.separated, judged.loss
    return (
        run.config.label(),
        evaluated_on(run),
        f"{evaluation_of(run).accuracy:.4f}",
        f"{judged.ceiling:.4f}",
        f"{separated.worst_rate:.2%} (class {separated.worst_class})",
        MISSING if loss.loss is None else f"{loss.loss:.4f}",
        f"{run.result.epochs[-1].loss:.4f}",
        f"{loss.floor:.4f}",
        run.status,
    )


def map_lines(runs: Sequence[JudgedRun]) -> str:
    """A sign for each (m, B) with a run: what was predicted, and what came out."""
    found: dict[tuple[int, int], set[str]] = {}
    for m, successors, word in marks(runs):
        found.setdefault((m, successors), set()).add(word)
    columns = sorted({successors for _, successors in found})
    lines = ["  m \\ B" + "".join(f"{successors:>4}" for successors in columns)]
    for m in sorted({m for m, _ in found}):
        signs = (_sign(m, successors, found.get((m, successors), set())) for successors in columns)
        lines.append(f"{m:>7}" + "".join(f"{sign:>4}" for sign in signs))
    return "\n".join(line.rstrip() for line in lines)


def _sign(m: int, successors: int, words: set[str]) -> str:
    if not words:
        return ""
    if "refuted" in words:
        return "x"
    if "confirmed" in words:
        return "#" if predict(m, range(successors + 1)).solved else "="
    return "o" if words & {"underfitted", "overfitted"} else "?"


TIMES = ("cell", "quick (s)", "paper preset (min)", "dense engine (min)", "the paper (min)")
