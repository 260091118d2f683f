"""What a run shows: the classes that its network mixes, from its answers alone.

Two classes are *mixed* when the total variation distance between their answer distributions is at most 1/2,
and *distinguished* when it is larger: from one answer a reader decides between the two correctly in at most,
or in more than, three of four cases. The distance decides, not a test of equality, because with 671,947
numbers every difference is significant. Finitely many answers give bounds on the distance, and a pair is
decided only if both are on one side of 1/2. Both errors are bounded: in one run, the probability that some
mixed pair is called distinguished is at most `LEVEL` / 2, and so is that of the reverse.

A run is set aside if its loss shows that it has not learned what its own answers suggest, or if it has too
few numbers to decide every pair. Neither rule looks at a law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.data.domain import Domain
from pconv.data.tasks import task_named
from pconv.discover.evaluation import WindowCase
from pconv.result import RunResult
from pconv.studies.mixing import HALF, answer_distances, components

LEVEL = 0.01
"""The error probability of one run, over all pairs of classes and both directions."""
LEARNED = 0.9
"""A network has learned if its loss shows this share of the information that its own groups carry."""
NOTHING = 0.05
"""Answers or groups that carry less information, in nats, carry none: the loss is on its first plateau."""
FALLING = 0.01
"""Where only an accuracy is seen, a run whose loss fell by more nats in its last epoch has not learned."""
ACCURACY = 0.01
"""How close to a predicted accuracy that of a run must be, for tasks whose labels merge classes."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Observation:
    """What one run shows.

    Parameters
    ----------
    run_id, label
        The run, and its label for readers.
    case
        The modulus and the offsets.
    leaders
        For every class the first class of its observed group; empty if the task merges classes into labels.
    labels
        For every class its label, if the task merges classes; else empty.
    accuracy
        The accuracy on the held-out numbers.
    loss
        The held-out cross-entropy of the network, in nats; None if the run did not record it.
    class_counts
        How many of the held-out numbers are in each class; numbers of the domain, if the task merges classes,
        since the confusion matrix then has labels only.
    """

    run_id: str
    label: str
    case: WindowCase
    leaders: tuple[int, ...]
    labels: tuple[int, ...]
    accuracy: float
    loss: float | None
    class_counts: tuple[int, ...]

    @property
    def groups(self) -> int:
        """The number of observed groups."""
        return len(set(self.leaders))

    @property
    def guess(self) -> float:
        """The accuracy of naming the most frequent label, if the task merges classes."""
        return guess_of(self.labels, self.class_counts)

    @property
    def bits(self) -> float:
        """The bits that describe what was observed without a law.

        For a partition, the logarithm of the number of partitions into groups of the same sizes: which
        classes they contain is what a law has to say. For labels, that of the number of accuracies between
        guessing and 1 that differ by more than the tolerance.
        """
        if self.labels:
            return accuracy_bits(self.labels, self.class_counts)
        return partition_bits(self.leaders)


def partition_bits(leaders: Sequence[int] | NDArray[Any]) -> float:
    """The logarithm of the number of partitions into groups of the same sizes, in bits.

    >>> round(partition_bits([0, 0, 2, 2]), 3)  # three pairs of pairs
    1.585
    """
    _, sizes = np.unique(leaders, return_counts=True)
    _, repeated = np.unique(sizes, return_counts=True)
    ways = lgamma(len(leaders) + 1) - sum(lgamma(each + 1) for each in (*sizes, *repeated))
    return max(0.0, ways / log(2))


def accuracy_bits(labels: Sequence[int], class_counts: Sequence[int]) -> float:
    """The logarithm of the number of accuracies between guessing and 1 that can be told apart, in bits.

    >>> round(accuracy_bits([1, 0, 0, 0], [16, 28, 28, 28]), 6)  # 8 accuracies, 2% apart
    3.0
    """
    return log(max(1.0, (1 - guess_of(labels, class_counts)) / (2 * ACCURACY))) / log(2)


def guess_of(labels: Sequence[int], class_counts: Sequence[int]) -> float:
    """The accuracy of naming the most frequent label."""
    return float(max(np.bincount(labels, class_counts)) / sum(class_counts))


@dataclass(frozen=True)
class SetAside:
    """A run that is not used, and the reason."""

    run_id: str
    label: str
    reason: str


def observe(result: RunResult) -> Observation | SetAside:
    """What a run shows, or why it is set aside.

    >>> from pconv.config import RunConfig
    >>> from pconv.discover.simulation import simulated
    >>> observe(simulated(RunConfig(modulus=4), [0, 1, 2, 1])).leaders
    (0, 1, 2, 1)
    """
    config = result.config
    answers = result.census.answers if result.census else result.test
    counts = np.array(answers.confusion, dtype=np.float64)
    aside = {"run_id": result.run_id, "label": config.label()}
    if not counts.sum(axis=1).all():
        return SetAside(**aside, reason="a class without numbers")
    if not task_named(config.task).of_residue:
        return SetAside(**aside, reason="its labels are no function of n mod m")
    merged = merged_labels(config.task, config.modulus)
    recorded = held_out_loss(result)
    if problem := _not_learned(counts, recorded, bool(merged)):
        return SetAside(**aside, reason=f"not learned: {problem}")
    if merged and (fall := _last_fall(result)) > FALLING:
        return SetAside(**aside, reason=f"not learned: the loss fell by {fall:.3f} in the last epoch")
    leaders = None if merged else observed_leaders(counts)
    if leaders is None and not merged:
        return SetAside(**aside, reason="too few numbers to decide every pair of classes")
    sizes = Domain.of(config).class_counts(config.modulus) if merged else counts.sum(axis=1)
    return Observation(
        **aside,
        case=WindowCase(config.modulus, config.offsets),
        leaders=() if leaders is None else tuple(leaders.tolist()),
        labels=merged,
        accuracy=answers.accuracy,
        loss=recorded,
        class_counts=tuple(int(count) for count in sizes),
    )


