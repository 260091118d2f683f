"""`pconv runs`, `show`, `export` and `gc`: the contents of the store."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv._atomic import atomic_write
from pconv._json import strict_json
from pconv._text import pluralize
from pconv.cli.old_claims import watch_old_claims
from pconv.cli.options import DEFAULT_STORE, AsJson, RunId, StoreFile, flag
from pconv.cli.registry import command
from pconv.cli.run_filter import RunFilter, with_run_filter
from pconv.cli.standard_streams import print_line
from pconv.config import DEFAULT_THEORY, RunConfig
from pconv.errors import InputError, PconvError

if TYPE_CHECKING:
    from pconv.result import RunResult
    from pconv.store.sqlite import Store
    from pconv.store.summary import Summary


@command(150)
@with_run_filter
def runs(
    filter: RunFilter,
    sort: Annotated[
        str | None,
        typer.Option(help="Sort by a field of --where; -FIELD: largest first.", metavar="FIELD"),
    ] = None,
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
) -> None:
    """List the runs in the store: finished, running, failed and interrupted."""
    from pconv.store.sqlite import Store

    with Store.read(store) as opened:
        found = filter.runs(opened, sort)
    if as_json:
        print(strict_json([asdict(summary) for summary in found]))
    else:
        _list(found)


def _list(found: list[Summary]) -> None:
    from pconv.cli.views.console import run_table, table_console
    from pconv.config_args import as_flags
    from pconv.evaluate.predict_run import NotApplicable, predict_run

    table = run_table("as", "status", "validation", "test", "verdict")
    for run in found:
        accuracies = [f"{a:.4f}" if a is not None else "" for a in (run.best_accuracy, run.test_accuracy)]
        config = RunConfig.from_dict(run.config)
        outcome = run.verdict or run.reason or run.owner or _progress(run)
        if run.status == "finished" and not outcome:
            prediction = predict_run(config)
            if isinstance(prediction, NotApplicable):
                outcome = "no theory applies" if prediction.nor_others else f"{DEFAULT_THEORY} does not apply"
            else:
                outcome = "not judged" if run.census else "no census"
        elif run.status == "finished" and not run.census:
            outcome = "no census"
        table.add_row(run.run_id, as_flags(config), run.status, *accuracies, outcome)
    table_console().print(table)


def _progress(run: Summary) -> str:
    """How far an interrupted run is; empty for others."""
    return f"epoch {run.epochs} of {run.config['epochs']}" if run.status == "interrupted" else ""


@command(160)
def show(
    run: RunId,
    readers: Annotated[
        bool, flag("--readers", help="Show which reader the network was nearest to after each epoch.")
    ] = False,
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
) -> None:
    """Show one run: its epochs, its confusion matrix and the verdicts on the theories."""
    from pconv.store.sqlite import Store

    with Store.read(store) as opened:
        summary = opened.find(run)
        result = opened.result(summary.run_id)
    if result is None:
        _show_unfinished(summary, as_json)
        return
    if readers:
        _show_readers(result, as_json)
        return
    from pconv.cli.views.progress import show_untested
    from pconv.cli.views.run import print_document, show_result, show_verdict
    from pconv.evaluate.comparison import compare
    from pconv.evaluate.predict_run import NotApplicable, predict_run

    verdicts = compare(result)
    show_untested(verdicts.failed)
    verdict = verdicts.find(DEFAULT_THEORY)
    if as_json:
        print_document(result, verdict, verdicts)
        return
    show_result(result, quiet=False)
    prediction = predict_run(result.config)
    reason = prediction.reason if isinstance(prediction, NotApplicable) else None
    show_verdict(verdict or reason, verdicts, quiet=False)


def _show_readers(result: RunResult, as_json: bool) -> None:
    from pconv.cli.views.progress import status
    from pconv.evaluate.reader_path import reader_path

    with status("counting what readers reach on the domain"):
        path = reader_path(result)
    if as_json:
        print(strict_json({"run_id": result.run_id, **path.to_dict()}))
        return
    from pconv.cli.views.readers import show_reader_path

    show_reader_path(path)


def _show_unfinished(summary: Summary, as_json: bool) -> None:
    if as_json:
        print(strict_json(asdict(summary)))
    else:
        from pconv.cli.views.console import output_console

        outcome = summary.reason or summary.owner or _progress(summary)
        output_console().print(f"run {summary.run_id} {summary.status}: {outcome}", soft_wrap=True)


@command(170)
@with_run_filter
def export(
    filter: RunFilter,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A file that ends in .csv or .jsonl, or a directory of results.",
            metavar="FILE|DIRECTORY",
        ),
    ] = None,
    store: StoreFile = DEFAULT_STORE,
) -> None:
    """Write runs as a table (.csv), or whole, one JSON document a line (.jsonl; also without -o).

    Into a directory they are written in short, a file for each study; runs that are there already stay.
    """
    from pconv.store.export import csv_lines, json_lines
    from pconv.store.sqlite import Store

    writers = {".csv": csv_lines, ".jsonl": json_lines}
    suffix = output.suffix if output else ".jsonl"
    to_directory = output is not None and (output.is_dir() or not (suffix or output.exists()))
    if suffix not in writers and not to_directory:
        raise InputError("output", output, "must end in .csv or .jsonl, or be a directory")
    with Store.read(store) as opened:
        chosen = filter.runs(opened)
        if output and to_directory:
            _export_results(output, opened, [run.run_id for run in chosen if run.status == "finished"])
            return
        lines = writers[suffix](opened, chosen)
        if output is None:
            sys.stdout.writelines(lines)
            return
        with (
            atomic_write(output, "output") as draft,
            Path(draft).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
        ):
            file.writelines(lines)


def _export_results(directory: Path, store: Store, run_ids: list[str]) -> None:
    from pconv.studies.directory import add_results

    new, count = add_results(directory, store, run_ids)
    print_line(f"{directory}: {pluralize(count, 'run')}, {new} of them new")


@command(180)
def gc(store: StoreFile = DEFAULT_STORE) -> None:
    """Check the store, and remove what no run needs: unused weights, old checkpoints, dead workers' claims.

    Runs whose verdicts are of another version of pconv are judged again.
    """
    from pconv.cli.views.progress import progress
    from pconv.store.judging import judge_again
    from pconv.store.sqlite import Store

    with Store.read(store) as checked:
        checked.check_not_emptied()
        damage = checked.damage()
    if damage:
        raise PconvError(f"the store {store} is damaged, nothing was removed: {damage[0]}")
    with Store.open(store) as opened:
        watch_old_claims(opened)
        count, size = opened.collect_garbage()
        with progress("judging", "runs", quiet=False) as on_run:
            judged = judge_again(opened, on_run)
        lost, damaged = opened.lost_weights(), opened.damaged_weights()
    state = f"has {pluralize(len(damaged), 'damaged file')} of weights" if damaged else "is sound"
    print_line(f"The store {store} {state}. Removed {count} files, {size / 1e6:.1f} MB.")
    if judged:
        print_line(f"Judged {pluralize(judged, 'run')} again, by this version of the tests.")
    for path, run_id in damaged.items():
        option = "--snapshots" if path.parent.name == run_id else "--keep-weights"
        print_line(f"{path} is damaged; `pconv train {option}` computes it again (run {run_id}).")
    if lost:
        runs = f"{pluralize(len(lost), 'run')} ({', '.join(lost)})"
        print_line(f"The weights of {runs} are gone; `pconv train --keep-weights` computes them again.")
