"""The domain of numbers that a run draws from, and its seeded split into training and test sets."""

from __future__ import annotations

from collections.abc import Sequence
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
"""The best epoch is chosen on 512 numbers outside the training set, as in the paper."""
SELECTION_SIZE = 10_000
"""The epoch that verdicts are based on is selected by the cross-entropy on these many held-out numbers."""


@dataclass(frozen=True)
class Domain:
    """The numbers n in [1, limit) that a run may draw.

    Parameters
    ----------
    limit
        The numbers are below it.
    smooth
        All prime factors of n are among the first `smooth` primes; 0: no such condition.
    lowest_offset
        The lowest offset of the window; every number of the window is positive.

    Examples
    --------
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
    disjoint_test: NDArray[np.bool_]  # (test_size,), whose windows share no number with a training window


def split(config: RunConfig) -> Split:
    """The numbers of a run, fixed by its seed.

    A random order of the domain is cut from both ends, so that a different test size or number of batches
    does not change the other sets. The selection sample is the validation numbers and, as far as there are
    enough, numbers from before the test set. The order comes from the bit
    generator's raw output, which numpy keeps the same in every version, unlike its `permutation`.
    """
    members = Domain.of(config).members
    needed = config.batches * config.batch_size + VALIDATION_SIZE + config.test_size
    if needed > len(members):
        larger = "test_size" if config.test_size > config.batches * config.batch_size else "batches"
        raise InputError(
            larger,
            getattr(config, larger),
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
        disjoint_test=far_from(config.offsets, test, training),
    )


def unseen(config: RunConfig, numbers: Split) -> IntArray:
    """The numbers of the domain that a run was not trained or selected on, ascending."""
    used = np.concatenate([numbers.training.ravel(), numbers.selection])
    return np.setdiff1d(Domain.of(config).members, used, assume_unique=True)


def far_from(offsets: Sequence[int], numbers: IntArray, others: IntArray) -> NDArray[np.bool_]:
    """Which numbers have a window that shares no number with the window of any of the others.

    Parameters
    ----------
    offsets
        The offsets of the window.
    numbers
        The numbers to test.
    others
        The numbers to be far from, in any order.

    Examples
    --------
    >>> far_from((0, 1, 2), np.array([1, 5, 8]), np.array([3, 11])).tolist()
    [False, False, True]
    >>> far_from((0, 2), np.array([1, 4, 8]), np.array([3, 11])).tolist()  # 4, 6 are not among 3, 5, 11, 13
    [False, True, True]
    """
    nearby = np.sort(others)
    far = np.ones(len(numbers), dtype=bool)
    for low, high in _runs_of_differences(offsets):
        left = np.flatnonzero(far)  # with many gaps there are many runs, and soon few numbers
        first = np.searchsorted(nearby, numbers[left] + low, side="left")
        end = np.searchsorted(nearby, numbers[left] + high, side="right")
        far[left] = first == end
    return far


def _runs_of_differences(offsets: Sequence[int]) -> list[tuple[int, int]]:
    """The differences of two offsets, as runs of consecutive numbers: one run if the window has no gaps.

    Two windows share a number iff their own numbers differ by one of these.
    """
    rows = np.array(offsets, dtype=np.int64)
    differences = np.unique(rows[:, None] - rows)
    runs = np.split(differences, np.flatnonzero(np.diff(differences) > 1) + 1)
    return [(int(run[0]), int(run[-1])) for run in runs]
