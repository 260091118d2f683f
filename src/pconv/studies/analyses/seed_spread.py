"""Whether ours differ from the paper's figures by more than seeds do: in one direction over all cells, and
beyond the range of our seeds in single ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from pconv._text import pluralize
from pconv.config import PRESETS, RunConfig
from pconv.store.run import JudgedRun
from pconv.studies.analyses.agreement import compared
from pconv.studies.analyses.answer import LEVEL, Answer, pvalue_relation
from pconv.studies.analyses.columns import mean_difference
from pconv.studies.analyses.registry import analysis
from pconv.studies.paper import MAIN_TABLES, SIZES


class SeededCell(NamedTuple):
    """The accuracies of a cell by seed, and the paper's, each of the best epoch on 512 numbers."""

    config: RunConfig
    ours: tuple[float, ...]
    paper: float

    @property
    def difference(self) -> float:
        """The mean of ours minus the paper's."""
        return fmean(self.ours) - self.paper

    @property
    def inside(self) -> bool:
        """Whether the paper's figure, which has two digits, is in the range of ours."""
        return round(min(self.ours), 2) <= self.paper <= round(max(self.ours), 2)

    @property
    def chance_inside(self) -> float:
        """The probability of that, if the paper's figure is that of one more seed and all differ.

        It is higher where rounded figures are equal.
        """
        return (len(self.ours) - 1) / (len(self.ours) + 1)


def seeded_cells(runs: Sequence[JudgedRun], preset: str) -> list[SeededCell]:
    """The cells of the main tables that can differ, with the runs of all seeds.

    Parameters
    ----------
    runs
        Finished runs.
    preset
        Whose runs are compared.
    """
    by_cell: dict[RunConfig, list[JudgedRun]] = {}
    for run in sorted(runs, key=lambda run: run.config.seed):
        by_cell.setdefault(replace(run.config, seed=0), []).append(run)
    return [
        SeededCell(cell.config, tuple(run.result.best_accuracy for run in by_cell[cell.config]), cell.paper)
        for cell in compared(runs, MAIN_TABLES, preset).informative
    ]


@analysis("Do ours differ from the paper's figures by more than seeds do?", order=52)
def seed_spread(runs: Sequence[JudgedRun]) -> Answer:
    """Test the differences from the paper for a common direction, and list the cells with several seeds."""
    cells = {preset: found for preset in SIZES if (found := seeded_cells(runs, preset))}
    if not cells:
        return Answer()
    sentence = (
        "A seed changes the initialisation and all numbers that are drawn. Over cells these effects average "
        "out, so that a mean difference other than 0 has another cause, such as the number of columns. "
        f"{' '.join(_sentence(preset, found) for preset, found in cells.items())} Cells of one seed share "
        "the numbers that are drawn and, with the same B and k, the initial convolution, so that the "
        "intervals are rather too narrow. Which cells have several seeds may depend on the result of the "
        "first."
    )
    rows = tuple(_row(cell) for found in cells.values() for cell in found if len(cell.ours) > 1)
    header = (
        "cell",
        "paper",
        "ours, by seed",
        "mean of ours minus the paper's",
        "paper in the range of ours",
    )
    return Answer(sentence, header if rows else (), rows, _headline(cells))


def _sentence(preset: str, cells: Sequence[SeededCell]) -> str:
    several = [cell for cell in cells if len(cell.ours) > 1]
    sentence = f"N={PRESETS[preset]['primes']:,} {_direction(cells)}."
    if several:
        sentence += (
            f" Its {pluralize(len(several), 'cell')} with several seeds: the paper's figure is in the range "
            f"of ours in {sum(cell.inside for cell in several)}; if it were that of one more seed, at "
            f"least in about {sum(cell.chance_inside for cell in several):.1f}."
        )
    return sentence


def _direction(cells: Sequence[SeededCell]) -> str:
    """The mean difference in points, with its interval over cells."""
    over = f"over {pluralize(len(cells), 'cell')} that can differ"
    found = mean_difference([100 * cell.difference for cell in cells])
    if found is None:
        return f"is {100 * fmean(cell.difference for cell in cells):+.2f} points from the paper {over}"
    word = "differs" if found.pvalue <= LEVEL else "is not seen to differ"
    return (
        f"{word} from the paper in one direction ({found.mean:+.2f} points {over}, 99% interval "
        f"{found.low:+.2f} to {found.high:+.2f}, p {pvalue_relation(found.pvalue)})"
    )


def _headline(cells: Mapping[str, Sequence[SeededCell]]) -> str:
    parts = (f"N={PRESETS[preset]['primes']:,} {_direction(own)}" for preset, own in cells.items())
    return f"With what seeds change counted as chance: {'; '.join(parts)}."


def _row(cell: SeededCell) -> tuple[str, ...]:
    return (
        cell.config.label(),
        f"{cell.paper:.2f}",
        ", ".join(f"{accuracy:.3f}" for accuracy in cell.ours),
        f"{cell.difference:+.3f}",
        "yes" if cell.inside else "no",
    )
