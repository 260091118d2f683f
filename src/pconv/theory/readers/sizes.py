"""The size reader: how large the visible part of each row is, against the bound of the domain.

A row n+o is below limit + o. So a row whose visible primes have a large product has little room for what is
not shown: hidden primes, and powers of the visible ones where exponents are capped.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.theory.readers.task_problem import TaskProblem

BINS = 64
"""The most steps in which the logarithm of a visible part is measured."""
_NUMBERS_A_STEP = 100  # with fewer numbers of a label in a step, its frequency there would mean little
_CONFIDENCE = 32  # steps of the probability of the likeliest label
_AT_ONCE = 2**22  # scores that are held in memory


def own_size_evidence(problem: TaskProblem, local: IntArray) -> IntArray:
    """The local evidence and the size of the visible part of row n, for functions that depend on it alone."""
    return np.asarray(np.unique(local * BINS + _steps(problem, 0, BINS), return_inverse=True)[1])


def size_evidence(problem: TaskProblem, local: IntArray, grid: IntArray) -> IntArray:
    """The local evidence and, beyond it, what the sizes of the visible parts say about the label.

    That is the likeliest label and its probability in steps, by the frequencies of the sizes of each row on
    the domain, the rows taken as independent given label and local evidence (naive Bayes).

    Parameters
    ----------
    problem
        The task, the columns and the domain.
    local
        The local evidence of each number.
    grid
        The identity of each number's grid.

    Examples
    --------
    >>> from pconv.config import RunConfig
    >>> four = TaskProblem.of(RunConfig(modulus=4, representation="capped", limit=5_000, primes=8))
    >>> parity, grid = four.numbers % 2, np.arange(len(four.numbers))
    >>> len(np.unique(size_evidence(four, parity, grid)))  # steps of the probability of labels
    34
    """
    _, first = np.unique(grid, return_index=True)
    pairs, pair = np.unique(local * problem.classes + problem.labels, return_inverse=True)
    bins = int(np.clip(len(local) // (_NUMBERS_A_STEP * len(pairs)), 2, BINS))
    steps = np.stack([_steps(problem, offset, bins) for offset in problem.offsets])
    evidence = _likeliest(pairs // problem.classes, pair, steps, bins, local[first], first)
    # Each grid is scored once, so that identical grids cannot differ by rounding.
    return np.asarray(np.unique(evidence[grid], return_inverse=True)[1])


def _steps(problem: TaskProblem, offset: int, bins: int) -> NDArray[np.uint8]:
    """The logarithm of the visible part of a row, in steps up to the bound of the domain."""
    return _steps_of(problem.without_task(offset), bins)


@lru_cache(maxsize=40)  # the same for all tasks and moduli; a megabyte each
def _steps_of(row: TaskProblem, bins: int) -> NDArray[np.uint8]:
    [offset] = row.offsets
    end = row.domain.limit + max(0, offset)
    parts, part = np.unique(row.visible_parts(offset), return_inverse=True)
    shares = np.log(parts) / np.log(end)  # once for each part, so that equal ones cannot differ by rounding
    steps = np.minimum(shares * bins, bins - 1).astype(np.uint8)[part]
    steps.flags.writeable = False  # it is shared
    return np.asarray(steps)


def _likeliest(
    class_of_pair: IntArray,
    pair: IntArray,
    steps: NDArray[np.uint8],
    bins: int,
    local: IntArray,
    scored: IntArray,
) -> IntArray:
    """The local class, the likeliest label and its probability, for the scored numbers, as one code.

    A pair is a local class with one of its labels. Pairs of one class are next to each other.
    """
    prior = np.log(np.bincount(pair))
    likelihood = np.stack([_log_frequencies(pair * bins + row, len(prior), bins) for row in steps])
    begins = np.searchsorted(class_of_pair, local)
    ends = np.searchsorted(class_of_pair, local, side="right")
    evidence = begins * (_CONFIDENCE + 1)  # of a class with one label: the label is known
    for begin in np.unique(begins[ends - begins > 1]).tolist():
        end = int(np.searchsorted(class_of_pair, class_of_pair[begin], side="right"))
        members = np.flatnonzero(begins == begin)
        for some in np.array_split(members, len(members) * (end - begin) // _AT_ONCE + 1):
            score = np.repeat(prior[None, begin:end], len(some), axis=0)
            for row, shown in zip(likelihood, steps[:, scored[some]], strict=True):
                score += row[begin:end, shown].T
            score -= score.max(axis=1, keepdims=True)
            confidence = 1 / np.exp(score).sum(axis=1)
            answer = begin + score.argmax(axis=1)
            evidence[some] = answer * (_CONFIDENCE + 1) + (confidence * _CONFIDENCE).astype(np.int64)
    return np.asarray(evidence)


def _log_frequencies(codes: IntArray, pairs: int, bins: int) -> NDArray[np.float64]:
    """The logarithm of the frequency of each step given the pair, (pairs, bins)."""
    counts = 1.0 + np.bincount(codes, minlength=pairs * bins).reshape(pairs, bins)
    return np.asarray(np.log(counts / counts.sum(axis=1, keepdims=True)))
