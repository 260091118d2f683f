"""Which of two results of a run is kept: the rule of stores, imports and directories of results."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from pconv.result import RunResult


def contents(result: RunResult, weights: bool = False, snapshots: Iterable[int] = ()) -> frozenset[str]:
    """What there is of a run: its result with what is optional in it, and the files of its weights.

    Parameters
    ----------
    result
        The result; a census and snapshots of epochs are optional.
    weights
        Whether its weights are there.
    snapshots
        The epochs whose weights are there.
    """
    files = ({"weights"} if weights else set()) | {f"weights of epoch {epoch}" for epoch in snapshots}
    return frozenset({"result", *result.extras, *files})


def replaces(new: AbstractSet[str], there: AbstractSet[str] | None) -> bool:
    """Whether a result takes the place of the one there: it has all of that, and something in addition.

    >>> replaces({"result", "census"}, {"result"}), replaces({"result", "census"}, {"result", "weights"})
    (True, False)
    >>> replaces({"result"}, None), replaces({"result"}, {"result"})
    (True, False)
    """
    return there is None or new > there
