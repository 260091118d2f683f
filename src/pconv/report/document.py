"""The results as one document: the paper at its own size, what holds, the analyses, and every table.

All figures, and all words that depend on figures, are made here, in `document_tables` or in `pconv.studies`;
the template has the text around them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

from pconv._text import pluralize
from pconv.config import PRESETS
from pconv.report.document_paper import SUMMARY as PAPER_SUMMARY
from pconv.report.document_paper import paper_section, paper_sentence, paper_summary, paper_tables
from pconv.report.document_pictures import pictures
from pconv.report.document_tables import (
    COMPUTED,
    DISAGREEING,
    SUMMARY,
    TIMES,
    UNCONFIRMED,
    WORDS,
    Filling,
    computed_rows,
    disagreeing_rows,
    map_lines,
    section,
    summary_rows,
    table,
    unconfirmed_rows,
)
from pconv.report.times import Pace, time_rows
from pconv.store.run import JudgedRun, RunSource, runs_of
from pconv.studies.analyses import Analysis, Answer, answers
from pconv.studies.analyses.answer import paper_network_runs
from pconv.studies.catalog import STUDIES
from pconv.studies.cell import StudyCell
from pconv.studies.evaluate import evaluate_study
from pconv.studies.paper import MAIN_TABLES, SIZES


def results_document(source: RunSource, paces: Sequence[Pace] = (), images: str | None = None) -> str:
    """The document, in Markdown.

    Parameters
    ----------
    source
        A store or a directory of results.
    paces
        The measurements of `pconv bench`, for the table of times.
    images
        The directory of the pictures, relative to the document; without it the document has none.
    """
    runs = runs_of(source)
    filled = _filled(source)
    papers = [each for each in filled if each.study.table]
    apart = disagreeing_rows(papers)
    found = answers(runs)
    environment = Environment(
        autoescape=False, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string((files("pconv.report") / "results.md.j2").read_text("utf-8"))
    text = template.render(
        **_lead(filled, runs),
        pictures=_pictures(source, images),
        runs=pluralize(len(runs), "run"),
        censuses=sum(run.result.census is not None for run in runs),
        seeds=sorted({run.config.seed for run in runs}),
        headlines=[answer.headline for _, answer in found if answer.headline],
        verdicts=_verdicts(runs),
        answers=[_analysis(analysis, answer) for analysis, answer in found],
        computed=table(COMPUTED, computed_rows(runs)),
        summary=table(SUMMARY, summary_rows(filled)),
        **_missing(filled),
        papers=[section(each) for each in papers if each.run],
        own=[section(each) for each in filled if each.run and each not in papers],
        map=map_lines(paper_network_runs(runs)),
        times=table(TIMES, time_rows(source, paces)),
        compared=sum(len(each.compared) for each in papers),
        disagreeing=table(DISAGREEING, apart) if apart else "",
        stand=Counter(row[-1] for row in apart).most_common(),
        unconfirmed=table(UNCONFIRMED, open_) if (open_ := unconfirmed_rows(filled, source)) else "",
    )
    return text.rstrip("\n") + "\n"


def _lead(filled: Sequence[Filling], runs: Sequence[JudgedRun]) -> dict[str, Any]:
    """The part on the paper's own size."""
    tables = paper_tables(filled)
    return {
        "paper_sentence": paper_sentence(tables, runs),
        "paper_summary": table(PAPER_SUMMARY, paper_summary(tables, runs)),
        "paper_sections": [paper_section(each) for each in tables if each.computed],
        "paper_missing": [each.name for each in tables if not each.computed],
    }


def _pictures(source: RunSource, images: str | None) -> dict[str, dict[str, list[str]]]:
    """References to the pictures, by preset and subject."""
    found: dict[str, dict[str, list[str]]] = {preset: defaultdict(list) for preset in PRESETS}
    for picture in pictures(source) if images is not None else ():
        found[picture.preset][picture.subject].append(picture.markdown(images or "."))
    return found


def _analysis(analysis: Analysis, answer: Answer) -> dict[str, str]:
    shown = table(answer.header, answer.rows) if answer.rows else ""
    return {"question": analysis.question, "sentence": answer.sentence, "table": shown}


def _verdicts(runs: Sequence[JudgedRun]) -> str:
    """How many runs have each verdict, those with a census apart."""
    parts = []
    for title, own in (
        ("with a census", [run for run in runs if run.result.census]),
        ("without", [run for run in runs if not run.result.census]),
    ):
        counts = Counter(run.status for run in own)
        words = ", ".join(f"{counts[word]} {word}" for word in (*WORDS, "unjudged") if counts[word])
        if own:
            parts.append(f"{pluralize(len(own), 'run')} {title}: {words}")
    return "; ".join(parts)


def _missing(filled: Sequence[Filling]) -> dict[str, Any]:
    """Studies without any run, and cells of the main tables without one."""
    return {
        "not_run": [(each.study.name, each.study.preset) for each in filled if not each.run],
        "main_missing": [
            (each.study.preset, each.study.name, len(each.cells) - len(each.run))
            for each in filled
            if each.study.table in MAIN_TABLES and len(each.run) < len(each.cells)
        ],
    }


def _filled(source: RunSource) -> list[Filling]:
    """The studies of the document at both presets, the paper's size first.

    A study with the same runs at both is included once, as quick.
    """
    shown = [study for study in STUDIES.values() if study.in_document]
    found: dict[tuple[StudyCell, ...], Filling] = {}
    for study in (study.at(preset) for preset in PRESETS for study in shown):
        if study.cells not in found:
            found[study.cells] = Filling(study, evaluate_study(study, source))
    return sorted(found.values(), key=lambda each: SIZES.index(each.study.preset))
