"""The board: every method on every network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from torch import nn

from pconv.board.cases import Case, prepare
from pconv.board.entries import Entry
from pconv.board.metrics import WINDOWS
from pconv.board.registry import AttributionMethod
from pconv.board.scoring import CaseScores, MethodFailed, score_method, score_truth
from pconv.board.table import REFERENCE, Board, Row
from pconv.engines.census import Progress
from pconv.errors import InputError


def run_board(
    methods: Sequence[AttributionMethod],
    entries: Sequence[Entry],
    windows: int = WINDOWS,
    on_progress: Progress | None = None,
) -> Board:
    """Score attribution methods on networks whose deciding cells are known by exact search.

    A method that fails on some network is listed as failed; the others are not affected.

    Parameters
    ----------
    methods
        The methods.
    entries
        The networks. Those without any window in which a cell decides are listed, and not scored on.
    windows
        How many windows of each network are explained.
    on_progress
        Called with the number of scores so far and the total, whenever a network has evaluated grids.

    Examples
    --------
    >>> from pconv.board.entries import Entry
    >>> from pconv.board.registry import chosen_methods
    >>> from pconv.compiler.network import compile_network
    >>> networks = [Entry("three", compile_network(3, range(2), primes=4), seed) for seed in (0, 1)]
    >>> board = run_board(chosen_methods(["saliency", "columns-of-m"]), networks, windows=8)
    >>> [(row.name, row.score.value > 0) for row in board.rows]
    [('saliency', True), ('columns-of-m', False)]
    """
    check_windows(windows)
    scores: dict[str, list[CaseScores]] = {method.name: [] for method in methods}
    failed: dict[str, str] = {}
    cases, truths, skipped = list[Case](), list[CaseScores](), list[Entry]()
    count = _Count(len(entries) * len(methods), on_progress)
    for i, entry in enumerate(entries):
        with count.heard(entry.model.network):
            case = prepare(entry, windows)
        if case is None:
            skipped.append(entry)
            continue
        cases.append(case)
        with count.heard(case.network), count.heard(case.twin):
            truths.append(score_truth(case))
            for j, method in enumerate(methods, start=i * len(methods) + 1):
                if method.name not in failed:
                    try:
                        scores[method.name].append(score_method(method, case))
                    except MethodFailed as error:
                        failed[method.name] = f"{error} (network {entry.name})"
                count.set(j)
    if not cases:
        raise InputError("networks", len(entries), "have no window in which a cell decides the answer")
    done = [method for method in methods if method.name not in failed]
    rows = [Row(method.name, method.cheat, scores[method.name], cases) for method in done]
    return Board(windows, cases, rows, Row(REFERENCE, False, truths, cases), failed, skipped)


class _Count:
    """The scores so far. They are reported also while one of them, or a search, takes long."""

    def __init__(self, total: int, on_progress: Progress | None) -> None:
        self.done, self.total, self.on_progress = 0, total, on_progress

    def set(self, done: int) -> None:
        self.done = done
        if self.on_progress:
            self.on_progress(self.done, self.total)

    @contextmanager
    def heard(self, network: nn.Module) -> Iterator[None]:
        """Within it, every evaluation of the network or of a copy reports the count again."""
        hook = network.register_forward_hook(lambda *_: self.set(self.done))
        try:
            yield
        finally:
            hook.remove()


def check_windows(windows: int) -> None:
    """Raise an `InputError` for a number of windows that is out of bounds."""
    if not 1 <= windows <= 1_000:
        raise InputError("windows", windows, "must be from 1 to 1000")
