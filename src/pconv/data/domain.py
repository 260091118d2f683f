"""The domain: which numbers may be drawn, and the seeded draws from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.primes import first_primes, primes_below
from pconv.errors import InputError

VALIDATION_SIZE = 512
"""As in the paper: the best epoch is chosen on 512 numbers outside the training set."""
SELECTION_SIZE = 10_000
"""Held-out numbers whose cross-entropy selects the epoch that verdicts rest on."""


@dataclass(frozen=True)
class Domain:
    """The n in [1, limit) with every number of the window positive and all prime factors of n
    among the first `smooth` primes (0: no such condition).

    >>> Domain(limit=20, smooth=2).members.tolist()
    [1, 2, 3, 4, 6, 8, 9, 12, 16, 18]
    """

    limit: int = 1_000_000
    smooth: int = 5_000
    lowest_offset: int = 0

    @classmethod
    def of(cls, config: RunConfig) -> Self:
        """The domain that a run draws from."""
        return cls(config.limit, config.smooth, min(0, config.offsets[0]))

    @property
    def members(self) -> IntArray:
        """The numbers of the domain, ascending."""
        return _members(self.limit, self.smooth, self.lowest_offset)

    @property
    def size(self) -> int:
        return len(self.members)

    def class_counts(self, modulus: int) -> IntArray:
        """How many numbers of the domain fall into each class modulo m.

        >>> Domain(limit=10, smooth=0).class_counts(4).tolist()
        [2, 3, 2, 2]
        """
        return _class_counts(self, modulus)


@lru_cache(maxsize=128)  # the ceilings of all windows share them
def _class_counts(domain: Domain, modulus: int) -> IntArray:
    counts = np.bincount(domain.members % modulus, minlength=modulus)
    counts.flags.writeable = False
    return counts


@lru_cache(maxsize=8)
def _members(limit: int, smooth: int, lowest_offset: int) -> IntArray:
    allowed = np.ones(limit, dtype=bool)
    allowed[: 1 - min(0, lowest_offset)] = False
    if smooth:
        greatest = int(first_primes(smooth)[-1])
        large = primes_below(limit)
        large = large[large > greatest]
        # n is excluded iff n = c * q for a prime q past the last allowed one. Small q step through their
        # multiples; large q have few cofactors c, and one c serves all of them at once.
        root = isqrt(limit)
        for q in large[large <= root].tolist():
            allowed[q::q] = False
        large = large[large > root]
        for c in range(1, limit // max(greatest, root) + 1):
            products = c * large
            allowed[products[products < limit]] = False
    members = np.flatnonzero(allowed)
    members.setflags(write=False)
    return members


@dataclass(frozen=True)
class Split:
    """Disjoint numbers for one run. Batches are drawn once and keep their order in every epoch."""

    training: IntArray  # (batches, batch_size)
    validation: IntArray  # (512,)
    selection: IntArray  # up to 10,000 held-out numbers, the 512 among them
    test: IntArray  # (test_size,), no choice is ever made on it
    disjoint_test: NDArray[
        np.bool_
    ]  # (test_size,), which test windows share no number with a training window


def split(config: RunConfig) -> Split:
    """The numbers of a run, fixed by its seed.

    A random order of the domain is cut up from both ends, so that another test size or another number of
    batches leaves the training, validation and test numbers as they are. The selection sample is the
    validation numbers and those before the test set, as many as there are. The order comes from the bit
    generator's raw output, which numpy keeps the same in every version, unlike its `permutation`.
    """
    members = Domain.of(config).members
    needed = config.batches * config.batch_size + VALIDATION_SIZE + config.test_size
    if needed > len(members):
        raise InputError(
            "test_size",
            config.test_size,
            f"{config.batches} batches of {config.batch_size} + {VALIDATION_SIZE} for validation + "
            f"the test set need {needed:,} numbers, and the domain has {len(members):,}",
        )
    keys = np.random.PCG64(config.seed).random_raw(len(members))
    order = members[np.argsort(keys, kind="stable")]
    training, unused = np.split(
        order[: -VALIDATION_SIZE - config.test_size], [config.batches * config.batch_size]
    )
    test, validation = np.split(order[-VALIDATION_SIZE - config.test_size :], [config.test_size])
    return Split(
        training=training.reshape(config.batches, config.batch_size),
        validation=validation,
        selection=np.concatenate([validation, unused[VALIDATION_SIZE - SELECTION_SIZE :]]),
        test=test,
        disjoint_test=far_from(config.offsets[-1] - config.offsets[0], test, training),
    )


def unseen(config: RunConfig, numbers: Split) -> IntArray:
    """The numbers of the domain that a run was not trained or selected on, ascending."""
    used = np.concatenate([numbers.training.ravel(), numbers.selection])
    return np.setdiff1d(Domain.of(config).members, used, assume_unique=True)


def far_from(distance: int, numbers: IntArray, others: IntArray) -> NDArray[np.bool_]:
    """Which numbers have none of the others within the distance.

    >>> far_from(2, np.array([1, 5, 8]), np.array([3, 11])).tolist()
    [False, False, True]
    """
    nearby = np.sort(others)
    first = np.searchsorted(nearby, numbers - distance, side="left")
    end = np.searchsorted(nearby, numbers + distance, side="right")
    return np.asarray(first == end)
