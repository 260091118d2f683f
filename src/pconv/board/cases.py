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
from pconv.board.truth import Answers, Truth, find_truth
from pconv.config import MAX_NUMBER
from pconv.data.examples import encode
from pconv.errors import PconvError
from pconv.models.registry import network_of
from pconv.models.weights import NOT_FINITE
from pconv.probes.reader import Grids, SignatureReader
from pconv.probes.target import FEWEST, fresh_numbers, logits_of

_TRIED = 2
"""Numbers that are searched for each window that is wanted: in some windows no cell decides."""

_OTHER_RUN = 1_000_003
"""What is added to a seed, so that no twin has the weights that a network of the board started with."""


@dataclass(frozen=True)
class Case:
    """What methods are scored on.

    Parameters
    ----------
    entry
        The network and its seed.
    reader
        The theory's reading of a window.
    numbers
        The numbers of the windows. The network was not trained on them.
    grids
        Their windows. Each has a deciding and an irrelevant cell.
    truth
        What decides the network's answers to them.
    exchange
        The donors, for deletion and insertion.
    tried
        How many numbers were searched for these windows.
    """

    entry: Entry
    reader: SignatureReader
    numbers: IntArray
    grids: Grids
    truth: Truth
    exchange: Exchange
    tried: int

    @property
    def network(self) -> nn.Module:
        return self.entry.model.network

    @cached_property
    def twin(self) -> nn.Module:
        """The same network with the first weights of another run."""
        seed = (self.entry.seed + _OTHER_RUN) % MAX_NUMBER
        return network_of(replace(self.entry.model.config, seed=seed)).eval()

    @cached_property
    def twin_truth(self) -> Truth:
        """What decides the twin's answers to the same windows."""
        return find_truth(self.entry.model.config, answers_of(self.twin), self.grids, self.reader)

    def to_dict(self) -> dict[str, Any]:
        """The network and its truth in figures, as JSON values."""
        config, truth = self.entry.model.config, self.truth
        right = self.reader.labels[truth.answers] == self.reader.read(self.grids)
        both = (truth.deciding & truth.theory).sum()
        return {
            "name": self.entry.name,
            "kind": self.entry.kind,
            "seed": self.entry.seed,
            "modulus": config.modulus,
            "offsets": list(config.offsets),
            "primes": config.primes,
            "windows": len(self.grids),
            "searched": self.tried,
            "right_group": _share(right.sum(), right.size),
            "deciding": float(truth.deciding.sum(axis=(1, 2)).mean()),
            "irrelevant": float(truth.irrelevant.sum(axis=(1, 2)).mean()),
            "cells": self.grids[0].size,
            "absent": _share((truth.deciding & (self.grids == 0)).sum(), truth.deciding.sum()),
            "theory_found": _share(both, truth.theory.sum()),
            "beyond_theory": _share(truth.deciding.sum() - both, truth.deciding.sum()),
        }


def _share(part: Any, whole: Any) -> float | None:
    return float(part / whole) if whole else None


def answers_of(network: nn.Module) -> Answers:
    """The class that a network answers for each grid."""
    logits = logits_of(network)
    return lambda grids: logits(grids).argmax(axis=1)


def prepare(entry: Entry, windows: int) -> Case | None:
    """The case of a network; None if no cell decides in any of the windows that were searched.

    Of the numbers that are searched, the first are taken whose windows have both a deciding and an irrelevant
    cell.
    """
    config, network = entry.model.config, entry.model.network
    reader = SignatureReader(config.modulus, config.offsets, config.primes)
    numbers = fresh_numbers(config, max(FEWEST, _TRIED * windows), entry.seed)
    grids = encode(config, numbers).dense()
    if not np.isfinite(logits_of(network)(grids)).all():
        raise PconvError(f"{entry.name}: {NOT_FINITE}")
    answers = answers_of(network)
    truth = find_truth(config, answers, grids, reader)
    usable = truth.deciding.any(axis=(1, 2)) & truth.irrelevant.any(axis=(1, 2))
    chosen = np.flatnonzero(usable)[:windows]
    if not len(chosen):
        return None
    donors = exchange(answers, reader.labels, grids[chosen], np.random.default_rng(entry.seed))
    tried = len(numbers) if len(chosen) < windows else int(chosen[-1]) + 1
    return Case(entry, reader, numbers[chosen], grids[chosen], truth[chosen], donors, tried)
