"""`pconv discover`: laws found in the answers of networks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv._json import strict_json
from pconv.cli.options import DEFAULT_STORE, AsJson, Quiet, RepresentationName, Results, StoreFile, TaskName
from pconv.cli.registry import command
from pconv.config import RunConfig
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.discover.formula import Formula
    from pconv.discover.report import Report

_UNITS = {"s": 1, "m": 60, "h": 3600}


@command(45)
def discover(
    source: Results = None,
    formula: Annotated[
        str | None,
        typer.Option(help='Score this formula and search nothing: "gcd(n+o, m)".', metavar="TEXT"),
    ] = None,
    representation: RepresentationName = RunConfig.representation,
    task: TaskName = RunConfig.task,
    architecture: Annotated[
        str | None, typer.Option(help="Only runs of this network. All if not given.", metavar="NAME")
    ] = None,
    max_size: Annotated[int, typer.Option(help="Symbols of the largest formulas.", metavar="INT")] = 6,
    shuffles: Annotated[
        int,
        typer.Option(help="Repeat the search with classes renamed at random, as a control.", metavar="INT"),
    ] = 0,
    experiments: Annotated[
        int | None,
        typer.Option(help="Train up to this many runs, each the one that tells most.", metavar="INT"),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(help="With --experiments: the time, as 90s, 30m or 2h. [default: 30m]", metavar="TIME"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="With --experiments: the seed of the runs. [default: 0]", metavar="INT")
    ] = None,
    register: Annotated[
        str | None, typer.Option(help="Write the law as a theory: a package NAME.", metavar="NAME")
    ] = None,
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find the law that says which classes networks mix, from their answers alone."""
    from pconv.discover.parser import parse
    from pconv.discover.search import check_size
    from pconv.discover.source import check_task
    from pconv.discover.theory_module import check_theory_name

    _check(source, formula, experiments, {"budget": budget, "seed": seed}, shuffles)
    seconds = _seconds(budget or "30m")
    check_size(max_size)
    check_task(task)
    given = parse(formula) if formula is not None else None
    if register is not None:
        check_theory_name(register, Path())
    kind = {"representation": representation, "task": task, "architecture": architecture}
    if experiments is not None:
        from pconv.cli.laboratory import run_laboratory

        fields = {**kind, "architecture": architecture or RunConfig.architecture, "seed": seed or 0}
        law = run_laboratory(store, fields, max_size, experiments, seconds, as_json, quiet)
    else:
        report = _report(source or store, kind, given, max_size, shuffles, quiet)
        _show(report, as_json)
        law = report.laws[0].formula if given or report.found else None
    if register is not None:
        _register(register, law, representation, quiet or as_json)


def _check(
    source: Path | None,
    formula: str | None,
    experiments: int | None,
    of_experiments: dict[str, object],
    shuffles: int,
) -> None:
    """Raise an error for options that do not go together."""
    if experiments is None:
        for name, value in of_experiments.items():
            if value is not None:
                raise InputError(name, value, "belongs to --experiments")
    elif experiments < 1:
        raise InputError("experiments", experiments, "must be at least 1")
    elif source is not None or formula is not None:
        raise InputError("experiments", experiments, "trains new runs: not with --from or --formula")
    if not 0 <= shuffles <= 1_000:
        raise InputError("shuffles", shuffles, "must be from 0 to 1000")


def _seconds(text: str) -> float:
    match = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)([smh])", text)
    if match is None or not float(match[1]):
        raise InputError("budget", text, "must be a time, such as 90s, 30m or 2h")
    return float(match[1]) * _UNITS[match[2]]


def _report(
    path: Path,
    kind: dict[str, str | None],
    formula: Formula | None,
    max_size: int,
    shuffles: int,
    quiet: bool,
) -> Report:
    from pconv.cli.standard_streams import print_note
    from pconv.cli.views.progress import progress
    from pconv.discover.report import score_formula, search_laws
    from pconv.discover.source import of_kind, sample_of
    from pconv.studies.directory import read_results

    sample = sample_of(of_kind(read_results(path), **kind))
    if not sample.observations:
        raise InputError("from", path, "no run has learned anything: there is nothing to explain")
    if formula is not None:
        return score_formula(sample, formula)
    if not quiet:
        print_note(f"searching the formulas of up to {max_size} symbols")
    with (
        progress("search", "laws", quiet) as on_laws,
        progress("numbers of groups", "sizes", quiet) as on_size,
    ):
        return search_laws(sample, max_size, shuffles, on_laws, on_size)


def _show(report: Report, as_json: bool) -> None:
    if as_json:
        print(strict_json(report.to_dict()))
        return
    from pconv.cli.views.discover import show_report

    show_report(report)


def _register(name: str, law: Formula | None, representation: str, quiet: bool) -> None:
    from pconv.discover.theory_module import write_theory

    if law is None:
        raise InputError("register", name, "no law was found, so nothing is registered")
    package = write_theory(name, str(law), representation, Path())
    if not quiet:
        print(f"\nThe theory {name} is in {package}/. To use it in every command: pip install ./{package}")
