"""The verdicts that are stored with a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pconv.result import RunResult

if TYPE_CHECKING:
    from pconv.evaluate.verdict import Verdict


def verdicts_on(result: RunResult) -> dict[str, Verdict]:
    """The verdict on each theory that applies to a run, by the theory's name."""
    from pconv.evaluate.comparison import compare  # loads scipy

    return {verdict.theory: verdict for verdict in compare(result).verdicts}
