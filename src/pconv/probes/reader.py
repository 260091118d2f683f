"""What the theory reads from a window, changed or not: the classes with its signature."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.data.primes import first_primes
from pconv.theory import Prediction, Problem, predict

Grids = NDArray[np.float32]
"""Windows as input of a network: (count, rows, columns)."""

NO_CLASS = -1
"""The reading of a window that has the signature of no class, such as no training window."""


class SignatureReader:
    """Classifies windows by their signature at the primes of m alone.

    Every prediction about an altered window is this reading of it. It rests on one hypothesis: that the
    network, too, reads the signature and nothing else.

    >>> reader = SignatureReader(11, range(9), 32)
    >>> untouched = reader.signatures[[3]]
    >>> hidden = untouched.copy()
    >>> hidden[:, 8] = 0  # the row n+8, the only multiple of 11
    >>> reader.in_words(reader.read_evidence(untouched)[0]), reader.in_words(reader.read_evidence(hidden)[0])
    ('3', '{1, 2}')
    """

    def __init__(self, modulus: int, offsets: tuple[int, ...] | range, columns: int) -> None:
        self.problem = Problem(modulus, offsets, columns)
        self.prediction: Prediction = predict(modulus, offsets, primes=columns)
        self.primes: IntArray = first_primes(columns)
        seen = [(factor, self.problem.levels(factor)) for factor in self.problem.factors]
        self.factors = tuple(factor for factor, levels in seen if levels)
        """The prime powers of m whose primes are among the columns."""
        self.columns: IntArray = np.searchsorted(self.primes, [factor.prime for factor in self.factors])

    @property
    def labels(self) -> IntArray:
        """The group of each class."""
        return self.prediction.labels

    @cached_property
    def signatures(self) -> NDArray[np.uint8]:
        """min(v_p(c + o), a) for every class c, row o and prime power p^a: (m, rows, prime powers)."""
        numbers = np.arange(self.problem.modulus)[:, None] + np.array(self.problem.offsets)
        found = np.zeros((*numbers.shape, len(self.factors)), dtype=np.uint8)
        for j, (prime, exponent) in enumerate(self.factors):
            for level in range(1, exponent + 1):
                found[:, :, j] += numbers % prime**level == 0
        return found

    def evidence(self, grids: Grids) -> NDArray[np.uint8]:
        """The exponents at the primes of m, cut at those of m: (count, rows, prime powers)."""
        caps = np.array([factor.exponent for factor in self.factors], dtype=np.float32)
        return np.minimum(grids[:, :, self.columns], caps).astype(np.uint8)

    def read(self, grids: Grids) -> IntArray:
        """The group of classes whose signature each window shows, or NO_CLASS."""
        return self.read_evidence(self.evidence(grids))

    def read_evidence(self, evidence: NDArray[np.uint8]) -> IntArray:
        if not self.factors:  # no prime of m has a column: all classes are one group
            return np.zeros(len(evidence), dtype=np.int64)
        keys, classes = self._index
        wanted = _keys(evidence)
        found = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        return np.where(keys[found] == wanted, self.labels[classes[found]], NO_CLASS)

    @cached_property
    def _index(self) -> tuple[NDArray[np.bytes_], IntArray]:
        keys, classes = np.unique(_keys(self.signatures), return_index=True)
        return keys, classes

    def representative(self, labels: IntArray) -> IntArray:
        """The least class of each group."""
        return np.unique(self.labels, return_index=True)[1][labels]

    def in_words(self, label: int) -> str:
        """A group as text: 3, or {1, 2}."""
        classes = np.flatnonzero(self.labels == label).tolist()
        shown = ", ".join(map(str, classes[:6])) + (", .." if len(classes) > 6 else "")
        return shown if len(classes) == 1 else f"{{{shown}}}"


def _keys(evidence: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """One comparable key for each window; keys have one length, so the zeros numpy strips do no harm."""
    flat = np.ascontiguousarray(evidence).reshape(len(evidence), -1)
    return flat.view(f"S{flat.shape[1]}").ravel()
