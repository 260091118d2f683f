"""The known truth of the board: the cells of a grid that decide a network's answer, by exact search.

Every cell is changed to every exponent that its prime has in the domain, one cell at a time, and the network
is asked. A change is *possible* if the changed grid is still the window of some positive integer. The answer
*leaves its group* if it becomes a class that the theory distinguishes from the one before.

- A cell is **deciding** if some possible change of it makes the answer leave its group. If the exponent there
  is zero, it is evidence by absence.
- A cell is **irrelevant** if no change of it, possible or not, changes the answer at all.
- Other cells are **left out** of all scores: only changes within a group, or to grids that no integer has,
  change the answer there, and whether that makes the cell evidence is a matter of definition.

This is about the network, whether its answer is right or wrong. The theory's own deciding cells are those of
which some possible change changes the group of the signature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.board.windows import highest_exponents, possible_exponents
from pconv.config import RunConfig
from pconv.probes.reader import Grids, SignatureReader

Mask = NDArray[np.bool_]
"""A truth value for each cell of each window: (windows, rows, columns)."""

Answers = Callable[[Grids], IntArray]
"""The class that a network answers for each grid."""


@dataclass(frozen=True)
class Truth:
    """What decides the answers of one network to some windows.

    Parameters
    ----------
    answers
        The network's class for each window.
    deciding
        The cells of which some possible change makes the answer leave its group.
    irrelevant
        The cells of which no change changes the answer.
    theory
        The cells that are deciding by the theory.
    """

    answers: IntArray
    deciding: Mask
    irrelevant: Mask
    theory: Mask

    def __getitem__(self, windows: IntArray) -> Self:
        """The truth of some of the windows, by their indices."""
        return type(self)(
            self.answers[windows], self.deciding[windows], self.irrelevant[windows], self.theory[windows]
        )


def joined(parts: Sequence[Truth]) -> Truth:
    """The truth of the windows of all parts, in their order."""
    return Truth(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Truth)))


@dataclass(frozen=True)
class _Changes:
    """All changes of one cell to one exponent: cell by cell, all exponents of a cell in a row."""

    rows: IntArray
    columns: IntArray
    exponents: IntArray
    starts: IntArray  # the first change of each cell

    @classmethod
    def of(cls, rows: int, highest: tuple[int, ...]) -> Self:
        counts = np.tile(np.array(highest) + 1, rows)
        starts = np.cumsum(counts) - counts
        cells = np.repeat(np.arange(len(counts)), counts)
        exponents = np.arange(counts.sum()) - starts[cells]
        return cls(cells // len(highest), cells % len(highest), exponents, starts)

    def of_grid(self, grid: Grids) -> Grids:
        """The grid with each of the changes."""
        changed = np.repeat(grid[None], len(self.rows), axis=0)
        changed[np.arange(len(self.rows)), self.rows, self.columns] = self.exponents
        return changed

    def by_cell(self, happens: Mask) -> Mask:
        """Whether something happens at some change of a cell."""
        return np.logical_or.reduceat(happens, self.starts)


def find_truth(config: RunConfig, answers: Answers, grids: Grids, reader: SignatureReader) -> Truth:
    """The cells that decide a network's answers, found by asking it about every change of one exponent.

    Parameters
    ----------
    config
        The network's configuration: the window, and the domain with its exponents.
    answers
        The network.
    grids
        The windows.
    reader
        The theory's reading of a window.

    Examples
    --------
    A network that reads the signature itself. With n = 8 the row n + 1 is a multiple of 3, which decides:

    >>> from pconv.data.examples import encode
    >>> config = RunConfig(modulus=3, offsets=range(2), primes=4, limit=100)
    >>> reader = SignatureReader(3, config.offsets, 4)
    >>> truth = find_truth(config, reader.read, encode(config, [8]).dense(), reader)
    >>> np.argwhere(truth.deciding[0]).tolist()
    [[1, 1]]
    """
    found = list(_searched(config, answers, grids, reader))
    deciding, irrelevant, theory = (
        np.array(masks, dtype=bool).reshape(grids.shape) for masks in zip(*found, strict=True)
    )
    return Truth(answers(grids), deciding, irrelevant, theory)


def _searched(
    config: RunConfig, answers: Answers, grids: Grids, reader: SignatureReader
) -> Iterator[tuple[Mask, Mask, Mask]]:
    highest = highest_exponents(config)
    changes = _Changes.of(config.rows, highest)
    for grid, before in zip(grids, answers(grids), strict=True):
        changed = changes.of_grid(grid)
        after = answers(changed)
        possible = _possible(reader, grid, highest)
        leaves = reader.labels[after] != reader.labels[before]
        moves = reader.read(changed) != reader.read(grid[None])
        yield (
            changes.by_cell(possible & leaves),
            ~changes.by_cell(after != before),
            changes.by_cell(possible & moves),
        )


def _possible(reader: SignatureReader, grid: Grids, highest: tuple[int, ...]) -> Mask:
    """For each change of a grid, whether the result is the window of some integer."""
    columns = [
        possible_exponents(int(prime), reader.problem.offsets, tuple(map(int, column)), most)
        for prime, column, most in zip(reader.primes, grid.T, highest, strict=True)
    ]
    return np.concatenate([column[row] for row in range(len(grid)) for column in columns]).astype(bool)
