"""`pconv verify`: computes a recorded run again, and compares the two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv._json import strict_json
from pconv.cli.exit_codes import FAILED_RUNS
from pconv.cli.options import DEFAULT_STORE, AsJson, Quiet, RunId, StoreFile
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.result import RunResult
    from pconv.sweeps.verify import Verification


@command(165)
def verify(
    run: RunId,
    results: Annotated[
        Path | None,
        typer.Option(
            "--from", help="A directory that `pconv export` wrote, such as results.", metavar="DIRECTORY"
        ),
    ] = None,
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compute a recorded run again and compare: bit-identical, within bounds, or different (exit code 3).

    The engine, device and threads are those of the record. Nothing is stored.
    """
    from pconv.cli.views.progress import progress, shown_log, training_progress
    from pconv.sweeps.verify import Outcome, verify

    recorded = _recorded(run, results or store)
    with (
        shown_log(quiet),
        training_progress(recorded.config, quiet) as on_step,
        progress("census", "numbers", quiet or not recorded.census) as on_census,
    ):
        found = verify(recorded, on_step=on_step, on_census=on_census)
    if as_json:
        print(strict_json(found.to_dict()))
    else:
        _show(found)
    if found.outcome is Outcome.DIFFERENT:
        raise typer.Exit(FAILED_RUNS)


def _recorded(prefix: str, path: Path) -> RunResult:
    from pconv.studies.directory import opened

    with opened(path) as source:
        ids = [run_id for run_id in source.run_ids() if run_id.startswith(prefix)] if prefix else []
        if len(ids) != 1:
            reason = (
                f"is the start of {len(ids)} runs; give more of it"
                if ids
                else f"is not a finished run of {path}"
            )
            raise InputError("run", repr(prefix), reason)
        found = source.run(ids[0])
    assert found
    return found.result


def _show(found: Verification) -> None:
    print_line(f"run {found.recorded.run_id}: {found.outcome}")
    if found.differing:
        print_line(f"  not the same to the last bit: {', '.join(found.differing)}")
    for check in found.checks:
        recorded, repeated = map(_text, (check.recorded, check.repeated))
        holds = "" if check.holds else ", which is too much"
        bound = "" if check.bound is None else f" (at most {check.bound:.2g} apart)"
        print_line(f"  {check.name}{bound}: recorded {recorded}, now {repeated}{holds}")
    for name, (before, now) in found.other_environment.items():
        print_line(f"  {name}: recorded {before}, now {now}")


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6f}"