def _not_learned(counts: Matrix, recorded: float | None, merged: bool) -> str | None:
    """Why the loss shows that a network has not learned; None if it has.

    The information that the loss shows, H(class) minus the loss, is compared with that which the groups of
    the answers carry. Labels of merged classes have no groups; there it is that of the answers themselves.
    """
    sizes = counts.sum(axis=1)
    loss = recorded if recorded is not None else _entropy(sizes) - _information(counts)
    groups = components(answer_distances(counts) <= HALF)
    carried = _information(counts) if merged else _entropy(np.bincount(groups, sizes))
    if carried < NOTHING:
        return f"loss {loss:.3f}, and all classes look mixed"
    share = max(0.0, (_entropy(sizes) - loss) / carried)
    return f"loss {loss:.3f} shows {share:.0%} of what its groups carry" if share < LEARNED else None


def merged_labels(task: str, modulus: int) -> tuple[int, ...]:
    """The label of each class, if the task merges classes; else empty."""
    labels = task_named(task).labels(np.arange(modulus), modulus).tolist()
    return () if len(set(labels)) == modulus else tuple(labels)


def _last_fall(result: RunResult) -> float:
    """How much the held-out loss fell in the last epoch; 0 where it was not recorded twice."""
    recorded = [epoch.held_out_loss for epoch in result.epochs if epoch.held_out_loss is not None]
    return recorded[-2] - recorded[-1] if len(recorded) > 1 else 0.0


def held_out_loss(result: RunResult) -> float | None:
    """The cross-entropy of the network on held-out numbers; None if it was not recorded.

    In its place `observe` uses H(class given answer) on the test numbers: the least loss of a reader of the
    network's answers.
    """
    if result.census:
        return result.census.loss
    recorded = [epoch.held_out_loss for epoch in result.epochs if epoch.held_out_loss is not None]
    return min(recorded, default=None)


def observed_leaders(counts: Matrix, level: float = LEVEL) -> IntArray | None:
    """The observed partition: the first class of each class's group; None if a pair is undecided.

    Classes are in one group if a chain of mixed pairs joins them.

    >>> observed_leaders(np.array([[900, 0, 0], [0, 400, 500], [0, 450, 450]])).tolist()
    [0, 1, 1]
    >>> observed_leaders(np.array([[9, 0, 0], [0, 4, 5], [0, 4, 5]])) is None
    True
    """
    low, high = distance_bounds(counts, level)
    mixed, distinguished = high <= HALF, low > HALF
    np.fill_diagonal(mixed, True)
    if not (mixed | distinguished).all():
        return None
    group = components(mixed)
    return np.asarray(np.unique(group, return_index=True)[1][group])


def distance_bounds(counts: Matrix, level: float = LEVEL) -> tuple[Matrix, Matrix]:
    """Lower and upper bounds on the total variation distance of every pair of answer distributions.

    By McDiarmid's inequality the observed distance is, with probability 1 - a, at most
    sqrt((1/s + 1/t) ln(1/a) / 2) from its mean on either side, s and t being the counts of the two classes.
    Its mean is at least the true distance, and exceeds it by at most half the sum of the standard deviations
    of the differences, which is estimated from the counts. The level is shared by all pairs and both sides.

    Parameters
    ----------
    counts
        The confusion matrix.
    level
        The probability that any of the bounds fails.

    Examples
    --------
    >>> low, high = distance_bounds(np.array([[1000, 0], [0, 1000]]))
    >>> low[0, 1].round(3), high[0, 1]
    (np.float64(0.927), np.float64(1.0))
    """
    counts = np.asarray(counts, dtype=np.float64)
    sizes = counts.sum(axis=1)
    shares = counts / sizes[:, None]
    variances = shares * (1 - shares) / sizes[:, None]
    classes = len(counts)
    pairs = max(1, classes * (classes - 1) // 2)
    spread = np.sqrt((1 / sizes[:, None] + 1 / sizes) * log(2 * pairs / level) / 2)
    distance = answer_distances(counts)
    bias = np.array([np.sqrt(variances + row).sum(axis=1) / 2 for row in variances])
    return np.maximum(0, distance - spread - bias), np.minimum(1, distance + spread)


def _entropy(counts: NDArray[Any]) -> float:
    """The entropy of a distribution given by counts, in nats."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _information(counts: Matrix) -> float:
    """The mutual information of class and answer, in nats."""
    return _entropy(counts.sum(axis=1)) + _entropy(counts.sum(axis=0)) - _entropy(counts.ravel())
