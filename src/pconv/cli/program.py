"""The program: its options, and its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from pconv import __version__
from pconv.cli.help import ProgramGroup
from pconv.cli.options import flag
from pconv.cli.registry import add_commands

DEBUG = "--debug"
"""Prints tracebacks. It is removed from the arguments before they are parsed, so it can be anywhere."""

_EXIT_CODES = (
    "Exit codes: 0 success; 1 the tested theory is refuted; 2 invalid input, or a file that cannot be read "
    "or written; 3 failed runs of a sweep, or a failed device check; 70 an unexpected error, whose details "
    "are in a log file that the message names; 130 interrupted; 143 terminated."
)

app = typer.Typer(
    cls=ProgramGroup,
    help="Predict what a network can learn before it is trained, train it, and test the prediction.",
    epilog=_EXIT_CODES,
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
        bool, flag("--version", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
    debug: Annotated[
        bool, flag(DEBUG, help="Print the traceback of an error; also after the command.")
    ] = False,
) -> None:
    """The options of the program itself."""


add_commands(app)
