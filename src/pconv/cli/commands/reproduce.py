"""`pconv reproduce`: the paper's tables and figures, and our own studies, from runs in the store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

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
from pconv.errors import InputError
from pconv.training.options import RunOptions

if TYPE_CHECKING:
    from pathlib import Path

    from pconv.studies.catalog import Study
    from pconv.studies.evaluate import CellResult


def reproduce(
    study: Annotated[
        list[str] | None,
        typer.Argument(
            help="headline (if none is given; all with --from); of the paper: prime-moduli, "
            "prime-power-moduli, splitting-moduli, channels, layers, epochs, batches, locality, kernels, "
            "confusions, losses, or all; our own: columns, window, crucial, boundary, more-data, "
            "extrapolation, architectures.",
            metavar="[STUDY...]",
            show_default=False,
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
    no_census: NoCensus = False,
    store: StoreFile = DEFAULT_STORE,
    results: Results = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Put runs beside the paper's figures and the theory's ceilings; stored runs are not trained again."""
    from pconv.cli.many_runs import open_sweep, run_in_terminal
    from pconv.store.sqlite import Store
    from pconv.studies.catalog import studies
    from pconv.studies.evaluate import evaluate_study, left_out

    if results:
        _from_results(studies(study or ["all"], preset, seeds), results, as_json)
        return
    asked = studies(study or ["headline"], preset, seeds)
    if max_hours is not None and not max_hours > 0:
        raise InputError("max_hours", max_hours, "must be above 0")
    with Store.open(store) as opened:
        too_long = left_out(asked, opened, max_hours)
    wanted = {cell.config.run_id: cell.config for one in asked for cell in one.cells}
    opened_sweep = open_sweep(
        store,
        RunOptions(census=not no_census, keep_weights=any(one.keeps_weights for one in asked)),
        jobs=jobs,
        retries=retries,
        scheduler=scheduler,
        snapshots={c.config.run_id: c.snapshots for one in asked for c in one.cells if c.snapshots},
    )
    runs = [config for run_id, config in wanted.items() if run_id not in too_long]
    done = run_in_terminal(opened_sweep, runs, quiet)
    with Store.read(store) as opened:
        tables = [(one, evaluate_study(one, opened)) for one in asked]
    if as_json:
        _print_json(tables, {"left_out": too_long})
    else:
        _show(tables, too_long)
        print(f"All runs are in {store.resolve()}")
    if done.failed:
        raise typer.Exit(FAILED_RUNS)


def _from_results(asked: list[Study], directory: Path, as_json: bool) -> None:
    """The tables of the runs that are there; the others are counted, not trained."""
    from pconv.studies.directory import ResultsDirectory
    from pconv.studies.evaluate import evaluate_study

    there = ResultsDirectory.read(directory)
    tables = [(one, evaluate_study(one, there)) for one in asked]
    cells = {cell.cell.config.run_id: cell for _, filled in tables for cell in filled}
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
    from pconv.cli.views.console import table_console
    from pconv.cli.views.live import duration
    from pconv.cli.views.study import picture, summary

    console = table_console()
    for study, cells in tables:
        console.print(f"\n[bold]{study.name}[/]  {study.question}")
        console.print(picture(study, cells))
        console.print(summary(study, cells), soft_wrap=True)
    for run_id, seconds in too_long.items():
        print(f"Left out: run {run_id}, about {duration(seconds)}.")
