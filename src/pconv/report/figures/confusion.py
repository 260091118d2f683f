"""A confusion matrix in the colours of the predicted pattern: as predicted, or with a run's answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from pconv.config import DEFAULT_THEORY, MAX_CLASSES
from pconv.config_args import parse_window
from pconv.errors import InputError
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.report.figures.options import RUN_HELP, Option
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.figures.style import legend_below
from pconv.report.load import one_run
from pconv.report.names import run_title, window_name
from pconv.report.palette import BLOCKS, GREY, LEAK, MEANINGS, NO_THEORY, tint
from pconv.result import Evaluation, Matrix, RunResult
from pconv.store.run import JudgedRun
from pconv.theory import BasePrediction, Prediction, predict, theories
from pconv.theory.blocks import Kind, pattern_kinds
from pconv.theory.crucial import differing_classes

APART = "apart"
"""The kind of a mixed class that the signature theory mixes with fewer classes than the paper's pattern."""
FREE = "free"
"""The kind of every class where no theory applies."""
LARGE = 64
"""With more classes than this the cells are drawn as one image, without counts."""
RGB = tuple[float, float, float]
CELL = 0.27
"""Inches per class: numbers of four digits stay readable."""


@dataclass(frozen=True)
class ConfusionFigure:
    """A predicted confusion pattern; with a run, `counts[i][j]` numbers of class i were classified as j."""

    title: str
    kinds: tuple[str, ...]  # of each class
    labels: tuple[int, ...]  # the predicted group of each class
    counts: Matrix | None = None

    @property
    def modulus(self) -> int:
        return len(self.labels)

    def free(self, i: int, j: int) -> bool:
        """Whether the prediction allows that class i is classified as j."""
        return self.labels[i] == self.labels[j]


def confusion_figure(
    prediction: BasePrediction, evaluation: Evaluation | None = None, title: str | None = None
) -> ConfusionFigure:
    """The record of a predicted pattern.

    Parameters
    ----------
    prediction
        The prediction of a theory.
    evaluation
        The answers of a run; the pattern alone if not given.
    title
        The title; modulus and window if not given.

    Examples
    --------
    >>> confusion_figure(predict(11, range(9))).title
    '$m=11$, $B=8$'
    """
    problem = prediction.problem
    return ConfusionFigure(
        title or f"$m={problem.modulus}$, {window_name(problem.offsets)}",
        block_kinds(prediction),
        tuple(prediction.labels.tolist()),
        evaluation.confusion if evaluation else None,
    )


def block_kinds(prediction: BasePrediction) -> tuple[str, ...]:
    """The kind of each class, which decides its colour.

    A mixed class is `APART` if the signature theory mixes it with fewer classes than the paper's pattern.

    >>> from pconv.theory import predict
    >>> kinds = block_kinds(predict(16, range(3)))
    >>> [c for c in range(16) if kinds[c] == "mixed"], [c for c in range(16) if kinds[c] == APART]
    ([1, 5, 9, 13], [2, 3, 4, 10, 11, 12])
    """
    kinds = [str(kind) for kind in pattern_kinds(prediction)]
    if not isinstance(prediction, Prediction):
        return tuple(kinds)
    paper = theories()["paper"].predict(prediction.problem)
    if paper is not None and prediction.theory == DEFAULT_THEORY:
        for c in differing_classes(prediction, paper):
            kinds[c] = APART if kinds[c] == Kind.MIXED else kinds[c]
    return tuple(kinds)


@dataclass(frozen=True)
class AnswerSet:
    """A set of numbers that a run's network classified, and its answers."""

    numbers: str  # which ones, as text
    epoch: int  # of the weights; 0: not known
    answers: Evaluation


def answer_sets(result: RunResult) -> tuple[AnswerSet, ...]:
    """The evaluations of a run: first the one that verdicts are based on, then the test numbers by epoch.

    Verdicts are based on the census, or on the test numbers where there is none.
    """
    numbers = f"{result.test.size:,} test numbers"
    test = AnswerSet(numbers, result.best_epoch, result.test)
    kept = [AnswerSet(numbers, s.epoch, s.test) for s in result.snapshots if s.epoch != result.best_epoch]
    census = result.census
    if census is None:
        return (replace(test, numbers=f"{numbers}, no census"), *sorted(kept, key=_epoch))
    return (AnswerSet(census.scope, census.epoch, census.answers), *sorted([test, *kept], key=_epoch))


def _epoch(answered: AnswerSet) -> int:
    return answered.epoch


def run_confusion(run: JudgedRun) -> ConfusionFigure:
    """The record of a run's answers to all unseen numbers, or to the test numbers if it has no census."""
    config, answered = run.config, answer_sets(run.result)[0]
    title = f"{run_title(config)}\n{answered.numbers}"
    prediction = predict_run(config)
    if isinstance(prediction, NotApplicable):  # every cell is free
        classes = len(answered.answers.confusion)
        return ConfusionFigure(title, (FREE,) * classes, (0,) * classes, answered.answers.confusion)
    return confusion_figure(prediction, answered.answers, title)


