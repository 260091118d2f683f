"""Exact binomial statements about the accuracy on v test numbers."""

from __future__ import annotations

from pconv.config import MAX_LIMIT
from pconv.errors import InputError


def accuracy_range(accuracy: float, size: int, confidence: float = 0.95) -> tuple[float, float]:
    """The central range of the share of correct answers among `size` test numbers.

    Parameters
    ----------
    accuracy
        The probability of a correct answer.
    size
        The number of test numbers.
    confidence
        The probability that the share lies in the range; each tail holds at most (1 - confidence) / 2.

    Examples
    --------
    >>> accuracy_range(0.625, 512)
    (0.58203125, 0.666015625)
    """
    if size < 1:
        raise InputError("test_size", size, "must be at least 1")
    accuracy, tail = _checked_accuracy(accuracy), (1 - _checked(confidence)) / 2
    return _quantile(tail, size, accuracy) / size, _quantile(1 - tail, size, accuracy) / size


def numbers_to_decide(first: float, second: float, confidence: float = 0.95) -> int | None:
    """How many test numbers decide between two accuracies, each error being at most 1 - confidence.

    There is a threshold that the lower accuracy reaches, and the higher one misses, with at most that
    probability. The count returned suffices and one number less does not. It is None if the accuracies are
    equal, or so close that 10^8 numbers do not decide.

    Parameters
    ----------
    first, second
        The probabilities of a correct answer.
    confidence
        1 minus the probability of each error.

    Examples
    --------
    >>> numbers_to_decide(0.4375, 0.625)
    76
    """
    low, high = sorted(_checked_accuracy(accuracy) for accuracy in (first, second))
    alpha = 1 - _checked(confidence)
    if low == high:
        return None
    enough = 1
    while not _decides(low, high, enough, alpha):
        enough *= 2
        if enough > MAX_LIMIT:
            return None
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        if _decides(low, high, middle, alpha):
            enough = middle
        else:
            too_few = middle
    return enough


def _decides(low: float, high: float, size: int, alpha: float) -> bool:
    from scipy.special import bdtr  # loading scipy takes longer than all the rest of a prediction

    reached = _quantile(1 - alpha, size, low)  # more correct answers than this have probability <= alpha
    return bool(bdtr(reached, size, high) <= alpha)


def _quantile(share: float, size: int, chance: float) -> int:
    """The least k for which at most k correct answers among `size` have at least the probability `share`."""
    from scipy.special import bdtr

    below, found = -1, size
    while found - below > 1:
        middle = (found + below) // 2
        if bdtr(middle, size, chance) >= share:
            found = middle
        else:
            below = middle
    return found


def _checked(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise InputError("confidence", confidence, "must be between 0 and 1")
    return confidence


def _checked_accuracy(accuracy: float) -> float:
    if not 0 <= accuracy <= 1:
        raise InputError("accuracy", accuracy, "must be from 0 to 1")
    return accuracy
