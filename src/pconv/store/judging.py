"""What a run means for every theory that speaks of it, as the store keeps it."""

from __future__ import annotations

from pconv.result import RunResult
from pconv.store.run import Verdicts


def verdicts_on(result: RunResult) -> Verdicts:
    """Each theory's verdict under its name."""
    from pconv.evaluate.comparison import compare  # loads scipy: not before a result is there

    return {verdict.theory: verdict.to_dict() for verdict in compare(result).verdicts}
