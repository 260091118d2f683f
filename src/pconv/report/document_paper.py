"""The part of the results document on the paper's own size: each table ours, the paper's and the ceiling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pconv._text import escape_markdown, pluralize
from pconv.config import PRESETS
from pconv.report.document_tables import MISSING, Filling, table
from pconv.store.run import JudgedRun
from pconv.studies.analyses.agreement import Agreement, compared
from pconv.studies.analyses.answer import format_pvalue, pvalue_relation
from pconv.studies.cell import CellResult
from pconv.studies.paper import MAIN_TABLES, SIZES, SOLVED

FULL, QUICK = SIZES
ALL_MAIN = "**the three main tables**"


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper: its cells at the paper's size, and the same cells at the quick preset."""

    full: Filling
    quick: Filling

    @property
    def name(self) -> str:
        return self.full.study.name

    @property
    def computed(self) -> bool:
        """Whether a cell has a run at the paper's size."""
        return bool(self.full.run)


def paper_tables(filled: Iterable[Filling]) -> list[PaperTable]:
    """The paper's tables of accuracies, in its order.

    Parameters
    ----------
    filled
        The studies of the document at both presets.
    """
    places = {(each.study.name, each.study.preset): each for each in filled}
    return [
        PaperTable(each, places[name, QUICK])
        for (name, preset), each in places.items()
        if preset == FULL and each.study.table and any(cell.cell.paper is not None for cell in each.cells)
    ]


SUMMARY = (
    *("table", "cells", "computed", "by", "agree", "can differ", "of these agree", "sum of z²", "p"),
    *("ours higher", "quick: can differ", "quick: sum of z²", "quick: p"),
)


def paper_summary(tables: Sequence[PaperTable], runs: Sequence[JudgedRun]) -> list[tuple[str, ...]]:
    """A row for the main tables together and one for each table."""
    main = [each for each in tables if each.name in MAIN_TABLES]
    return [_summary_row(ALL_MAIN, main, runs), *(_summary_row(each.name, [each], runs) for each in tables)]


def _summary_row(title: str, tables: Sequence[PaperTable], runs: Sequence[JudgedRun]) -> tuple[str, ...]:
    names = [each.name for each in tables]
    full, quick = (compared(runs, names, preset) for preset in (FULL, QUICK))
    cells = [cell for each in tables for cell in each.full.cells]
    done = [cell for each in tables for cell in each.full.run]
    return (
        title,
        str(len(cells)),
        str(len(done)),
        revisions(done, runs) or MISSING,
        f"{full.agreeing} of {len(full.cells)}",
        str(len(full.informative)),
        str(full.agreeing_informative),
        *_pooled(full),
        str(full.higher) if full.informative else MISSING,
        str(len(quick.informative)),
        *_pooled(quick),
    )


def _pooled(each: Agreement) -> tuple[str, str]:
    if not each.informative:
        return MISSING, MISSING
    return f"{each.statistic:.1f}", format_pvalue(each.pvalue)


def revisions(cells: Iterable[CellResult], runs: Iterable[JudgedRun]) -> str:
    """How many cells each revision of an engine computed.

    Parameters
    ----------
    cells
        Cells with a run.
    runs
        All runs.
    """
    return ", ".join(
        f"{engine} {f'revision {revision}' if revision else 'of no recorded revision'}: {count}"
        for (engine, revision), count in sorted(_by_revision(cells, runs).items())
    )


def _by_revision(cells: Iterable[CellResult], runs: Iterable[JudgedRun]) -> Counter[tuple[str, int]]:
    how = {run.config: run.result.environment for run in runs}
    computed = (how[cell.cell.config] for cell in cells)
    return Counter((escape_markdown(each.engine), each.revision) for each in computed)


def paper_sentence(tables: Sequence[PaperTable], runs: Sequence[JudgedRun]) -> str:
    """How much is computed at the paper's size, and whether it agrees with the paper."""
    main = [each for each in tables if each.name in MAIN_TABLES]
    cells = {cell.cell.config for each in main for cell in each.full.cells}
    others = {cell.cell.config for each in tables for cell in each.full.cells} - cells
    done = {cell.cell.config for each in tables for cell in each.full.run}
    parts = [
        f"{len(cells & done)} of {pluralize(len(cells), 'cell')} of the three main tables and "
        f"{len(others & done)} of {pluralize(len(others), 'cell')} that only other tables have are computed "
        f"at the paper's size, N = {PRESETS[FULL]['primes']:,}."
    ]
    full = compared(runs, MAIN_TABLES, FULL)
    if full.cells:
        parts.append(f"Of those of the main tables {full.agreeing} agree with the paper's figure.")
        parts.append(_finding(full))
    if several := [each.name for each in tables if len(_by_revision(each.full.run, runs)) > 1]:
        parts.append(
            f"Cells of more than one revision of the engine, which round differently: {', '.join(several)}."
        )
    return " ".join(parts)


def _finding(full: Agreement) -> str:
    if not full.informative:
        return "In all of them both figures are at least 0.99."
    return (
        f"{len(full.informative)} can differ, because not both figures are at least 0.99; over these the "
        f"sum of z² is {full.statistic:.1f}, p {pvalue_relation(full.pvalue)}, with ours higher in "
        f"{full.higher}."
    )


def paper_section(each: PaperTable) -> dict[str, str]:
    """A table in the paper's layout, with all of its cells."""
    quick = {(cell.cell.row, cell.cell.column): cell for cell in each.quick.cells}
    full = {(cell.cell.row, cell.cell.column): cell for cell in each.full.cells}
    rows, columns = (list(dict.fromkeys(place[axis] for place in full)) for axis in (0, 1))
    lines = [
        (row, *(_shown(full.get((row, column)), quick.get((row, column))) for column in columns))
        for row in rows
    ]
    return {
        "name": each.name,
        "computed": f"{len(each.full.run)} of {len(each.full.cells)}",
        "table": table(("", *columns), lines),
    }


def _shown(full: CellResult | None, quick: CellResult | None) -> str:
    """Ours / the paper's / the ceiling (ours at the quick preset)."""
    if full is None:
        return ""
    paper = MISSING if full.cell.paper is None else f"{full.cell.paper:.2f}"
    ceiling = MISSING if full.ceiling is None else f"{full.ceiling:.3f}"
    return f"{_accuracy(full)} / {paper} / {ceiling} ({_accuracy(quick)})"


def _accuracy(cell: CellResult | None) -> str:
    if cell is None or cell.accuracy is None:
        return MISSING
    if cell.agrees is None or min(cell.accuracy, cell.cell.paper or 0.0) >= SOLVED:
        return f"{cell.accuracy:.3f}"
    return f"{'=' if cell.agrees else '**≠**'} {cell.accuracy:.3f}"
