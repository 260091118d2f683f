"""The commands in the order in which help lists them."""

from __future__ import annotations

from typing import Annotated

import typer

from pconv import __version__
from pconv.cli.commands.bench import bench
from pconv.cli.commands.classify import classify
from pconv.cli.commands.convert import convert
from pconv.cli.commands.crucial import crucial
from pconv.cli.commands.design import design
from pconv.cli.commands.evaluate import evaluate
from pconv.cli.commands.explain import explain
from pconv.cli.commands.figure import figure
from pconv.cli.commands.probe import probe
from pconv.cli.commands.report import report
from pconv.cli.commands.reproduce import StudyCommand, reproduce
from pconv.cli.commands.results import results
from pconv.cli.commands.runs import export, gc, runs, show
from pconv.cli.commands.sweep import sweep
from pconv.cli.commands.theory import theory
from pconv.cli.commands.train import train

app = typer.Typer(
    help="Say what a network can learn before it is trained, train it, and put the saying to a test.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        print(f"pconv {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """The options that stand before a command."""


app.command()(theory)
app.command()(explain)
app.command()(design)
app.command()(crucial)
app.command()(train)
app.command(context_settings={"ignore_unknown_options": True})(classify)  # -5 is a number, if a wrong one
app.command()(evaluate)
app.command()(probe)
app.command()(convert)
app.command()(sweep)
app.command(cls=StudyCommand)(reproduce)
app.command()(report)
app.command()(results)
app.add_typer(figure, name="figure")
app.command()(runs)
app.command()(show)
app.command()(export)
app.command()(gc)
app.command()(bench)
