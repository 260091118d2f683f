"""`pconv reproduce`: runs studies and prints their tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperArgument

from pconv._json import strict_json
from pconv.cli.completion import complete_study
from pconv.cli.exit_codes import FAILED_RUNS, REFUTED_THEORY
from pconv.cli.help import ProgramCommand
from pconv.cli.options import (
    DEFAULT_STORE,
    AsJson,
    DryRun,
    Jobs,
    NoCensus,
    Quiet,
    Results,
    Retries,
    Scheduler,
    ShownTheory,
    StoreFile,
    refuse_options,
)
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line
from pconv.config import DEFAULT_THEORY
from pconv.errors import InputError
from pconv.training.options import RunOptions

if TYPE_CHECKING:
    from pathlib import Path

    from pconv.studies.cell import CellResult
    from pconv.studies.study import Study


DEFAULT_STUDY = "headline"

Tables = list[tuple["Study", list["CellResult"]]]
"""Studies with their cells."""


class StudyCommand(ProgramCommand):
    """A command whose help lists the studies of the catalogue, which is loaded only then."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        for parameter in self.params:
            if parameter.name == "study" and isinstance(parameter, TyperArgument):
                parameter.help = _study_help()
        super().format_help(ctx, formatter)


def _study_help() -> str:
    from pconv.studies.catalog import STUDIES

    paper = ", ".join(name for name, study in STUDIES.items() if study.table)
    others = ", ".join(name for name, study in STUDIES.items() if not study.table and name != DEFAULT_STUDY)
    default = f"{DEFAULT_STUDY} (if none is given; all with --from)"
    return f"{default}; of the paper: {paper}, or all; others: {others}."


@command(110, cls=StudyCommand)
def reproduce(
    study: Annotated[
        list[str] | None,
        typer.Argument(  # its help: StudyCommand
            metavar="STUDY", show_default=False, autocompletion=complete_study
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="quick (N = 32) or paper (N = 5000).", metavar="NAME")
    ] = "quick",
    seeds: Annotated[
        int, typer.Option(help="Runs of every cell: mean, range, and one status over all.", metavar="INT")
    ] = 1,
    max_hours: Annotated[
        float | None, typer.Option(help="Leave out cells that would take longer.", metavar="HOURS")
    ] = None,
    jobs: Jobs = None,
    retries: Retries = 5,
    scheduler: Scheduler = None,
    dry_run: DryRun = False,
    theory: ShownTheory = None,
    no_census: NoCensus = False,
    store: StoreFile = DEFAULT_STORE,
    results: Results = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare runs with the paper's figures and the theory's ceilings; stored runs are not trained again."""
    from pconv.cli.many_runs import check_theory, open_sweep, run_in_terminal
    from pconv.cli.views.sweep_plan import plan, show_left_out, show_plan
    from pconv.studies.catalog import studies
    from pconv.studies.evaluate import study_options

    chosen = studies(study or ["all" if results else DEFAULT_STUDY], preset, seeds)
    wanted = {config.run_id: config for one in chosen for config in one.configs()}
    check_theory(theory, list(wanted.values()))
    if results:
        ignored = {"jobs": jobs, "max_hours": max_hours, "scheduler": scheduler}
        refuse_options(ignored, "is not for use with --from: nothing is trained")
        _from_results(chosen, results, theory, dry_run, as_json)
        return
    too_long = _too_long(chosen, store, max_hours)
    runs = [config for run_id, config in wanted.items() if run_id not in too_long]
    options = RunOptions(census=not no_census)
    each = study_options(chosen, options)
    if dry_run:
        show_plan(plan(runs, store, options, each), jobs, as_json, too_long)
        return
    opened = open_sweep(store, options, jobs=jobs, retries=retries, scheduler=scheduler, options_of=each)
    done = run_in_terminal(opened, runs, quiet)
    tables = _tables(chosen, store, theory)
    if as_json:
        _print_json(tables, theory, {"left_out": too_long})
    else:
        _show(tables)
        show_left_out(too_long)
        print_line(f"All runs are in {store.resolve()}")
    if done.failed:
        raise typer.Exit(FAILED_RUNS)
    _end(tables, theory)


def _too_long(chosen: list[Study], store: Path, max_hours: float | None) -> dict[str, float]:
    """The runs that `--max-hours` leaves out, with their estimated seconds; the store need not exist."""
    from pconv.store.sqlite import Store
    from pconv.studies.evaluate import left_out

    if max_hours is not None and not max_hours > 0:
        raise InputError("max_hours", max_hours, "must be above 0")
    if not store.exists():
        return left_out(chosen, None, max_hours)
    with Store.read(store) as opened:
        return left_out(chosen, opened, max_hours)


def _tables(chosen: list[Study], path: Path, theory: str | None) -> Tables:
    """The studies with their cells, from a store or a directory of results."""
    from pconv.studies.directory import opened
    from pconv.studies.evaluate import evaluate_study

    with opened(path) as source:
        return [(one, evaluate_study(one, source, theory or DEFAULT_THEORY)) for one in chosen]


def _end(tables: Tables, theory: str | None) -> None:
    """Ends with the exit code of a refuted theory, if the user named one and a run refutes it."""
    if theory and any(cell.verdict == "refuted" for _, cells in tables for cell in cells):
        raise typer.Exit(REFUTED_THEORY)


def _from_results(
    chosen: list[Study], directory: Path, theory: str | None, dry_run: bool, as_json: bool
) -> None:
    """Print the tables of stored runs; missing ones are counted, not trained."""
    from pconv.cli.views.progress import status

    if dry_run:
        raise InputError("dry_run", f"--from {directory}", "nothing is trained with --from")
    if not directory.is_dir():
        raise InputError("from", directory, "is not a directory of results")
    with status(f"reading the runs of {directory}"):
        tables = _tables(chosen, directory, theory)
    cells = {result.cell.config.run_id: result for _, results in tables for result in results}
    missing = [run_id for run_id, cell in cells.items() if cell.accuracy is None]
    if as_json:
        _print_json(tables, theory, {"missing": missing})
    else:
        _show(tables)
        there = len(cells) - len(missing)
        print_line(f"{there} of {len(cells)} runs are in {directory}, {len(missing)} are missing.")
    _end(tables, theory)


def _print_json(tables: Tables, theory: str | None, more: dict[str, object]) -> None:
    documents = [_document(one, cells) for one, cells in tables]
    print(strict_json({"theory": theory or DEFAULT_THEORY, "tables": documents, **more}))


def _document(study: Study, cells: list[CellResult]) -> dict[str, object]:
    return {
        "name": study.name,
        "question": study.question,
        "cells": [cell.to_dict() for cell in cells],
    }


def _show(tables: Tables) -> None:
    from rich.text import Text

    from pconv.cli.views.console import table_console
    from pconv.cli.views.study import study_table, summary

    console = table_console()
    for study, cells in tables:
        console.print(Text.assemble("\n", (study.name, "bold"), f"  {study.question}"))
        console.print(study_table(study, cells))
        console.print(summary(study, cells), soft_wrap=True)
