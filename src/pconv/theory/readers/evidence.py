"""The evidence that a reader uses: numbers of a domain with the same evidence look alike to it.

Evidence is an array with a class for each number of the domain. That of `local` is a function of that of
`size`, and this of that of `any`: each reader sees all that the one before sees.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.data.representations import ColumnContent
from pconv.data.splitting import prime_factors
from pconv.theory import signature
from pconv.theory.prediction import Prediction
from pconv.theory.readers.limit_law import Law, limit_law
from pconv.theory.readers.task_problem import TaskProblem

_ROUNDING = 32  # limit probabilities are rounded to 1/32 where columns are capped
_TIED = 1e-9  # labels whose probabilities differ by less are equally likely
_AT_ONCE = 2**22  # cells of a dense grid


def local_evidence(problem: TaskProblem) -> IntArray:
    """What the columns show of the label, prime by prime.

    For a function that splits over the primes: the state of the visible part of n and, where exponents are
    capped, the limit law of the label given what is shown: which labels are the likeliest, and all
    probabilities, rounded. For others: the signature at the primes of m.

    >>> from pconv.config import RunConfig
    >>> mobius = TaskProblem.of(RunConfig(modulus=3, task="mobius", primes=2, limit=10, offsets=(0, 1)))
    >>> local_evidence(mobius).tolist()  # 1, 5, 7: even; 2, 3: odd; 4, 8, 9: a square; 6: even
    [0, 1, 1, 2, 0, 0, 0, 2, 2]
    """
    if problem.splitting is not None:
        own = own_row(problem)
        return np.asarray(own.evidence[own.part])
    return residue_groups(problem)[problem.numbers % problem.modulus]


def residue_groups(problem: TaskProblem) -> IntArray:
    """The group of each residue modulo m: what the columns of the primes of m show of it."""
    return Prediction("local", problem.problem, signature.parts(problem.problem)).labels


class OwnRow(NamedTuple):
    """What row n shows of a function that splits over the primes."""

    parts: IntArray  # the visible parts that occur, ascending
    part: IntArray  # of each number of the domain: its place in `parts`
    evidence: IntArray  # the local evidence of each part


def own_row(problem: TaskProblem) -> OwnRow:
    """The visible parts of row n, and their local evidence."""
    problem.check_own_row()
    assert problem.splitting is not None, "only functions that split over the primes have visible parts"
    parts, part = np.unique(problem.visible_parts(0), return_inverse=True)
    evidence = problem.splitting.states_of(parts)
    if problem.cap is not None:
        laws = label_laws(problem, parts)
        rounded = np.rint(laws * _ROUNDING).astype(np.int64)
        codes = np.column_stack([evidence, 2 * rounded + likeliest(laws)])
        evidence = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
    return OwnRow(parts, part, evidence)


def label_laws(problem: TaskProblem, parts: IntArray) -> Law:
    """The limit law of the label given each of some visible parts of row n, (parts, labels)."""
    assert problem.splitting is not None, "only functions that split over the primes have visible parts"
    law = limit_law(problem.splitting, len(problem.primes))
    if problem.cap is None:
        return np.asarray(law.labels_given(problem.classes)[problem.splitting.states_of(parts)])
    states = law.given_divisors(prime_factors(parts), len(parts), problem.cap)
    return law.labels_of(states, problem.classes)


def likeliest(laws: Law) -> NDArray[np.bool_]:
    """Which labels have the largest probability, up to rounding, (laws, labels)."""
    return np.asarray(laws >= laws.max(axis=1, keepdims=True) - _TIED)


def grid_evidence(problem: TaskProblem) -> IntArray:
    """The whole grid: numbers have the same evidence iff their grids are identical.

    >>> from pconv.config import RunConfig
    >>> one_row = RunConfig(modulus=2, primes=2, limit=8, offsets=(0,), architecture="mlp")
    >>> grid_evidence(TaskProblem.of(one_row)).tolist()  # 1, 5 and 7 show neither 2 nor 3
    [0, 1, 2, 3, 0, 4, 0]
    """
    return _grid_evidence(problem.without_task(*problem.offsets))


@lru_cache(maxsize=2)  # the same for all tasks and moduli
def _grid_evidence(problem: TaskProblem) -> IntArray:
    if problem.representation.shows is ColumnContent.OTHER:
        return _hashed_grids(problem)
    if problem.representation.shows is not ColumnContent.VALUATIONS:
        return _residues(problem)
    found = np.zeros(len(problem.numbers), dtype=np.int64)
    for offset in problem.offsets:  # rows with one visible part look alike, by unique factorisation
        parts, row = np.unique(problem.visible_parts(offset), return_inverse=True)
        found = np.unique(found * len(parts) + row, return_inverse=True)[1]
    return found


def _residues(problem: TaskProblem) -> IntArray:
    """Residues modulo all primes of the columns determine n modulo their product, N digits n modulo 2^N."""
    digits = problem.representation.shows is ColumnContent.DIGITS
    factors = [2] * problem.columns if digits else problem.primes.tolist()
    product = 1
    for factor in factors:
        product = min(product * factor, problem.domain.limit)  # at the limit it is n itself
    return np.unique(problem.numbers % product, return_inverse=True)[1]


def _hashed_grids(problem: TaskProblem) -> IntArray:
    """Grids of other representations, compared by two random linear hashes of 64 bits."""
    weights: NDArray[np.uint64] = np.random.default_rng(0).integers(
        1, 2**64 - 1, (len(problem.offsets) * problem.columns, 2), dtype=np.uint64, endpoint=True
    )
    size = max(1, _AT_ONCE // len(weights))
    hashes = np.empty((len(problem.numbers), 2), dtype=np.uint64)
    for start in range(0, len(problem.numbers), size):
        some = problem.numbers[start : start + size]
        grids = problem.representation.grid(some, problem.offsets, problem.columns).dense()
        cells = (grids + np.float32(0)).reshape(len(some), -1).view(np.uint32).astype(np.uint64)  # -0 is 0
        hashes[start : start + size] = cells @ weights
    return np.unique(hashes, axis=0, return_inverse=True)[1].ravel()
