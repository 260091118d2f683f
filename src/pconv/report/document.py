"""The results as one document: every table of the paper with ours beside it, and what the runs answer.

All figures, and all words that depend on figures, are made here or in `pconv.lab`; the template has the text
around them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

from pconv.config import PRESETS
from pconv.lab.disagreement import disagreements
from pconv.lab.paper import table_names
from pconv.lab.questions import answers
from pconv.lab.questions.answer import name, p_conv
from pconv.lab.reproduce import Filled, fill
from pconv.lab.source import Run, Source, runs_of
from pconv.lab.studies import Study, StudyCell, studies, study_names
from pconv.report.results import marks
from pconv.report.times import Pace, time_rows
from pconv.theory import predict
from pconv.words import counted

MAIN = ("prime-moduli", "prime-power-moduli", "splitting-moduli")
WORDS = ("confirmed", "undertrained", "undecided", "refuted")
_ELSEWHERE = ("headline", "all", "locality", "losses", "extrapolation")  # other tables have what these show
_MISSING = "–"


@dataclass(frozen=True)
class Filling:
    """A study at a preset, with what its runs gave."""

    study: Study
    preset: str
    cells: list[Filled]

    @property
    def run(self) -> list[Filled]:
        return [cell for cell in self.cells if cell.accuracy is not None]

    @property
    def compared(self) -> list[Filled]:
        return [cell for cell in self.cells if cell.agrees is not None]


def results_document(source: Source, paces: Sequence[Pace] = ()) -> str:
    """The document, in Markdown."""
    runs = runs_of(source)
    filled = _filled(source)
    papers = [each for each in filled if each.study.name in table_names()]
    apart = _disagreeing(papers)
    environment = Environment(
        autoescape=False, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string((files("pconv.report") / "results.md.j2").read_text("utf-8"))
    text = template.render(
        runs=counted(len(runs), "run"),
        seeds=sorted({run.config.seed for run in runs}),
        computed=table(("runs", "N", "engine", "device", "threads", "versions"), _computed(runs)),
        summary=table(_SUMMARY, _summary(filled)),
        not_run=[(each.study.name, each.preset) for each in filled if not each.run],
        main_missing=[
            (each.preset, each.study.name, len(each.cells) - len(each.run))
            for each in filled
            if each.study.name in MAIN and len(each.run) < len(each.cells)
        ],
        papers=[_section(each) for each in papers if each.run],
        own=[_section(each) for each in filled if each.run and each not in papers],
        map=_map(p_conv(runs)),
        times=table(_TIMES, time_rows(source, paces)),
        compared=sum(len(each.compared) for each in papers),
        disagreeing=table(_DISAGREEING, apart) if apart else "",
        stand=Counter(row[-1] for row in apart).most_common(),
        unconfirmed=table(_UNCONFIRMED, open_) if (open_ := _unconfirmed(filled, source)) else "",
        answers=[(a.question, a.sentence, table(a.header, a.rows) if a.rows else "") for a in answers(runs)],
    )
    return text.rstrip("\n") + "\n"


def _filled(source: Source) -> list[Filling]:
    """The studies at both presets; one that asks for the same runs at both is there once."""
    shown = [each for each in study_names() if each not in _ELSEWHERE]
    found: dict[tuple[StudyCell, ...], Filling] = {}
    for preset in PRESETS:
        for study in studies(shown, preset):
            if study.cells not in found:
                found[study.cells] = Filling(study, preset, fill(study, source))
    return list(found.values())


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _computed(runs: Sequence[Run]) -> list[tuple[str, ...]]:
    """With what the runs were computed."""
    counts = Counter(
        (
            run.config.primes,
            how.engine,
            how.device,
            how.threads,
            ", ".join(f"{package} {version}" for package, version in how.versions.items()),
        )
        for run in runs
        for how in [run.result.environment]
    )
    return [(str(count), *map(str, key)) for key, count in sorted(counts.items())]


_SUMMARY = ("study", "preset", "cells", "run", "agree with the paper", *WORDS)


def _summary(filled: Sequence[Filling]) -> list[tuple[str, ...]]:
    rows = []
    for preset in PRESETS:
        here = [each for each in filled if each.preset == preset]
        main = [cell for each in here if each.study.name in MAIN for cell in each.cells]
        together = Filling(here[0].study, preset, main)
        rows += [_counts("**the three main tables**", together)]
        rows += [_counts(each.study.name, each) for each in here if each.run]
    return rows


def _counts(title: str, filling: Filling) -> tuple[str, ...]:
    words = Counter(cell.verdict for cell in filling.run)
    agree = sum(bool(cell.agrees) for cell in filling.compared)
    share = f"{agree} of {len(filling.compared)}" if filling.compared else _MISSING
    sizes = (str(len(filling.cells)), str(len(filling.run)))
    return (title, filling.preset, *sizes, share, *(str(words[word]) for word in WORDS))


def _section(filling: Filling) -> dict[str, Any]:
    """A study's table laid out as the paper's, rows and columns in the order of its cells; those without a
    single run are left out."""
    places = {(cell.cell.row, cell.cell.column): cell for cell in filling.cells}
    ran = [cell.cell for cell in filling.run]
    rows = [row for row in dict.fromkeys(row for row, _ in places) if row in {cell.row for cell in ran}]
    columns = [at for at in dict.fromkeys(at for _, at in places) if at in {cell.column for cell in ran}]
    lines = [(row, *(_shown(places.get((row, column))) for column in columns)) for row in rows]
    return {
        "name": filling.study.name,
        "preset": filling.preset,
        "question": filling.study.question,
        "cells": len(filling.cells),
        "missing": len(filling.cells) - len(filling.run),
        "table": table(("", *columns), lines),
    }


def _shown(cell: Filled | None) -> str:
    """Best of 512, test, paper, ceiling; then the verdict."""
    if cell is None:
        return ""
    if cell.accuracy is None or cell.test_accuracy is None:
        return _MISSING
    paper = _MISSING if cell.cell.paper is None else f"{cell.cell.paper:.2f}"
    apart = "**≠** " if cell.agrees is False else ""
    verdicts = cell.verdicts or {}
    word = verdicts.get("signature", "unjudged" if cell.ceiling else "no theory")
    ceiling = _MISSING if cell.ceiling is None else f"{cell.ceiling:.3f}"
    return f"{apart}{cell.accuracy:.3f} · {cell.test_accuracy:.4f} · {paper} · {ceiling} {word}"


def _disagreeing(filled: Sequence[Filling]) -> list[tuple[str, ...]]:
    """The cells of the paper that do not agree, each once."""
    found = {
        (each.filled.cell.config, each.filled.cell.paper): (each, filling.study.name)
        for filling in reversed(filled)
        for each in reversed(disagreements(filling.cells))
    }
    return [
        (
            name(each.filled.cell.config),
            study,
            f"{each.filled.accuracy:.3f}",
            f"{each.filled.test_accuracy:.4f}",
            f"{each.filled.cell.paper:.2f}",
            f"{each.filled.ceiling:.3f}",
            str(each.filled.verdict),
            each.why,
        )
        for each, study in reversed(found.values())
    ]


_DISAGREEING = ("cell", "table", "best of 512", "test", "paper", "ceiling", "verdict", "where they stand")
_UNCONFIRMED = ("run", "test", "ceiling", "leak", "verdict")


def _unconfirmed(filled: Sequence[Filling], source: Source) -> list[tuple[str, ...]]:
    """The runs whose verdict is another, each once."""
    ids = {cell.cell.config.run_id: None for each in filled for cell in each.run}
    runs = [run for run_id in ids if (run := source.run(run_id)) and run.status != "confirmed"]
    return [
        (
            name(run.config),
            f"{run.verdict['test']['accuracy']:.4f}",
            f"{run.verdict['test']['ceiling']:.4f}",
            f"{run.verdict['test']['leak_rate']:.2%}",
            run.status,
        )
        for run in runs
        if run.verdict
    ]


def _map(runs: Sequence[Run]) -> str:
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
    return "o" if "undertrained" in words else "?"


_TIMES = ("cell", "quick (s)", "paper preset (min)", "dense engine (min)", "the paper (min)")
