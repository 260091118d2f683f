"""Questions to the runs as a whole: each is a pure function from runs to an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pconv.lab.questions.answer import NOT_RUN, Answer, p_conv
from pconv.lab.questions.deciding import boundary, crucial, extrapolation, window
from pconv.lab.questions.knowing import above_the_ceiling, columns, kernels, seeds, the_odd_cell
from pconv.lab.questions.learning import fastest_kernel, longer, time_over_epochs, time_over_moduli
from pconv.lab.source import Run

__all__ = ["NOT_RUN", "QUESTIONS", "Answer", "answers"]

QUESTIONS: tuple[Callable[[Sequence[Run]], Answer], ...] = (
    columns,
    kernels,
    the_odd_cell,
    seeds,
    above_the_ceiling,
    time_over_moduli,
    time_over_epochs,
    longer,
    fastest_kernel,
    extrapolation,
    crucial,
    boundary,
    window,
)


def answers(runs: Iterable[Run]) -> list[Answer]:
    """What the runs of the paper's network say to each question."""
    own = p_conv(runs)
    return [ask(own) for ask in QUESTIONS]
