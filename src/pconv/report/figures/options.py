"""The options that figures have on the command line, described without any command-line library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated


@dataclass(frozen=True)
class Option:
    """How a parameter of a figure is given on the command line, as metadata of the parameter's `Annotated`.

    A parameter without one has the option that other commands have under its name: `modulus`, `successors`,
    `offsets`, `primes` and `store`.

    Parameters
    ----------
    help
        The help text.
    metavar
        The placeholder of the value in the help.
    flags
        The flags; by default the parameter's name with two dashes.
    positional
        Whether it is an argument without a flag.
    """

    help: str
    metavar: str
    flags: tuple[str, ...] = ()
    positional: bool = False


RUN_HELP = "The start of a run's id, or a file that `pconv train --json` printed."

Runs = Annotated[
    list[str] | None,
    Option(f"{RUN_HELP} All runs of the store if not given.", "RUN", positional=True),
]

Source = Annotated[
    Path | None,
    Option("Read the runs from here: a directory that `pconv export` wrote.", "DIRECTORY", ("--from",)),
]
"""The results directory that is read in place of the store."""
