"""The target of probes: a network as a function from windows to logits, and numbers it was not trained on."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pconv._arrays import IntArray
from pconv.config import MAX_NUMBER, RunConfig
from pconv.data.domain import Domain, split
from pconv.data.grid import prime_grid
from pconv.errors import InputError, PconvError
from pconv.models.seeding import seeded
from pconv.models.weights import NOT_FINITE, Model
from pconv.probes.reader import Grids, SignatureReader

_CELLS_AT_ONCE = 2**21
"""Windows are evaluated in batches of this many grid cells."""

_CELLS_AT_MOST = 2**26
"""256 MB of windows."""

Logits = Callable[[Grids], NDArray[np.float32]]
NUMBERS = 20_000
FEWEST = 100


@dataclass(frozen=True)
class ProbeTarget:
    """A network to be probed. Most probes use `logits` alone; some read the layers of `network`."""

    reader: SignatureReader
    logits: Logits
    numbers: IntArray
    network: nn.Module | None = None
    seed: int = 0
    _cache: dict[int, Grids] = field(default_factory=dict, repr=False, compare=False)

    @property
    def offsets(self) -> tuple[int, ...]:
        return self.reader.problem.offsets

    def grids(self, count: int) -> Grids:
        """The windows of the first numbers, not to be written to."""
        count = min(count, len(self.numbers))
        if count not in self._cache:
            self._cache[count] = self.windows(self.numbers[:count])
        return self._cache[count]

    def windows(self, numbers: IntArray) -> Grids:
        """The grids of any numbers."""
        grids = prime_grid(numbers, self.offsets, len(self.reader.primes)).dense()
        grids.setflags(write=False)
        return grids

    def answers(self, grids: Grids) -> IntArray:
        """The network's class for each window."""
        piece = max(1, _CELLS_AT_ONCE // (grids.shape[1] * grids.shape[2]))
        parts = [self.logits(grids[i : i + piece]).argmax(axis=1) for i in range(0, len(grids), piece)]
        return np.concatenate(parts)

    def answered_groups(self, grids: Grids) -> IntArray:
        """The group of the network's class for each window."""
        return self.reader.labels[self.answers(grids)]

    def random(self) -> np.random.Generator:
        """A new random generator, the same for every probe, so that probes do not depend on each other."""
        return np.random.default_rng(self.seed)


def target_of(model: Model, numbers: int | None = None, seed: int = 0) -> ProbeTarget:
    """The target of a trained network, with numbers of its domain outside its training and validation sets.

    Parameters
    ----------
    model
        The network and its configuration.
    numbers
        How many numbers; by default as many as fit in memory, at most 20,000.
    seed
        The seed of the sample of numbers.
    """
    config = model.config
    if not 0 <= seed <= MAX_NUMBER:
        raise InputError("seed", seed, f"must be from 0 to {MAX_NUMBER}")
    if numbers is None:
        numbers = max(FEWEST, min(NUMBERS, _CELLS_AT_MOST // (config.rows * config.primes)))
    target = ProbeTarget(
        SignatureReader(config.modulus, config.offsets, config.primes),
        logits_of(model.network),
        fresh_numbers(config, numbers, seed),
        model.network,
        seed,
    )
    if not np.isfinite(target.logits(target.windows(target.numbers[:FEWEST]))).all():
        raise PconvError(NOT_FINITE)
    return target


def logits_of(network: nn.Module) -> Logits:
    """A torch network as a function on arrays."""

    @torch.no_grad()
    def logits(grids: Grids) -> NDArray[np.float32]:
        # torch wants arrays it may write to, which ours are not
        return np.asarray(network(torch.from_numpy(np.array(grids))).numpy())

    return logits


def randomised(network: nn.Module, seed: int) -> nn.Module:
    """The same network with weights drawn at random, as before training."""
    blank = copy.deepcopy(network)
    with seeded(seed + 1_000_003):
        for module in blank.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                module.reset_parameters()
    return blank


def unused_numbers(config: RunConfig) -> IntArray:
    """All numbers of the run's domain outside its training and validation sets."""
    drawn = split(config)
    used = np.concatenate([drawn.training.ravel(), drawn.validation])
    return np.setdiff1d(Domain.of(config).members, used)


def fresh_numbers(config: RunConfig, count: int, seed: int) -> IntArray:
    """Numbers of the run's domain outside its training and validation sets, in random order.

    Parameters
    ----------
    config
        The run's configuration.
    count
        How many numbers.
    seed
        The seed of the order.
    """
    fresh = unused_numbers(config)
    if not FEWEST <= count <= len(fresh):
        allowed = f"must be from {FEWEST} to {len(fresh):,}, the numbers not trained on"
        raise InputError("numbers", count, allowed)
    return np.random.default_rng(seed).permutation(fresh)[:count]
