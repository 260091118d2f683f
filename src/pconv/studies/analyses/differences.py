"""The cells in which ours and the paper's figures differ, with all seeds and the curves of these runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pconv._text import pluralize
from pconv.config import PRESETS, RunConfig
from pconv.evaluate.assessment import GUESSING_WIDTH
from pconv.store.run import JudgedRun
from pconv.studies.analyses.agreement import Compared, compared
from pconv.studies.analyses.answer import Answer
from pconv.studies.analyses.plateaus import plateau
from pconv.studies.analyses.registry import analysis
from pconv.studies.evaluate import ceiling_of
from pconv.studies.paper import SIZES, agrees, table_names


class Difference(NamedTuple):
    """A cell whose run under seed 0 differs from the paper's figure."""

    cell: Compared
    seeds: tuple[JudgedRun, ...]  # its runs under all seeds, by seed
    elsewhere: Compared | None  # the same cell at the other preset

    @property
    def agreeing_seeds(self) -> int:
        return sum(agrees(run.result.best_accuracy, self.cell.paper) for run in self.seeds)

    @property
    def passing_epochs(self) -> list[int]:
        """The epochs of seed 0 whose accuracy on the 512 numbers agrees with the paper's figure."""
        epochs = self.seeds[0].result.epochs
        return [epoch.epoch for epoch in epochs if agrees(epoch.accuracy, self.cell.paper)]

    @property
    def guessed(self) -> bool:
        """Whether the paper's figure agrees with that of guessing, 1/m."""
        return agrees(1 / self.cell.config.modulus, self.cell.paper)


HEADER = (
    *("cell", "paper", "ceiling", "best of 512, by seed", "seeds that agree", "at the other size"),
    *("epochs on the plateau, by seed", "epochs with the paper's figure", "verdicts, by seed"),
)


@analysis("Where ours and the paper's figures differ, what do seeds and curves say?", order=55)
def differences(runs: Sequence[JudgedRun]) -> Answer:
    """List the cells that differ from the paper, with the runs under all seeds."""
    cells = {preset: compared(runs, table_names(), preset).cells for preset in SIZES}
    if not any(cells.values()):
        return Answer()
    found = [each for preset in SIZES for each in _differences(runs, cells, preset)]
    counts = "; ".join(
        f"{sum(each.cell in own for each in found)} of {pluralize(len(own), 'compared cell')} at "
        f"N={PRESETS[preset]['primes']:,}"
        for preset, own in cells.items()
        if own
    )
    sentence = f"Fisher's exact test at 1% finds a difference in {counts}."
    if not found:
        return Answer(sentence)
    return Answer(f"{sentence} {_described(found)}", HEADER, tuple(map(_row, found)))


def _differences(
    runs: Sequence[JudgedRun], cells: Mapping[str, Sequence[Compared]], preset: str
) -> list[Difference]:
    others = {_anywhere(cell): cell for name, own in cells.items() if name != preset for cell in own}
    found = []
    for cell in cells[preset]:
        if not agrees(cell.ours, cell.paper):
            seeds = sorted(
                (run for run in runs if replace(run.config, seed=0) == cell.config),
                key=lambda run: run.config.seed,
            )
            found.append(Difference(cell, tuple(seeds), others.get(_anywhere(cell))))
    return found


def _anywhere(cell: Compared) -> tuple[RunConfig, float]:
    """What a cell is at every preset."""
    return replace(cell.config, primes=RunConfig.primes), cell.paper


def _described(found: Sequence[Difference]) -> str:
    several = [each for each in found if len(each.seeds) > 1]
    both = [each for each in found if each.elsewhere]
    larger = sum(agrees(each.elsewhere.ours, each.elsewhere.paper) for each in both if each.elsewhere)
    passed = sum(bool(each.passing_epochs) for each in found)
    guessed = [each for each in found if each.guessed]
    higher = sum(each.cell.ours > each.cell.paper for each in found)
    return (
        f"Ours is higher in {higher} of {len(found)}. Seeds: {len(several)} of them have runs of several "
        f"seeds, and in {sum(each.agreeing_seeds > 0 for each in several)} of these a seed agrees with the "
        f"paper. Size: {len(both)} were run at the other size too, and {larger} agree there. Curves: in "
        f"{passed} the run under seed 0 has epochs whose accuracy agrees with the paper's figure, so that a "
        "slower training, or a best epoch that owes less to the choice among epochs, would give it; in "
        f"{len(guessed)} the paper's figure is that of guessing, 1/m. The plateau is the epochs before the "
        f"mean training loss is {GUESSING_WIDTH} nats below ln m, the loss of guessing."
    )


def _row(each: Difference) -> tuple[str, ...]:
    cell, runs = each.cell, each.seeds
    ceiling = ceiling_of(cell.config)
    return (
        cell.config.label(),
        f"{cell.paper:.2f}",
        "–" if ceiling is None else f"{ceiling:.3f}",
        ", ".join(f"{run.result.best_accuracy:.3f}" for run in runs),
        f"{each.agreeing_seeds} of {len(runs)}",
        _elsewhere(each.elsewhere),
        ", ".join(str(plateau(run)) for run in runs),
        ", ".join(map(str, each.passing_epochs)) or "none",
        ", ".join(run.status for run in runs),
    )


def _elsewhere(cell: Compared | None) -> str:
    if cell is None:
        return "not run"
    return f"{cell.ours:.3f}, {'agrees' if agrees(cell.ours, cell.paper) else 'differs'}"
