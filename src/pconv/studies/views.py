"""Views: how the runs at one place of a study's table are shown, as lines of plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean

from pconv.studies.cell import CellResult
from pconv.studies.mixing import mixed_groups

MISSING = "-"
NO_THEORY = "no theory"
_LEVELS = "▁▂▃▄▅▆▇█"

Cells = Sequence[CellResult]
"""The runs at one place: one, or one for each seed."""


@dataclass(frozen=True)
class View:
    """A function from the runs at one place to lines of text; the legend explains the figures."""

    lines: Callable[[Cells], list[str]]
    legend: str = ""


def _accuracy_lines(cells: Cells) -> list[str]:
    first = cells[0]
    figures = f"{_accuracy(cells)}{_census(cells)}"
    if first.cell.paper is not None:
        figures += f" / {first.cell.paper:.2f}"
        if any(cell.agrees is False for cell in cells):
            figures = f"≠ {figures}"
    return _with_verdict(cells, f"{figures} / {_ceiling(first)}")


def _narrow_lines(cells: Cells) -> list[str]:
    ceiling = cells[0].ceiling
    bound = NO_THEORY if ceiling is None else f"≤ {ceiling:.3f}"
    return _with_verdict(cells, _accuracy(cells), _census(cells).strip(), bound)


def _time_lines(cells: Cells) -> list[str]:
    found = [cell.seconds for cell in cells if cell.seconds is not None]
    ours = f"{mean(found):.1f} s" if found else MISSING
    minutes = cells[0].cell.minutes
    return [f"{ours} / {MISSING if minutes is None else f'{minutes:.0f} min'}"]


def _loss_lines(cells: Cells) -> list[str]:
    losses = [epoch.loss for epoch in cells[0].epochs]
    if not losses:
        return [MISSING]
    highest = max(losses) or 1.0
    curve = "".join(_LEVELS[min(7, int(8 * loss / highest))] for loss in losses)
    return [curve, f"{losses[0]:.3f} → {losses[-1]:.4f}"]


def _confusion_lines(cells: Cells) -> list[str]:
    confusion = cells[0].confusion
    if confusion is None:
        return [MISSING]
    groups = " ".join("{" + ",".join(map(str, group)) + "}" for group in mixed_groups(confusion))
    return _with_verdict(cells, groups or "none mixed")


def _theory_lines(cells: Cells) -> list[str]:
    figures = f"{_accuracy(cells)}{_census(cells)} / {_ceiling(cells[0])}"
    verdicts = [f"{theory}: {_verdicts(cells, theory)}" for theory in _compared(cells)]
    return _non_empty(figures, *verdicts, _over_seeds(cells))


def _compared(cells: Cells) -> list[str]:
    """The signature theory, the paper's, and the one that the user named."""
    return list(dict.fromkeys(["signature", "paper", cells[0].theory]))


def _extrapolation_lines(cells: Cells) -> list[str]:
    words = {True: "agrees", False: "does not", None: "open"}
    found = [f"{f.what}: {f.predicted}: {f.observed}, {words[f.agrees]}" for f in cells[0].beyond]
    return [*_accuracy_lines(cells), *found]


ACCURACY = View(_accuracy_lines, legend="ours (census) / paper / ceiling")
"""Our accuracy, the paper's, the ceiling, and the verdict; ≠ marks disagreement with the paper."""
NARROW = View(_narrow_lines)
"""The accuracy above the ceiling, for tables with many columns."""
TIME = View(_time_lines)
"""Our seconds and the paper's minutes. The machines differ: compare how they change over the table."""
LOSS = View(_loss_lines)
"""The mean loss of each epoch as a curve, with the first and the last."""
CONFUSION = View(_confusion_lines)
"""The groups of classes that the network confuses, and the verdict."""
THEORIES = View(_theory_lines)
"""The accuracy, and the verdicts on the signature theory, the paper's, and the one that is shown."""
EXTRAPOLATION = View(_extrapolation_lines)
"""The accuracy, and each prediction for numbers past the domain."""


def _with_verdict(cells: Cells, *lines: str) -> list[str]:
    return _non_empty(*lines, _verdicts(cells, cells[0].theory), _over_seeds(cells))


def _non_empty(*lines: str) -> list[str]:
    return [line for line in lines if line]


def _accuracy(cells: Cells) -> str:
    return _spread([cell.accuracy for cell in cells if cell.accuracy is not None]) or MISSING


def _census(cells: Cells) -> str:
    found = [cell.census_accuracy for cell in cells if cell.census_accuracy is not None]
    return f" (census {_spread(found)})" if found else ""


def _ceiling(cell: CellResult) -> str:
    return MISSING if cell.ceiling is None else f"{cell.ceiling:.3f}"


def _spread(values: Sequence[float]) -> str:
    """A value, or the mean of several with their range."""
    if len(values) < 2:
        return f"{values[0]:.3f}" if values else ""
    return f"{mean(values):.3f} ({min(values):.3f}..{max(values):.3f})"


def _verdicts(cells: Cells, theory: str) -> str:
    """The verdicts on a theory, counted where there are several runs; those without a census are marked."""
    counts = Counter(
        (cell.verdicts[theory], cell.has_census)
        for cell in cells
        if cell.verdicts and theory in cell.verdicts
    )
    return ", ".join(
        f"{f'{count} ' if len(cells) > 1 else ''}{status}{'' if has_census else ' (no census)'}"
        for (status, has_census), count in counts.items()
    )


def _over_seeds(cells: Cells) -> str:
    found = next((cell.replicates for cell in cells if cell.replicates), None)
    return f"over all seeds: {found.status}" if found else ""
