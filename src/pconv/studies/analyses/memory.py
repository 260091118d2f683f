"""Memorisation of training numbers: accuracy next to them, and inside mixed groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from pconv._text import pluralize
from pconv.store.run import JudgedRun
from pconv.studies.analyses.answer import (
    LEVEL,
    Answer,
    evaluation_of,
    format_pvalue,
    prediction_of,
    pvalue_relation,
)
from pconv.studies.analyses.odds import (
    Matches,
    OddsRatio,
    Tables,
    balanced_odds_ratio,
    mantel_haenszel,
    matches,
)
from pconv.studies.analyses.registry import analysis


class Neighbour(NamedTuple):
    """A neighbour of n that may be a training number."""

    label: str
    stratum: int  # of `Census.neighbours`: this neighbour alone
    step: int  # from n to it


NEIGHBOURS = (Neighbour("n-1", 1, -1), Neighbour("n+1", 2, 1))

MIXED = "mixed"
JOINED = "mixed with a neighbour's class"
APART = "mixed, neighbours in other groups"
IDENTIFIED = "identified"


def _kind(group: Sequence[int], modulus: int) -> str:
    if len(group) == 1:
        return IDENTIFIED
    return JOINED if any((c + 1) % modulus in group for c in group) else APART


def _groups(run: JudgedRun, kind: str) -> list[list[int]]:
    """The predicted groups of one kind."""
    kinds = (JOINED, APART) if kind == MIXED else (kind,)
    groups = prediction_of(run.config).groups
    return [list(group) for group in groups if _kind(group, run.config.modulus) in kinds]


def _tables(run: JudgedRun, stratum: int) -> Tables:
    """For each class the correct and wrong answers, in the stratum and far from training numbers."""
    assert run.result.census is not None
    counts = np.array(run.result.census.neighbours, dtype=np.int64)[[stratum, 0]]  # (2, classes, 2)
    size, correct = counts[..., 0], counts[..., 1]
    return np.stack([correct, size - correct], axis=2).transpose(1, 0, 2)


def _has_strata(run: JudgedRun) -> bool:
    census = run.result.census
    return census is not None and census.numbers == "unseen" and len(census.neighbours) == 4


class _Found(NamedTuple):
    """Odds ratios for one kind of groups and one neighbour, over all runs with such groups."""

    neighbour: Neighbour
    kind: str
    runs: int
    below: int  # runs whose own odds ratio is below 1
    odds: OddsRatio  # class by class
    balanced: OddsRatio | None  # group by group; None for single classes, in which nothing is balanced
    single: int  # runs that show a lower balanced ratio by themselves, at 1% over all of them
    of: int  # runs with a balanced ratio


def _found(runs: Sequence[JudgedRun], neighbour: Neighbour, kind: str) -> _Found | None:
    groups = []
    for run in runs:
        tables = _tables(run, neighbour.stratum)
        groups.append([tables[group] for group in _groups(run, kind)])
    every = [tables for own in groups for tables in own]
    pooled = mantel_haenszel(np.concatenate(every)) if every else None
    if pooled is None:
        return None
    alone = [odds for own in groups if own and (odds := mantel_haenszel(np.concatenate(own)))]
    below = sum(odds.ratio < 1 for odds in alone)
    if kind == IDENTIFIED:
        return _Found(neighbour, kind, len(alone), below, pooled, None, 0, 0)
    own_ratios = [odds for own in groups if (odds := balanced_odds_ratio(own))]
    single = sum(odds.ratio < 1 and odds.pvalue <= LEVEL / len(own_ratios) for odds in own_ratios)
    balanced = balanced_odds_ratio(every)
    return _Found(neighbour, kind, len(alone), below, pooled, balanced, single, len(own_ratios))


@analysis("Is a class of a mixed group less often correct next to a training number?", order=80)
def neighbour_memory(runs: Sequence[JudgedRun]) -> Answer:
    """Compare accuracy where n-1 or n+1 was a training number with accuracy where neither was."""
    there = [run for run in runs if _has_strata(run)]
    kinds = (MIXED, JOINED, APART, IDENTIFIED)
    every = [_found(there, neighbour, kind) for kind in kinds for neighbour in NEIGHBOURS]
    found = [each for each in every if each]
    if not any(each.kind == MIXED for each in found):
        return Answer()
    rows = [_row(each) for each in found]
    by_columns = _by_columns(there)
    rows += [_row(each, f"{JOINED}, N={primes:,}") for primes, some in by_columns.items() for each in some]
    header = (
        *("training number", "groups", "runs", "odds ratio, class by class", "p"),
        *("runs below 1", "odds ratio, balanced over groups", "p, balanced"),
    )
    return Answer(_memory_sentence(found), header, tuple(rows), _memory_headline(by_columns))


def _by_columns(runs: Sequence[JudgedRun]) -> dict[int, list[_Found]]:
    """Odds ratios in groups that contain a neighbour's class, for each number of columns."""
    found = {}
    for primes in sorted({run.config.primes for run in runs}):
        own = [run for run in runs if run.config.primes == primes]
        found[primes] = [each for step in NEIGHBOURS if (each := _found(own, step, JOINED))]
    return found


def _span(odds: OddsRatio) -> str:
    return f"{odds.ratio:.3f} ({odds.low:.3f} to {odds.high:.3f})"


