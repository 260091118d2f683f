"""`pconv figure`: print-ready figures, one command a kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv.cli.options import Columns, Modulus, Offsets, Successors, run_config, sizes, window
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.report.results import Run

figure = typer.Typer(help="Draw one print-ready figure: the file's ending says how.")
Output = Annotated[
    Path, typer.Option("--output", "-o", help="The file to write: .pdf, .svg or .png.", metavar="FILE")
]
RunFiles = Annotated[
    list[Path], typer.Argument(help="Results that `pconv train --json` printed.", metavar="FILE...")
]


@figure.command()
def architecture(
    output: Output,
    modulus: Modulus = 11,
    successors: Successors = None,
    offsets: Offsets = None,
    kernel: Annotated[str, typer.Option("--kernel", "-k", help="As in `pconv train`.", metavar="k")] = "7",
    primes: Columns = None,
    channels: Annotated[
        str, typer.Option("--channels", "-C", help="As in `pconv train`.", metavar="C")
    ] = "4",
    preset: Annotated[str, typer.Option(help="quick or paper.", metavar="NAME")] = "paper",
) -> None:
    """The network of a configuration, with all shapes."""
    given = {"kernel": sizes("kernel", kernel), "channels": sizes("channels", channels), "primes": primes}
    config = run_config(preset, successors, offsets, modulus=modulus, **given)
    _check(output)
    from pconv.report.architecture import draw_architecture
    from pconv.report.figures import save
    from pconv.report.records import architecture_figure

    save(lambda: draw_architecture(architecture_figure(config)), output)


@figure.command()
def confusion(
    output: Output,
    run: Annotated[
        Path | None, typer.Argument(help="A result that `pconv train --json` printed.", metavar="[FILE]")
    ] = None,
    modulus: Annotated[
        int | None, typer.Option("--modulus", "-m", help="Without a run: the prediction.", metavar="m")
    ] = None,
    successors: Successors = None,
    offsets: Offsets = None,
) -> None:
    """A confusion matrix in the paper's colours: of a run, or as predicted."""
    _check(output)
    from pconv.report.figures import draw_confusion, save
    from pconv.report.records import confusion_figure
    from pconv.report.results import run_confusion

    if run is not None:
        record = run_confusion(_run(run))
    elif modulus is not None:
        from pconv.theory import predict

        record = confusion_figure(predict(modulus, window(successors, offsets)))
    else:
        raise InputError("modulus", "(missing)", "give a modulus, or the file of a run")
    save(lambda: draw_confusion(record), output)


@figure.command()
def losses(output: Output, runs: RunFiles) -> None:
    """Loss curves side by side, in the order of their kernels."""
    _check(output)
    from pconv.report.figures import draw_losses, save
    from pconv.report.results import loss_figure

    record = loss_figure(map(_run, runs))
    save(lambda: draw_losses(record), output)


@figure.command()
def table(output: Output, runs: RunFiles) -> None:
    """Accuracies as in the paper's tables; .tex gives LaTeX."""
    _check(output, ".tex")
    from pconv.report.results import table_figures

    tables = table_figures(map(_run, runs), {})
    if len(tables) > 1:
        settings = "; ".join(each.setting for each in tables)
        raise InputError("file", "of several settings", f"a table has one, these have: {settings}")
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
) -> None:
    """What is solved over all (m, B), with the totient boundary."""
    _check(output)
    for name, value, low, high in (
        ("max_modulus", max_modulus, 2, 256),
        ("max_successors", max_successors, 0, 128),
    ):
        if not low <= value <= high:
            raise InputError(name, value, f"must be from {low} to {high}")
    from pconv.report.figures import draw_map, save
    from pconv.report.records import map_figure

    record = map_figure(range(2, max_modulus + 1), range(max_successors + 1))
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
    from pconv.report.figures import draw_window, save
    from pconv.report.records import window_figure
    from pconv.theory import Question

    record = window_figure(Question(modulus, window(successors, offsets)), residue)
    save(lambda: draw_window(record), output)


def _check(output: Path, *more: str) -> None:
    from pconv.report.files import check_output

    check_output(output, (".pdf", ".svg", ".png", *more))


def _run(path: Path) -> Run:
    """A run and its verdict, as `pconv train --json` printed them."""
    from pconv.report.results import Run
    from pconv.result import RunResult

    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("file", path, f"cannot be read ({error})") from None
    result = RunResult.from_json(text)
    verdict = json.loads(text).get("verdict")
    return Run(result, {verdict["theory"]: verdict} if verdict else {})
