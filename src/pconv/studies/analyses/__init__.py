"""Questions to the runs as a whole: each is a pure function from runs to an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pconv.store.run import JudgedRun
from pconv.studies.analyses.agreement import agreement, differing_cells
from pconv.studies.analyses.answer import NOT_RUN, Answer, p_conv
from pconv.studies.analyses.beyond import above_the_ceiling
from pconv.studies.analyses.columns import columns
from pconv.studies.analyses.deciding import boundary, crucial, extrapolation, window
from pconv.studies.analyses.diagonal import near_diagonal
from pconv.studies.analyses.hidden_powers import hidden_powers
from pconv.studies.analyses.knowing import kernels, seeds
from pconv.studies.analyses.learning import fastest_kernel, time_over_epochs, time_over_moduli
from pconv.studies.analyses.losses import loss_at_floor, selection_rules
from pconv.studies.analyses.memory import mixed_by_chance, neighbour_memory
from pconv.studies.analyses.patterns import partitions, pattern_over_epochs
from pconv.studies.analyses.plateaus import binary_digits, the_odd_cell

__all__ = ["ANALYSES", "NOT_RUN", "Answer", "answers"]

Analysis = Callable[[Sequence[JudgedRun]], Answer]

_OF_ALL_NETWORKS: tuple[Analysis, ...] = (above_the_ceiling, hidden_powers, binary_digits)
"""Other questions are about the paper's network on the paper's task and grid."""

ANALYSES: tuple[Analysis, ...] = (
    partitions,
    above_the_ceiling,
    loss_at_floor,
    crucial,
    agreement,
    window,
    columns,
    neighbour_memory,
    mixed_by_chance,
    seeds,
    selection_rules,
    pattern_over_epochs,
    near_diagonal,
    kernels,
    the_odd_cell,
    boundary,
    extrapolation,
    hidden_powers,
    binary_digits,
    fastest_kernel,
    time_over_moduli,
    time_over_epochs,
    differing_cells,
)


def answers(runs: Iterable[JudgedRun]) -> list[Answer]:
    """What the runs decide of each question."""
    every = list(runs)
    own = p_conv(every)
    return [ask(every if ask in _OF_ALL_NETWORKS else own) for ask in ANALYSES]
