"""A sweep in the terminal: its progress, Ctrl-C, and the runs that failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from pconv.cli.interrupts import Interrupted
from pconv.cli.standard_streams import print_note
from pconv.cli.views.live import live
from pconv.cli.views.progress import show_untested, shown_log
from pconv.config import RunConfig
from pconv.sweeps.local import local_sweep
from pconv.sweeps.runner import Sweep
from pconv.training.options import RunOptions


def open_sweep(
    store: Path,
    options: RunOptions,
    *,
    jobs: int | None,
    retries: int,
    scheduler: str | None,
    options_of: Mapping[str, RunOptions] | None = None,
) -> AbstractContextManager[Sweep]:
    """A sweep on the cluster of the scheduler, if one is given, else on this machine.

    Parameters
    ----------
    store
        The store that keeps the runs.
    options
        How runs are computed, and what is kept of them.
    jobs, retries, scheduler
        The options of the same names.
    options_of
        The options of some runs by their ids, in place of `options`.
    """
    if scheduler is None:
        return local_sweep(store, jobs, retries=retries, options=options, options_of=options_of)
    from pconv.sweeps.dask import cluster_sweep

    return cluster_sweep(store, scheduler, retries=retries, options=options, options_of=options_of)


def check_theory(theory: str | None, wanted: Sequence[RunConfig]) -> None:
    """Raise an error, before any training, for a theory that does not exist or applies to none of the runs.

    As in `pconv train`, runs to which no theory applies at all are no error.
    """
    if theory is None:
        return
    from pconv.evaluate.predict_run import NotApplicable, predict_run

    problems = {(c.modulus, c.offsets, c.primes, c.representation, c.task): c for c in wanted}
    found = [predict_run(config, theory) for config in problems.values()]
    silent = [each for each in found if isinstance(each, NotApplicable)]
    if len(silent) == len(found) and not all(each.nor_others for each in silent):
        raise next(each for each in silent if not each.nor_others).error()


def run_in_terminal(opened: AbstractContextManager[Sweep], wanted: Sequence[RunConfig], quiet: bool) -> Sweep:
    """Runs a sweep to its end and prints the reasons of failures, of runs and of theories, to stderr.

    Parameters
    ----------
    opened
        The sweep, by `open_sweep`.
    wanted
        The runs; those in the store are not computed again.
    quiet
        Show no progress.
    """
    try:
        with opened as sweep, live(sweep, wanted, quiet), shown_log(quiet):
            sweep.run(wanted)
    except KeyboardInterrupt:
        raise Interrupted("interrupted; the same command goes on from here") from None
    for run_id, reason in sweep.failed.items():
        print_note(f"run {run_id} failed: {reason}")
    show_untested(sweep.untested)
    return sweep
