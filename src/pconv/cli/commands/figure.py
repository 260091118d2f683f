"""`pconv figure`: print-ready figures, one command a kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv.cli.options import (
    DEFAULT_STORE,
    Columns,
    Modulus,
    Offsets,
    StoreFile,
    Successors,
    config_option,
)
from pconv.config_args import config_from_args, parse_window
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.store.run import JudgedRun

figure = typer.Typer(help="Draw one print-ready figure: the file's ending says how.")
Output = Annotated[
    Path, typer.Option("--output", "-o", help="The file to write: .pdf, .svg or .png.", metavar="FILE")
]
RUN_HELP = "The start of a run's id, or a file that `pconv train --json` printed."
Runs = Annotated[
    list[str] | None, typer.Argument(help=f"{RUN_HELP} All runs of the store if none.", metavar="[RUN...]")
]


@figure.command()
def architecture(
    output: Output,
    modulus: Modulus = 11,
    successors: Successors = None,
    offsets: Offsets = None,
    kernel: Annotated[str, config_option("kernel", help="As in `pconv train`.")] = "7",
    primes: Columns = None,
    channels: Annotated[str, config_option("channels", help="As in `pconv train`.")] = "4",
    preset: Annotated[str, typer.Option(help="quick or paper.", metavar="NAME")] = "paper",
) -> None:
    """The network of a configuration, with all shapes."""
    config = config_from_args(
        preset, successors, offsets, modulus=modulus, kernel=kernel, channels=channels, primes=primes
    )
    _check(output)
    from pconv.report.architecture import draw_architecture
    from pconv.report.figures import save
    from pconv.report.records import architecture_figure

    save(lambda: draw_architecture(architecture_figure(config)), output)


@figure.command()
def confusion(
    output: Output,
    run: Annotated[str | None, typer.Argument(help=RUN_HELP, metavar="[RUN]")] = None,
    modulus: Annotated[
        int | None, typer.Option("--modulus", "-m", help="Without a run: the prediction.", metavar="m")
    ] = None,
    successors: Successors = None,
    offsets: Offsets = None,
    store: StoreFile = DEFAULT_STORE,
) -> None:
    """A confusion matrix in the paper's colours: of a run, or as predicted."""
    _check(output)
    from pconv.report.records import confusion_figure

    if run is not None:
        from pconv.report.load import one_run
        from pconv.report.results import run_confusion

        record = run_confusion(one_run(run, store))
    elif modulus is not None:
        from pconv.theory import predict

        record = confusion_figure(predict(modulus, parse_window(successors, offsets)))
    else:
        raise InputError("modulus", "(missing)", "give a modulus, or a run")
    from pconv.report.figures import draw_confusion, save

    save(lambda: draw_confusion(record), output)


@figure.command()
def losses(output: Output, runs: Runs = None, store: StoreFile = DEFAULT_STORE) -> None:
    """Loss curves side by side: of the runs given, or of the store's study of kernels."""
    _check(output)
    from pconv.report.curves import kernel_studies, loss_figure

    found = _runs(runs, store)
    studies = [found] if runs else kernel_studies(found)
    if not studies:
        raise InputError("store", store, "holds no kernel study (`pconv reproduce losses` makes one)")
    record = loss_figure(studies[0])
    from pconv.report.figures import draw_losses, save

    save(lambda: draw_losses(record), output)


@figure.command()
def table(
    output: Output,
    runs: Runs = None,
    preset: Annotated[
        str, typer.Option(help="Which of the store's runs: quick or paper.", metavar="NAME")
    ] = "quick",
    store: StoreFile = DEFAULT_STORE,
) -> None:
    """Accuracies as in the paper's tables; .tex gives LaTeX."""
    _check(output, ".tex")
    from pconv.report.load import paper_figures
    from pconv.report.results import setting_name, table_figures

    found = _runs(runs, store)
    if not runs:
        wanted = setting_name(config_from_args(preset, modulus=2))
        found = [run for run in found if setting_name(run.config) == wanted]
    tables = table_figures(found, paper_figures())
    if len(tables) != 1:
        settings = "; ".join(each.setting for each in tables) or f"none is of the preset {preset}"
        raise InputError("run", "...", f"a table has runs of one setting: {settings}")
    if output.suffix.lower() == ".tex":
        from pconv.report.latex import write_table

        write_table(tables[0], output)
        return
    from pconv.report.figures import draw_table, save

    save(lambda: draw_table(tables[0]), output)


@figure.command("map")
def map_(
    output: Output,
    max_modulus: Annotated[int, typer.Option(help="The largest m.", metavar="m")] = 64,
    max_successors: Annotated[int, typer.Option(help="The largest B.", metavar="B")] = 32,
    store: Annotated[Path | None, typer.Option(help="Mark the runs of this store.", metavar="FILE")] = None,
) -> None:
    """What is solved over all (m, B), with the totient boundary."""
    _check(output)
    for name, value, low, high in (
        ("max_modulus", max_modulus, 2, 256),
        ("max_successors", max_successors, 0, 128),
    ):
        if not low <= value <= high:
            raise InputError(name, value, f"must be from {low} to {high}")
    from pconv.report.records import map_figure
    from pconv.report.results import marks

    runs = marks(_runs(None, store)) if store else ()
    record = map_figure(range(2, max_modulus + 1), range(max_successors + 1), runs)
    from pconv.report.diagrams import draw_map
    from pconv.report.figures import save

    save(lambda: draw_map(record), output)


@figure.command("window")
def window_(
    output: Output,
    modulus: Modulus,
    successors: Successors = None,
    offsets: Offsets = None,
    residue: Annotated[int, typer.Option("--class", "-c", help="The class to show.", metavar="c")] = 1,
) -> None:
    """The window of a class beside that of one that looks the same."""
    _check(output)
    from pconv.report.records import window_figure
    from pconv.theory import Problem

    record = window_figure(Problem(modulus, parse_window(successors, offsets)), residue)
    from pconv.report.diagrams import draw_window
    from pconv.report.figures import save

    save(lambda: draw_window(record), output)


def _check(output: Path, *more: str) -> None:
    from pconv.report.files import check_output

    check_output(output, (".pdf", ".svg", ".png", *more))


def _runs(names: list[str] | None, store: Path) -> list[JudgedRun]:
    from pconv.report.load import one_run, stored_runs

    found = [one_run(name, store) for name in names] if names else stored_runs(store)
    if not found:
        raise InputError("store", store, "holds no finished run")
    return found
