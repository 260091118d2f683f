"""Whether the number of columns N matters, relative to the spread over cells and seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from statistics import mean, median, stdev
from typing import NamedTuple

from pconv._text import pluralize
from pconv.config import PRESETS, RunConfig
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import (
    LEVEL,
    Answer,
    evaluated_on,
    evaluation_of,
    groups_by,
    prediction_of,
    pvalue_relation,
)
from pconv.studies.analyses.odds import CONFIDENCE, Difference
from pconv.studies.analyses.registry import analysis

SMALL, LARGE = (PRESETS[preset]["primes"] for preset in ("quick", "paper"))

ROUNDING = 1e-9
"""Differences of accuracies that are closer than this are equal."""

BySeed = Mapping[int, JudgedRun]


class Cell(NamedTuple):
    """Runs that differ only in N and seed."""

    config: RunConfig  # at N=32 where it was run, else at the smallest N
    runs: Mapping[int, BySeed]  # by N

    @property
    def mixed(self) -> bool:
        return bool(prediction_of(self.config).mixed)

    @property
    def seeds(self) -> list[int]:
        """The seeds that were run at both N=5,000 and N=32."""
        return sorted(self.runs.get(SMALL, {}).keys() & self.runs.get(LARGE, {}).keys())

    def differences(self) -> list[float]:
        """Accuracy at N=5,000 minus accuracy at N=32, for each seed with both."""
        return [_difference(self.runs[SMALL][seed], self.runs[LARGE][seed]) for seed in self.seeds]


def _difference(few: JudgedRun, many: JudgedRun) -> float:
    """By census where both runs have one, else on the test numbers, which runs with one seed share."""
    if few.result.census and many.result.census:
        return many.result.census.accuracy - few.result.census.accuracy
    return many.result.test.accuracy - few.result.test.accuracy


def mean_difference(values: Sequence[float], confidence: float = CONFIDENCE) -> Difference | None:
    """Student's confidence interval for a mean, and the t-test that it is 0.

    None with fewer than two values, and where all values are equal and not 0: without a spread there is no
    test.
    """
    from scipy.stats import t

    if len(values) < 2:
        return None
    if max(values) - min(values) < ROUNDING:
        return None if any(values) else Difference(0.0, 0.0, 0.0, 1.0)
    centre, error = mean(values), stdev(values) / sqrt(len(values))
    margin = float(t.ppf((1 + confidence) / 2, len(values) - 1)) * error
    pvalue = float(2 * t.sf(abs(centre) / error, len(values) - 1))
    return Difference(centre, centre - margin, centre + margin, pvalue)


@analysis("Does N matter?", order=70)
def columns(runs: Sequence[JudgedRun]) -> Answer:
    """Compare runs that differ only in the number of columns."""
    cells = _cells(runs)
    if not cells:
        return Answer()
    pairs = [(cell, cell.differences()) for cell in cells]
    pairs = [(cell, values) for cell, values in pairs if values]
    several = [(cell, found) for cell, values in pairs if (found := mean_difference(values))]
    single = sum(len(values) == 1 for _, values in pairs)
    equal = len(pairs) - single - len(several)
    worded = [cell for cell in cells if len(_statuses(cell)) > 1]
    parts = [f"{pluralize(len(cells), 'cell')} with runs of several N, {len(worded)} with several verdicts."]
    parts += [
        _over_cells(title, [cell for cell, _ in pairs if cell.mixed is mixed])
        for title, mixed in (("with mixed groups", True), ("that are solved", False))
    ]
    parts.append(_by_cell(several, equal, single))
    parts.append(_seed_spread(runs))
    rows = tuple(_row(cell) for cell in cells if len(cell.runs) > 2 or cell in worded)
    header = ("cell", "accuracy and verdict", f"N={LARGE:,} minus N={SMALL}, by seed")
    return Answer(" ".join(filter(None, parts)), header, rows, _headline(pairs))


def _cells(runs: Sequence[JudgedRun]) -> list[Cell]:
    found = []
    for group in groups_by(runs, "primes", "seed"):
        by_columns: dict[int, dict[int, JudgedRun]] = {}
        for run in group:
            by_columns.setdefault(run.config.primes, {})[run.config.seed] = run
        if len(by_columns) > 1:
            shown = next((run for run in group if run.config.primes == SMALL), group[0])
            found.append(Cell(replace(shown.config, seed=0), by_columns))
    return found


def _statuses(cell: Cell) -> set[str]:
    """The verdicts by census, or all verdicts where no run has one."""
    every = [run for by_seed in cell.runs.values() for run in by_seed.values()]
    censused = [run for run in every if run.result.census]
    return {run.status for run in (censused or every)}


def _over_cells(title: str, cells: Sequence[Cell]) -> str:
    """The mean difference over cells, with its interval from their spread."""
    differences = [mean(cell.differences()) for cell in cells]
    found = mean_difference(differences)
    if found is None:
        return ""
    from scipy.stats import binomtest

    lower = sum(value < 0 for value in differences)
    apart = sum(value != 0 for value in differences)
    sign = float(binomtest(lower, apart).pvalue) if apart else 1.0
    return (
        f"Over {pluralize(len(differences), 'cell')} {title} N={LARGE:,} minus N={SMALL} is "
        f"{100 * found.mean:+.2f} points of accuracy (99% interval {100 * found.low:+.2f} to "
        f"{100 * found.high:+.2f}; median {100 * median(differences):+.2f}); lower in {lower} (sign test "
        f"p {pvalue_relation(sign)}{_one_seed(cells)})."
    )


def _one_seed(cells: Sequence[Cell]) -> str:
    """What an interval over cells leaves out where most of them share a seed."""
    shared = Counter(cell.seeds[0] for cell in cells if len(cell.seeds) == 1).most_common(1)
    if not shared or shared[0][1] == 1:
        return ""
    [(seed, count)] = shared
    return (
        f"; {count} of these cells have seed {seed} alone, and what it has in common over cells is not in "
        "the interval"
    )


def _by_cell(several: Sequence[tuple[Cell, Difference]], equal: int, single: int) -> str:
    from pconv.evaluate.statistics import holm

    sentences = []
    if several:
        differ = sum(p <= LEVEL for p in holm([found.pvalue for _, found in several]))
        sentences.append(
            f"In {pluralize(len(several), 'cell')} with several seeds at both N, paired by seed, the "
            f"difference is shown to be more than the seeds' in {differ} (Holm, 1%; few seeds show large "
            "differences alone)."
        )
    if equal:
        sentences.append(
            f"In {pluralize(equal, 'cell')} it is the same for every seed, so that there is no spread to "
            "compare it with."
        )
    if single:
        sentences.append(
            f"{pluralize(single, 'cell')} {'has' if single == 1 else 'have'} one seed at one of the two: of "
            "these nothing can be said one by one, since answers to single numbers are not recorded and a "
            "seed's own effect is not known there."
        )
    return " ".join(sentences)


def _seed_spread(runs: Iterable[JudgedRun]) -> str:
    """The standard deviation of accuracies over seeds, for scale."""
    few = [run for run in runs if run.config.primes == SMALL and prediction_of(run.config).mixed]
    spreads = [stdev(evaluation_of(run).accuracy for run in group) for group in groups_by(few, "seed")]
    if not spreads:
        return ""
    pooled = sqrt(mean(spread**2 for spread in spreads))
    return (
        f"For scale: over seeds at N={SMALL} the standard deviation is {100 * pooled:.2f} points "
        f"({pluralize(len(spreads), 'cell')} with mixed groups)."
    )


def _row(cell: Cell) -> tuple[str, ...]:
    shown = "; ".join(
        f"N={primes:,} {evaluation_of(run).accuracy:.4f} {run.status} ({evaluated_on(run)})"
        for primes, by_seed in sorted(cell.runs.items())
        for seed, run in sorted(by_seed.items())
        if seed == min(by_seed)
    )
    differences = ", ".join(f"{100 * value:+.2f}" for value in cell.differences())
    return cell.config.label(), shown, differences or "–"


def _headline(pairs: Sequence[tuple[Cell, Sequence[float]]]) -> str:
    mixed = [cell for cell, _ in pairs if cell.mixed]
    found = mean_difference([mean(cell.differences()) for cell in mixed])
    if found is None:
        return ""
    word = "lower" if found.mean < 0 else "higher"
    if found.pvalue > LEVEL:
        word = "not clearly different"
    return (
        f"Accuracy with N={LARGE:,} columns instead of {SMALL} is {word} in cells with mixed groups "
        f"({100 * found.mean:+.2f} points, {100 * found.low:+.2f} to {100 * found.high:+.2f}"
        f"{_one_seed(mixed)})."
    )
