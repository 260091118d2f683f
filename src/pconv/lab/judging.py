"""What a run means for every theory that speaks of it, as the store keeps it."""

from __future__ import annotations

from pconv.lab.source import Verdicts
from pconv.result import RunResult


def verdicts_on(result: RunResult) -> Verdicts:
    """Each theory's verdict under its name."""
    from pconv.verify.comparison import compare  # loads scipy: not before a result is there

    return {verdict.theory: verdict.to_dict() for verdict in compare(result).verdicts}