def from_options(
    run: Annotated[str | None, Option(RUN_HELP, "RUN", positional=True)] = None,
    modulus: Annotated[int | None, Option("Without a run: the prediction.", "m", ("--modulus", "-m"))] = None,
    successors: int | None = None,
    offsets: str | None = None,
    *,
    store: Path,
) -> ConfusionFigure:
    """A confusion matrix in the paper's colours: of a run, or as predicted."""
    if run is not None:
        return run_confusion(one_run(run, store))
    if modulus is None:
        raise InputError("modulus", "(missing)", "give a modulus, or a run")
    check_classes(modulus)  # before a pattern of modulus x modulus cells is made
    return confusion_figure(predict(modulus, parse_window(successors, offsets)))


def check_classes(count: int) -> None:
    """Raise an error if a matrix of so many classes is too large to be drawn."""
    if count > MAX_CLASSES:
        raise InputError("modulus", count, f"a figure shows at most {MAX_CLASSES} classes")


def draw_confusion(record: ConfusionFigure) -> Figure:
    """Rows are true classes, columns answers; the larger the share of a cell, the stronger its colour."""
    m = record.modulus
    check_classes(m)
    side = max(2.4, CELL * min(m, 32))
    figure = Figure(figsize=(side + 0.6, side + 1.2))
    axes: Any = figure.add_axes(
        (0.4 / (side + 0.6), 0.6 / (side + 1.2), side / (side + 0.6), side / (side + 1.2))
    )
    if m > LARGE:
        _draw_image(axes, record)
    for i in range(m) if m <= LARGE else ():
        _confusion_row(axes, record, i, 72 * side / m)
    axes.set(xlim=(0, m), ylim=(m, 0), title=record.title)
    ticks = range(0, m, 1 if m <= 32 else 4 * -(-m // 128))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks([c + 0.5 for c in ticks], [str(c) for c in ticks])
    axes.tick_params(length=0, labelsize=7, labelcolor=GREY, labeltop=True, labelbottom=False)
    for spine in axes.spines.values():
        spine.set(visible=True, color="#bbbbbb")
    legend_below(axes, legend_patches([record]), columns=2 if m < 20 else 3)
    return figure


def row_colours(record: ConfusionFigure, i: int) -> list[RGB | None]:
    """The colours of a row's cells; None where the prediction allows no answer and there is none.

    The larger the share of the row's answers in a cell, the stronger its colour.
    """
    colour = BLOCKS.get(record.kinds[i], NO_THEORY)
    counts = record.counts[i] if record.counts else None
    total = max(1, sum(counts)) if counts else 1
    shades: list[RGB | None] = []
    for j in range(record.modulus):
        free, count = record.free(i, j), counts[j] if counts else None
        share = 1.0 if count is None else 0.07 + 0.93 * (count / total) ** 0.55 if count else 0.05
        shades.append(tint(colour if free else LEAK, share) if free or count else None)
    return shades


def legend_patches(records: Iterable[ConfusionFigure]) -> list[Patch]:
    """The legend of the colours that occur in these matrices."""
    drawn = tuple(records)
    present = {kind for record in drawn for kind in record.kinds}
    patches = [
        Patch(color=BLOCKS.get(kind, NO_THEORY), label=meaning)
        for kind, meaning in MEANINGS.items()
        if kind in present
    ]
    if any(map(_leaks, drawn)):
        patches.append(Patch(color=tint(LEAK, 0.3), label="outside the prediction"))
    return patches


def _confusion_row(axes: Any, record: ConfusionFigure, i: int, points: float) -> None:
    for j, shade in enumerate(row_colours(record, i)):
        if shade is None:
            continue
        count = record.counts[i][j] if record.counts else None
        axes.add_patch(Rectangle((j + 0.03, i + 0.03), 0.94, 0.94, facecolor=shade, linewidth=0))
        if count and points > 12:
            size = min(8.0, 0.82 * points / (0.5 * len(str(count))))
            axes.text(
                j + 0.5, i + 0.53, str(count), ha="center", va="center", fontsize=size, color=_readable(shade)
            )


def _draw_image(axes: Any, record: ConfusionFigure) -> None:
    """All cells as one image: as many single rectangles would take minutes."""
    m = record.modulus
    image = np.ones((m, m, 3))
    for i in range(m):
        for j, shade in enumerate(row_colours(record, i)):
            if shade is not None:
                image[i, j] = shade
    axes.imshow(image, extent=(0, m, m, 0), interpolation="nearest", aspect="auto")


def _leaks(record: ConfusionFigure) -> bool:
    counts = record.counts or ()
    return any(count and not record.free(i, j) for i, row in enumerate(counts) for j, count in enumerate(row))


def _readable(colour: RGB) -> str:
    red, green, blue = colour
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


FIGURES.add(FigureSpec("confusion", from_options, draw_confusion))