def _row(found: _Found, kind: str | None = None) -> tuple[str, ...]:
    balanced = ("–", "–")
    if found.balanced:
        balanced = _span(found.balanced), format_pvalue(found.balanced.pvalue)
    figures = _span(found.odds), format_pvalue(found.odds.pvalue), str(found.below)
    return found.neighbour.label, kind or found.kind, str(found.runs), *figures, *balanced


def _each(found: Sequence[_Found], kind: str) -> str:
    return ", ".join(
        f"{_span(each.balanced)} for {each.neighbour.label} (p {pvalue_relation(each.balanced.pvalue)}; "
        f"lower in {each.single} of {pluralize(each.of, 'run')} by itself)"
        for each in found
        if each.kind == kind and each.balanced
    )


def _memory_sentence(found: Sequence[_Found]) -> str:
    parts = [
        "A network that had memorised n-1 or n+1 would name that number's class, which is wrong for n: "
        "where the two classes are in one group this would lower the odds of a correct answer. Odds next "
        "to a training number, as multiples of those near none:"
    ]
    if joined := _each(found, JOINED):
        parts.append(f"in groups that contain a neighbour's class {joined};")
    parts.append(f"in all mixed groups {_each(found, MIXED) or 'not known, for want of numbers'}.")
    parts.append(
        "These are balanced: each class of a group counts alike, so that a preference for one class over "
        "another cancels. Class by class (Mantel-Haenszel over runs and classes) it does not. Runs of one "
        "seed share their training numbers, so that intervals over many runs are rather too narrow, and a "
        "pooled ratio may come from a single run. The split by N was made after a look at the data."
    )
    if any(each.kind == IDENTIFIED for each in found):
        parts.append(
            "For identified classes nothing cancels: where the domain excludes large prime factors, a "
            "training number has none, so that the windows next to it differ from others in more than having "
            "been trained on."
        )
    return " ".join(parts)


def _memory_headline(by_columns: Mapping[int, Sequence[_Found]]) -> str:
    parts = []
    for primes, found in by_columns.items():
        if ratios := [each.balanced for each in found if each.balanced]:
            odds = f"odds of a correct answer {_each(found, JOINED)}"
            parts.append(f"{_visible(ratios)} at N={primes:,} ({odds})")
    if not parts:
        return ""
    where = "In mixed groups that contain a neighbour's class"
    return f"{where}, memory of single neighbours is {', '.join(parts)}."


def _visible(ratios: Sequence[OddsRatio]) -> str:
    """Memory lowers the odds; what raises them is something else."""
    clear = [odds for odds in ratios if odds.pvalue <= LEVEL / len(ratios)]
    if any(odds.ratio < 1 for odds in clear):
        return "visible"
    return "not visible, the odds are higher instead," if clear else "not visible"


@analysis("Are answers inside mixed groups correct exactly as often as by chance?", order=90)
def mixed_by_chance(runs: Sequence[JudgedRun]) -> Answer:
    """Compare correct answers inside mixed groups with answers that are independent of the class."""
    able = [run for run in runs if prediction_of(run.config).mixed]
    if not able:
        return Answer()
    rows, words = [], []
    for kind, own in (
        ("census", [run for run in able if run.result.census]),
        ("test set", [run for run in able if not run.result.census]),
    ):
        if own:
            counts = [_matches(run) for run in own]
            words.append(f"by {kind} {_against_chance(counts)}")
            strongest = sorted(zip(own, counts, strict=True), key=lambda pair: -abs(_score(*pair[1])))[:8]
            rows += [_chance_row(run, kind, count) for run, count in strongest]
    sentence = (
        f"Inside mixed groups {'; '.join(words)}. Chance deals the answers out at random, with the numbers "
        "of each class and each answer kept. A deficit is to be expected where a network has picked up "
        "accidents of its training numbers: classes are spread evenly over the domain, so that what the "
        "training numbers have too many of, the others have too few of. The strongest are listed."
    )
    header = ("run", "numbers", "correct", "by chance", "z")
    return Answer(sentence, header, tuple(rows), f"Inside mixed groups {words[0]}.")


def _against_chance(counts: Sequence[Matches]) -> str:
    correct, expected = sum(c.correct for c in counts), sum(c.expected for c in counts)
    z = _score(correct, expected, sum(c.variance for c in counts))
    below = sum(c.correct < c.expected for c in counts)
    excess = f"{correct / expected - 1:+.2%}" if expected else "–"  # no answer names a class of a mixed group
    return (
        f"{pluralize(len(counts), 'run')} {'has' if len(counts) == 1 else 'have'} {correct:,} correct "
        f"answers where chance gives {expected:,.0f} ({excess}, z = {z:+.1f}); "
        f"{below} of {len(counts)} are below chance"
    )


def _matches(run: JudgedRun) -> Matches:
    confusion = np.array(evaluation_of(run).confusion, dtype=np.int64)
    groups = (confusion[np.ix_(group, group)] for group in prediction_of(run.config).mixed)
    correct, expected, variance = (sum(parts) for parts in zip(*map(matches, groups), strict=True))
    return Matches(int(correct), float(expected), float(variance))


def _score(correct: int, expected: float, variance: float) -> float:
    return (correct - expected) / sqrt(variance) if variance > 0 else 0.0


def _chance_row(run: JudgedRun, kind: str, count: Matches) -> tuple[str, ...]:
    z = _score(*count)
    return run.config.label(), kind, f"{count.correct:,}", f"{count.expected:,.0f}", f"{z:+.1f}"
