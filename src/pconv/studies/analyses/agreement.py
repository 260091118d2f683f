"""Agreement with the paper's figures, over the cells that could show a difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import NamedTuple

from pconv._text import pluralize
from pconv.config import PRESETS, RunConfig
from pconv.data.domain import VALIDATION_SIZE
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import LEVEL, Answer, format_pvalue, pvalue_relation
from pconv.studies.analyses.registry import analysis
from pconv.studies.paper import MAIN_TABLES, SIZES, SOLVED, agrees, printed, table_names


class Compared(NamedTuple):
    """An accuracy of ours and the paper's, each of the best epoch on 512 numbers."""

    config: RunConfig
    ours: float
    paper: float

    @property
    def informative(self) -> bool:
        """Whether a difference could show: not both accuracies are at least 0.99."""
        return min(self.ours, self.paper) < SOLVED

    @property
    def z(self) -> float:
        """Ours minus the paper's, in standard errors of the difference of two shares of 512."""
        if self.ours == self.paper:  # both may be 0 or 1, which have no standard error
            return 0.0
        both = (self.ours + self.paper) / 2
        return (self.ours - self.paper) / sqrt(2 * both * (1 - both) / VALIDATION_SIZE)


class Agreement(NamedTuple):
    """Our accuracies against the paper's over several cells."""

    cells: tuple[Compared, ...]
    agreeing: int  # by Fisher's exact test at 1%, or both solved
    informative: tuple[Compared, ...]

    @property
    def statistic(self) -> float:
        """The sum of z² over the cells that can differ."""
        return sum(cell.z**2 for cell in self.informative)

    @property
    def pvalue(self) -> float:
        """Of the sum of squares, if accuracies differ only by the samples of 512 numbers."""
        from scipy.stats import chi2

        return float(chi2.sf(self.statistic, len(self.informative))) if self.informative else 1.0

    @property
    def agreeing_informative(self) -> int:
        return sum(agrees(cell.ours, cell.paper) for cell in self.informative)

    @property
    def higher(self) -> int:
        return sum(cell.ours > cell.paper for cell in self.informative)


def compared(runs: Iterable[JudgedRun], tables: Iterable[str], preset: str) -> Agreement:
    """Compare the cells of some of the paper's tables that have a run, each once.

    Parameters
    ----------
    runs
        Finished runs.
    tables
        Names from `pconv.studies.paper.table_names`.
    preset
        Whose runs are compared.
    """
    by_config = {run.config: run for run in runs}
    figures = {
        (figure.config, figure.accuracy): None
        for table in tables
        for figure in printed(table, preset)
        if figure.accuracy is not None and figure.config in by_config
    }
    return _agreement(
        Compared(config, by_config[config].result.best_accuracy, paper)
        for config, paper in figures
        if paper is not None
    )


def _agreement(cells: Iterable[Compared]) -> Agreement:
    found = tuple(cells)
    agreeing = sum(agrees(cell.ours, cell.paper) for cell in found)
    return Agreement(found, agreeing, tuple(cell for cell in found if cell.informative))


def _shared(each: Mapping[str, Agreement]) -> dict[str, Agreement]:
    """Only the cells that were run at every preset, so that presets can be compared."""
    alike = [{replace(cell.config, primes=RunConfig.primes) for cell in own.cells} for own in each.values()]
    common = set.intersection(*alike)
    return {
        preset: _agreement(
            cell for cell in own.cells if replace(cell.config, primes=RunConfig.primes) in common
        )
        for preset, own in each.items()
    }


@analysis("Do the runs reproduce the paper's figures?", order=50)
def agreement(runs: Sequence[JudgedRun]) -> Answer:
    """Compare each preset with the paper: main tables, cells run at both presets, all tables."""
    main = {preset: compared(runs, MAIN_TABLES, preset) for preset in SIZES}
    every = {preset: compared(runs, table_names(), preset) for preset in SIZES}
    scopes = {
        "main tables": main,
        "main tables, cells run at both presets": _shared(main),
        "all tables": every,
    }
    rows = tuple(
        _row(preset, title, each)
        for title, found in scopes.items()
        for preset, each in found.items()
        if each.cells
    )
    if not rows:
        return Answer()
    shared = scopes["main tables, cells run at both presets"]
    sentences = [_sentence(preset, each) for preset, each in main.items() if each.cells]
    if all(each.informative for each in shared.values()):
        tests = "; ".join(f"preset {preset} {_test(each)}" for preset, each in shared.items())
        sentences.append(f"On the cells that were run at both presets: {tests}.")
    sentences.append(
        "The sum of squares allows for the 512 numbers on either side and not for what a seed changes, so "
        "that a small p need not mean another method (the next section allows for it), and a large one over "
        "few cells is weak evidence."
    )
    header = (
        *("preset", "cells of", "compared", "agree", "can differ", "of these agree"),
        *("sum of z²", "p", "ours higher"),
    )
    return Answer(" ".join(sentences), header, rows, _headline(main, shared))


def _test(each: Agreement) -> str:
    count = len(each.informative)
    return f"sum of z² {each.statistic:.1f} over {pluralize(count, 'cell')}, p {pvalue_relation(each.pvalue)}"


def _sentence(preset: str, each: Agreement) -> str:
    """The result of one preset over the main tables."""
    cells = pluralize(len(each.cells), "cell")
    if not each.informative:
        return f"Preset {preset}: none of {cells} of the main tables can show a difference."
    finding = (
        "they differ from the paper by more than samples of 512 numbers do"
        if each.pvalue <= LEVEL
        else "no difference from the paper is found"
    )
    return (
        f"Preset {preset}: of {cells} of the main tables {len(each.informative)} can show a difference, in "
        f"the others both figures are at least 0.99. Over these {finding} ({_test(each)}), with ours higher "
        f"in {each.higher}. Over all of them, {each.agreeing} agree cell by cell (Fisher at 1%, or both "
        "solved)."
    )


def _headline(main: Mapping[str, Agreement], shared: Mapping[str, Agreement]) -> str:
    parts = [
        f"N={PRESETS[preset]['primes']:,} {'differs' if each.pvalue <= LEVEL else 'is not seen to differ'} "
        f"from the paper's figures by more than samples of 512 numbers do ({_test(each)}; ours higher in "
        f"{each.higher})"
        for preset, each in main.items()
        if each.informative
    ]
    if len(parts) > 1 and all(each.informative for each in shared.values()):
        same = "; ".join(
            f"N={PRESETS[preset]['primes']:,} p {pvalue_relation(each.pvalue)}"
            for preset, each in shared.items()
        )
        parts.append(f"on the cells run at both sizes: {same}")
    return f"Over the cells of the main tables that can differ, {'; '.join(parts)}." if parts else ""


def _row(preset: str, title: str, each: Agreement) -> tuple[str, ...]:
    counts = (len(each.cells), each.agreeing, len(each.informative), each.agreeing_informative)
    return (
        *(preset, title, *map(str, counts)),
        *(f"{each.statistic:.1f}", format_pvalue(each.pvalue), str(each.higher)),
    )
