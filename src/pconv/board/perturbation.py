"""What the cells that a method ranks first do to the answer: deletion and insertion.

Both exchange cells with those of a *donor*, the window of another number that the network answers with
another group. So absent factors can be deleted, too, which replacing exponents by zero cannot do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pconv._arrays import IntArray
from pconv.board.localisation import Values
from pconv.board.truth import Answers, Mask
from pconv.probes.reader import Grids


@dataclass(frozen=True)
class Exchange:
    """Windows with their donors, and what is needed to see whether an answer leaves its group.

    Parameters
    ----------
    answers
        The network.
    labels
        The group of each class.
    grids
        The windows.
    donors
        For each window the index of its donor; -1 if there is none.
    ties
        A random number for each cell, in the order of which cells of equal size are exchanged.
    """

    answers: Answers
    labels: IntArray
    grids: Grids
    donors: IntArray
    ties: Values

    def scores(self, sizes: Values) -> dict[str, Values]:
        """Two scores for each window, each from 0 to 1; nan for a window without a donor.

        - deletion: the share of k, from 1 to all cells but one, for which the answer leaves its group when
          the first k cells are those of the donor;
        - insertion: the share of k for which the donor with the first k cells of the window is answered with
          the window's group.
        """
        count, rows, columns = sizes.shape
        places = _places(sizes.reshape(count, -1), self.ties).reshape(sizes.shape)
        groups = self.labels[self.answers(self.grids)]
        others = self.grids[self.donors]
        deleted, inserted = np.zeros((2, count))
        steps = range(1, rows * columns)
        for k in steps:
            first = places < k
            deleted += self._groups(first, others, self.grids) != groups
            inserted += self._groups(first, self.grids, others) == groups
        has_donor = self.donors >= 0
        scores = {"deletion": deleted / len(steps), "insertion": inserted / len(steps)}
        return {name: np.where(has_donor, values, np.nan) for name, values in scores.items()}

    def _groups(self, chosen: Mask, inside: Grids, outside: Grids) -> IntArray:
        return self.labels[self.answers(np.where(chosen, inside, outside))]


def _places(sizes: Values, ties: Values) -> IntArray:
    """The place of each cell in the order of decreasing sizes."""
    order = np.lexsort((ties, -sizes), axis=1)
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), axis=1)
    return places


def exchange(answers: Answers, labels: IntArray, grids: Grids, generator: np.random.Generator) -> Exchange:
    """Choose a donor for each window, at random among the windows that are answered with another group.

    Parameters
    ----------
    answers
        The network.
    labels
        The group of each class.
    grids
        The windows.
    generator
        Chooses donors, and the order of cells of equal size.
    """
    groups = labels[answers(grids)]
    donors = np.full(len(grids), -1)
    for i, group in enumerate(groups):
        others = np.flatnonzero(groups != group)
        if len(others):
            donors[i] = generator.choice(others)
    return Exchange(answers, labels, grids, donors, generator.random((len(grids), grids[0].size)))
