"""`pconv reproduce`: runs studies and prints their tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand

from pconv.cli.exit_codes import FAILED_RUNS
from pconv.cli.options import (
    DEFAULT_STORE,
    AsJson,
    Jobs,
    NoCensus,
    Quiet,
    Results,
    Retries,
    Scheduler,
    StoreFile,
)
from pconv.cli.registry import command
from pconv.errors import InputError
from pconv.training.options import RunOptions

if TYPE_CHECKING:
    from pathlib import Path

    from pconv.studies.cell import CellResult
    from pconv.studies.study import Study


DEFAULT_STUDY = "headline"


class StudyCommand(TyperCommand):
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
        typer.Argument(metavar="[STUDY...]", show_default=False),  # its help: StudyCommand
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
    no_census: NoCensus = False,
    store: StoreFile = DEFAULT_STORE,
    results: Results = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare runs with the paper's figures and the theory's ceilings; stored runs are not trained again."""
    from pconv.cli.many_runs import open_sweep, run_in_terminal
    from pconv.store.sqlite import Store
    from pconv.studies.catalog import studies
    from pconv.studies.evaluate import evaluate_study, left_out

    if results:
        _from_results(studies(study or ["all"], preset, seeds), results, as_json)
        return
    chosen = studies(study or [DEFAULT_STUDY], preset, seeds)
    if max_hours is not None and not max_hours > 0:
        raise InputError("max_hours", max_hours, "must be above 0")
    with Store.open(store) as opened:
        too_long = left_out(chosen, opened, max_hours)
    wanted = {config.run_id: config for one in chosen for config in one.configs()}
    opened_sweep = open_sweep(
        store,
        RunOptions(census=not no_census, keep_weights=any(one.keeps_weights for one in chosen)),
        jobs=jobs,
        retries=retries,
        scheduler=scheduler,
        snapshots=_snapshots(chosen),
    )
    runs = [config for run_id, config in wanted.items() if run_id not in too_long]
    done = run_in_terminal(opened_sweep, runs, quiet)
    with Store.read(store) as opened:
        tables = [(one, evaluate_study(one, opened)) for one in chosen]
    if as_json:
        _print_json(tables, {"left_out": too_long})
    else:
        _show(tables, too_long)
        print(f"All runs are in {store.resolve()}")
    if done.failed:
        raise typer.Exit(FAILED_RUNS)


def _snapshots(chosen: list[Study]) -> dict[str, tuple[int, ...]]:
    """The snapshot epochs of each run that has any."""
    every = ((config, study.snapshots_of(config)) for study in chosen for config in study.configs())
    return {config.run_id: epochs for config, epochs in every if epochs}


def _from_results(chosen: list[Study], directory: Path, as_json: bool) -> None:
    """Print the tables of stored runs; missing ones are counted, not trained."""
    from pconv.cli.views.progress import status
    from pconv.studies.directory import ResultsDirectory
    from pconv.studies.evaluate import evaluate_study

    with status(f"reading the runs of {directory}"):
        there = ResultsDirectory.read(directory)
        tables = [(one, evaluate_study(one, there)) for one in chosen]
    cells = {result.cell.config.run_id: result for _, results in tables for result in results}
    missing = [run_id for run_id, cell in cells.items() if cell.accuracy is None]
    if as_json:
        _print_json(tables, {"missing": missing})
        return
    _show(tables, {})
    print(f"{len(cells) - len(missing)} of {len(cells)} runs are in {directory}, {len(missing)} are missing.")


def _print_json(tables: list[tuple[Study, list[CellResult]]], more: dict[str, object]) -> None:
    print(json.dumps({"tables": [_document(one, cells) for one, cells in tables], **more}))


def _document(study: Study, cells: list[CellResult]) -> dict[str, object]:
    return {
        "name": study.name,
        "question": study.question,
        "cells": [cell.to_dict() for cell in cells],
    }


def _show(tables: list[tuple[Study, list[CellResult]]], too_long: dict[str, float]) -> None:
    from rich.text import Text

    from pconv.cli.views.console import table_console
    from pconv.cli.views.live import duration
    from pconv.cli.views.study import study_table, summary

    console = table_console()
    for study, cells in tables:
        console.print(Text.assemble("\n", (study.name, "bold"), f"  {study.question}"))
        console.print(study_table(study, cells))
        console.print(summary(study, cells), soft_wrap=True)
    for run_id, seconds in too_long.items():
        print(f"Left out: run {run_id}, about {duration(seconds)}.")
