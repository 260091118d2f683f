"""The verdicts that are stored with a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pconv.result import RunResult

if TYPE_CHECKING:
    from pconv.evaluate.verdict import Verdict
    from pconv.store.run import JudgedRun
    from pconv.store.sqlite import Store


def verdicts_on(result: RunResult) -> dict[str, Verdict]:
    """The verdict on each theory that applies to a run, by the theory's name."""
    from pconv.evaluate.comparison import compare  # loads scipy

    return {verdict.theory: verdict for verdict in compare(result).verdicts}


def judged_by(run: JudgedRun, theory: str) -> JudgedRun:
    """The run with a verdict on a theory, if that applies: a run that was stored before the theory was added
    is judged now."""
    from pconv.evaluate.judge import judge
    from pconv.evaluate.predict_run import NotApplicable, predict_run
    from pconv.theory.readers import READERS

    if theory in run.verdicts or isinstance(predict_run(run.config, theory), NotApplicable):
        return run
    verdicts = verdicts_on(run.result)
    if theory in READERS and theory not in verdicts:  # readers of residues are judged where they are named
        verdicts[theory] = judge(run.result, theory)
    return replace(run, verdicts=verdicts)


def judge_again(store: Store, on_progress: Callable[[int, int], None] | None = None) -> int:
    """Judges the runs whose verdicts another version of the tests has written, and stores the new ones.

    Returns the number of these runs.

    Parameters
    ----------
    store
        The store.
    on_progress
        Called after each run with the count so far and the total.
    """
    old, count = store.unjudged(), 0
    for done, run_id in enumerate(old, start=1):
        if (result := store.result(run_id)) and (verdicts := verdicts_on(result)):
            store.set_verdicts(run_id, verdicts)
            count += 1
        if on_progress:
            on_progress(done, len(old))
    return count
