"""From the values of a formula to partitions: classes are mixed iff all their values agree.

The values of a class, over all rows and primes that the formula leaves free, are compared by a fingerprint of
64 bits. A partition is written as its leaders: for every class the first class of its group.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.discover.evaluation import ClassFrames, Evaluator, Values
from pconv.discover.formula import Formula
from pconv.discover.frames import Frames

Fingerprints = NDArray[np.uint64]
Leaders = NDArray[np.int16]

_SEED = 20
_PRIME = np.uint64(0x9E3779B97F4A7C15)


def mixed_bits(values: IntArray) -> Fingerprints:
    """A fixed random-looking function of whole numbers: equal numbers have equal images."""
    bits = values.astype(np.uint64) * _PRIME
    bits ^= bits >> np.uint64(29)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(32)
    return bits


def multipliers(count: int) -> Fingerprints:
    """Fixed random odd numbers, by which places of a sequence are told apart."""
    return np.random.default_rng(_SEED).integers(2**63, size=count, dtype=np.uint64) * np.uint64(
        2
    ) + np.uint64(1)


def class_fingerprints(frames: Frames, found: Values) -> Fingerprints:
    """A fingerprint of all values at each base point, (..., base points)."""
    sizes = frames.sizes(found.frame)
    starts = frames.starts(found.frame)
    place = np.arange(int(sizes.sum())) - np.repeat(starts, sizes)
    weighted = mixed_bits(found.values) * multipliers(int(sizes.max()))[place]
    return np.asarray(np.add.reduceat(weighted, starts, axis=-1))


def leaders_of(frames: ClassFrames, fingerprints: Fingerprints) -> Leaders:
    """The first class with the same fingerprint, case by case, (..., base points).

    >>> from pconv.discover.evaluation import WindowCase
    >>> leaders_of(ClassFrames([WindowCase(4, (0,))]), np.array([7, 7, 3, 7], dtype=np.uint64)).tolist()
    [0, 0, 2, 0]
    """
    leaders = np.empty(fingerprints.shape, dtype=np.int16)
    for own in frames.slices:
        part = fingerprints[..., own]
        leaders[..., own] = (part[..., :, None] == part[..., None, :]).argmax(axis=-1)
    return leaders


def partition_of(formula: Formula, evaluator: Evaluator) -> Leaders:
    """The partition of a formula for all cases of the evaluator's frames."""
    assert isinstance(evaluator.frames, ClassFrames)
    return leaders_of(evaluator.frames, class_fingerprints(evaluator.frames, evaluator.values(formula)))
