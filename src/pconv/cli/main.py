"""The program: its options, and its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from pconv import __version__
from pconv.cli.registry import add_commands

app = typer.Typer(
    help="Predict what a network can learn before it is trained, train it, and test the prediction.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"pconv {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """The options of the program itself."""


add_commands(app)
