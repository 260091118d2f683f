"""A network with its windows, their truth and donors, and its random twin: all that scores need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from torch import nn

from pconv._arrays import IntArray
from pconv.board.entries import Entry
from pconv.board.perturbation import Exchange, exchange
from pconv.board.truth import Mask, Truth, find_truth, joined
from pconv.errors import InputError, PconvError
from pconv.probes.reader import Grids, SignatureReader
from pconv.probes.target import FEWEST, ProbeTarget, logits_of, randomised, target_of, unused_numbers

_TRIED = 2
"""The most numbers that are searched for each window that is wanted: in some windows no cell decides."""


@dataclass(frozen=True)
class Case:
    """What methods are scored on.

    Parameters
    ----------
    entry
        The network and its seed.
    target
        The network as a function on grids, and the theory's reading of them.
    numbers
        The numbers of the windows. The network was not trained on them.
    grids
        Their windows. Each has a deciding and an irrelevant cell.
    truth
        What decides the network's answers to them.
    exchange
        The donors, for deletion and insertion.
    searched
        How many numbers were searched for these windows.
    """

    entry: Entry
    target: ProbeTarget
    numbers: IntArray
    grids: Grids
    truth: Truth
    exchange: Exchange
    searched: int

    @property
    def network(self) -> nn.Module:
        return self.entry.model.network

    @property
    def reader(self) -> SignatureReader:
        """The theory's reading of a window."""
        return self.target.reader

    @cached_property
    def twin(self) -> nn.Module:
        """The same network with random weights, those that a run with another seed starts with."""
        return randomised(self.network, self.entry.seed).eval()

    @cached_property
    def twin_truth(self) -> Truth:
        """What decides the twin's answers to the same windows."""
        target = replace(self.target, logits=logits_of(self.twin), network=self.twin)
        return find_truth(self.entry.model.config, target.answers, self.grids, self.reader)

    def to_dict(self) -> dict[str, Any]:
        """The network and its truth in figures, as JSON values."""
        config, truth = self.entry.model.config, self.truth
        right = self.reader.labels[truth.answers] == self.reader.read(self.grids)
        both = (truth.deciding & truth.theory).sum()
        in_columns_of_m = truth.deciding[:, :, self.reader.columns].sum()
        return {
            "name": self.entry.name,
            "kind": self.entry.kind,
            "seed": self.entry.seed,
            "modulus": config.modulus,
            "offsets": list(config.offsets),
            "primes": config.primes,
            "windows": len(self.grids),
            "searched": self.searched,
            "right_group": _share(right.sum(), right.size),
            "deciding": float(truth.deciding.sum(axis=(1, 2)).mean()),
            "irrelevant": float(truth.irrelevant.sum(axis=(1, 2)).mean()),
            "cells": self.grids[0].size,
            "absent": _share((truth.deciding & (self.grids == 0)).sum(), truth.deciding.sum()),
            "theory_found": _share(both, truth.theory.sum()),
            "beyond_theory": _share(truth.deciding.sum() - both, truth.deciding.sum()),
            "other_columns": _share(truth.deciding.sum() - in_columns_of_m, truth.deciding.sum()),
        }


def _share(part: Any, whole: Any) -> float | None:
    return float(part / whole) if whole else None


def prepare(entry: Entry, windows: int) -> Case | None:
    """The case of a network; None if no cell decides in any of the windows that were searched.

    Numbers are searched in their random order until enough windows have both a deciding and an irrelevant
    cell.
    """
    target = _target(entry, windows)
    pieces, usable = list[Truth](), np.array([], dtype=bool)
    while (missing := windows - usable.sum()) and len(usable) < len(target.numbers):
        piece = target.windows(target.numbers[len(usable) : len(usable) + missing])
        pieces.append(find_truth(entry.model.config, target.answers, piece, target.reader))
        usable = np.append(usable, _both_kinds(pieces[-1]))
    chosen = np.flatnonzero(usable)
    if not len(chosen):
        return None
    numbers = target.numbers[chosen]
    grids = target.windows(numbers)
    donors = exchange(target.answers, target.reader.labels, grids, np.random.default_rng(entry.seed))
    return Case(entry, target, numbers, grids, joined(pieces)[chosen], donors, len(usable))


def _target(entry: Entry, windows: int) -> ProbeTarget:
    """The network with as many numbers as may be searched."""
    needed = max(FEWEST, _TRIED * windows)
    try:
        return target_of(entry.model, needed, entry.seed)
    except InputError:
        count = len(unused_numbers(entry.model.config))
        few = f"{entry.name} has only {count:,} numbers not trained on, and {needed:,} are needed"
        raise InputError("windows", windows, few) from None
    except PconvError as error:
        raise PconvError(f"{entry.name}: {error}") from None


def _both_kinds(truth: Truth) -> Mask:
    """The windows in which there are deciding and irrelevant cells."""
    return np.asarray(truth.deciding.any(axis=(1, 2)) & truth.irrelevant.any(axis=(1, 2)))
