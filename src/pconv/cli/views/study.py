"""A study in the terminal, laid out as the paper lays out its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from statistics import mean

from rich.table import Table

from pconv._colours import VERDICTS_IN_TERMINAL
from pconv.cli.views.run import mixed_groups
from pconv.studies.catalog import Study
from pconv.studies.evaluate import CellResult
from pconv.studies.paper import SOLVED

_SHADES = "▁▂▃▄▅▆▇█"
_MISSING = "-"
_SILENT = "no theory"


def picture(study: Study, cells: list[CellResult]) -> Table:
    """Rows and columns in the order of the study's cells; seeds share a place."""
    places: dict[tuple[str, str], list[CellResult]] = {}
    for filled in cells:
        places.setdefault((filled.cell.row, filled.cell.column), []).append(filled)
    columns = list(dict.fromkeys(column for _, column in places))
    draw = _DRAWERS.get(study.name, _accuracy)
    table = Table("", *columns, title_justify="left", header_style="bold", show_lines=True)
    for row in dict.fromkeys(row for row, _ in places):
        there = [places.get((row, column)) for column in columns]
        table.add_row(row, *(draw(cell) if cell else _MISSING for cell in there))
    return table


def _accuracy(cells: list[CellResult]) -> str:
    """Ours (census) / the paper's / the ceiling, and the verdict."""
    first = cells[0]
    ours = f"{_ours(cells)}{_census(cells)}"
    if first.cell.paper is None:
        figures = f"{ours} / {_ceiling(first)}"
    else:
        figures = f"{ours} / {first.cell.paper:.2f} / {_ceiling(first)}"
        if any(cell.agrees is False for cell in cells):
            figures = f"[bold]≠[/] {figures}"
    return _lines(figures, _words(cells, "signature"), _over_seeds(cells))


def _lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)


def _ceiling(cell: CellResult) -> str:
    return _MISSING if cell.ceiling is None else f"{cell.ceiling:.3f}"


def _stacked(cells: list[CellResult]) -> str:
    """Ours above the ceiling: many columns want narrow cells."""
    first = cells[0]
    theory = _SILENT if first.ceiling is None else f"≤ {first.ceiling:.3f}"
    return _lines(
        _ours(cells), _census(cells).strip(), theory, _words(cells, "signature"), _over_seeds(cells)
    )


def _ours(cells: list[CellResult]) -> str:
    return _spread([cell.accuracy for cell in cells if cell.accuracy is not None]) or _MISSING


def _census(cells: list[CellResult]) -> str:
    """The accuracy on all unseen numbers, where it is known."""
    found = [cell.census_accuracy for cell in cells if cell.census_accuracy is not None]
    return f" (census {_spread(found)})" if found else ""


def _spread(values: list[float]) -> str:
    """A value, or the mean of several with their range."""
    if len(values) < 2:
        return f"{values[0]:.3f}" if values else ""
    return f"{mean(values):.3f} ({min(values):.3f}..{max(values):.3f})"


def _words(cells: list[CellResult], theory: str) -> str:
    """How many runs have each verdict on the theory; verdicts without a census are marked."""
    counts = Counter(
        (cell.verdicts[theory], cell.has_census)
        for cell in cells
        if cell.verdicts and theory in cell.verdicts
    )
    several = len(cells) > 1
    return ", ".join(
        f"[{VERDICTS_IN_TERMINAL.get(word, 'default')}]{f'{count} ' if several else ''}{word}[/]"
        f"{'' if censused else ' (no census)'}"
        for (word, censused), count in counts.items()
    )


def _over_seeds(cells: list[CellResult]) -> str:
    """One status over all seeds, where there are several."""
    found = next((cell.replicates for cell in cells if cell.replicates), None)
    return f"over all seeds: {found.status}" if found else ""


def _time(cells: list[CellResult]) -> str:
    """Ours in seconds beside the paper's minutes: only their course over B and k can be compared."""
    found = [cell.seconds for cell in cells if cell.seconds is not None]
    ours = f"{mean(found):.1f} s" if found else _MISSING
    return f"{ours} / {cells[0].cell.minutes:.0f} min"


def _losses(cells: list[CellResult]) -> str:
    """The mean loss of each epoch, as a curve with its ends."""
    epochs = cells[0].epochs
    if not epochs:
        return _MISSING
    losses = [epoch.loss for epoch in epochs]
    top = max(losses)
    curve = "".join(_SHADES[min(7, int(8 * loss / top))] for loss in losses)
    return f"{curve}\n{losses[0]:.3f} → {losses[-1]:.4f}"


def _confusion(cells: list[CellResult]) -> str:
    """The classes that are taken for one another, and the verdict on the theory."""
    seen = cells[0].confusion
    if seen is None:
        return _MISSING
    groups = " ".join("{" + ",".join(map(str, group)) + "}" for group in mixed_groups(seen))
    return _lines(groups or "none mixed", _words(cells, "signature"), _over_seeds(cells))


def _rivals(cells: list[CellResult]) -> str:
    words = [f"{theory}: {_words(cells, theory)}" for theory in ("signature", "paper")]
    figures = f"{_ours(cells)}{_census(cells)} / {_ceiling(cells[0])}"
    return _lines(figures, *words, _over_seeds(cells))


def _further(cells: list[CellResult]) -> str:
    lines = [_accuracy(cells)]
    for found in cells[0].beyond:
        words = {True: "agrees", False: "[red]does not[/]", None: "open"}[found.agrees]
        lines.append(f"{found.what}: {found.predicted}: {found.observed}, {words}")
    return "\n".join(lines)


_DRAWERS: dict[str, Callable[[list[CellResult]], str]] = {
    "locality": _time,
    "losses": _losses,
    "confusions": _confusion,
    "crucial": _rivals,
    "extrapolation": _further,
    "architectures": _stacked,
}


def summary(study: Study, cells: list[CellResult]) -> str:
    """How many cells agree with the paper and could have differed, and the verdicts on the theory."""
    compared = [cell for cell in cells if cell.agrees is not None]
    words = Counter(cell.verdict or (_SILENT if cell.accuracy is not None else "not there") for cell in cells)
    verdicts = ", ".join(f"{count} {word}" for word, count in words.most_common())
    legend = "ours (census) / paper / ceiling. " if compared and study.name not in _DRAWERS else ""
    agreement = ""
    if compared:
        able = sum(min(cell.accuracy or 0, cell.cell.paper or 0) < SOLVED for cell in compared)
        agreement = (
            f"{sum(bool(cell.agrees) for cell in compared)} of {len(compared)} cells agree with the paper; "
            f"{able} could differ, in the others both accuracies are at least {SOLVED}. "
        )
    censused = sum(cell.has_census for cell in cells)
    return f"{legend}{agreement}Verdicts on the signature theory ({censused} by census): {verdicts}."
