"""The options that commands share. Short flags are the paper's letters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from pconv.cli.completion import (
    complete_architecture,
    complete_engine,
    complete_representation,
    complete_run,
    complete_task,
    complete_theory,
)
from pconv.cli.defaults import DEFAULT_STORE as DEFAULT_STORE
from pconv.config_args import flags_of, ordered_fields
from pconv.config_fields import Switch, option_of
from pconv.errors import InputError


def refuse_options(options: Mapping[str, object], reason: str) -> None:
    """Raise an error if one of these options is given: another option leaves nothing for it to do.

    >>> refuse_options({"width": None, "seed": 3}, "is not for use with --check")
    Traceback (most recent call last):
    pconv.errors.InputError: seed 3: is not for use with --check
    """
    for name, value in options.items():
        if value is not None:
            raise InputError(name, value, reason)


def flag(name: str, help: str, **settings: Any) -> Any:
    """An option without a value.

    Parameters
    ----------
    name
        The flag, with its dashes.
    help
        The help text.
    **settings
        Other settings of `typer.Option`.
    """
    return typer.Option(name, help=help, **settings)


def config_option(name: str, help: str | None = None) -> Any:
    """The option of a configuration field, with the field's help text if no other is given."""
    field = next(field for field in ordered_fields() if field.name == name)
    declared = option_of(field)
    if isinstance(declared.values, Switch):
        return flag(flags_of(field)[0], help=help or declared.help)
    return typer.Option(
        *flags_of(field),
        help=help or declared.help,
        metavar=declared.metavar,
        autocompletion=_COMPLETIONS.get(name),
    )


_COMPLETIONS = {
    "architecture": complete_architecture,
    "representation": complete_representation,
    "task": complete_task,
}
"""What the shell offers for the fields of a configuration that name something."""


Modulus = Annotated[int, config_option("modulus")]
TaskModulus = Annotated[
    int | None, config_option("modulus", help="The m of the task; the task's own if not given.")
]
TaskFile = Annotated[
    Path | None,
    typer.Option("--task-file", help="A Python file that registers a task of your own.", metavar="FILE"),
]
Successors = Annotated[
    int | None,
    typer.Option(
        "--successors",
        "-B",
        help="The window is n and its B successors: B + 1 rows. 8 if not given.",
        metavar="B",
    ),
]
Offsets = Annotated[str | None, config_option("offsets")]
Columns = Annotated[
    int | None, config_option("primes", help="Only the first N primes are columns. All if not given.")
]
TaskName = Annotated[str, config_option("task")]
RepresentationName = Annotated[str, config_option("representation")]
Preset = Annotated[
    str, typer.Option("--preset", help="quick or paper: where the defaults come from.", metavar="NAME")
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        help="How the run is computed: auto (the fastest), sparse, dense, or one of your own.",
        metavar="NAME",
        autocompletion=complete_engine,
    ),
]
Device = Annotated[str, typer.Option("--device", help="A torch device.", metavar="NAME")]
SaveFile = Annotated[
    Path | None,
    typer.Option("--save", help="Save the weights of the lowest held-out loss here.", metavar="FILE"),
]
TestedTheory = Annotated[
    str | None,
    typer.Option(
        "--theory",
        help="The theory to test, signature if not given; exit code 1 if refuted.",
        metavar="NAME",
        autocompletion=complete_theory,
    ),
]
ShownTheory = Annotated[
    str | None,
    typer.Option(
        "--theory",
        help="The theory whose verdicts are shown, signature if not given; "
        "if given, exit code 1 if a run refutes it.",
        metavar="NAME",
        autocompletion=complete_theory,
    ),
]
Tolerance = Annotated[
    float,
    typer.Option(
        "--tolerance", help="Share of answers that may leave the predicted groups.", metavar="SHARE"
    ),
]
Level = Annotated[
    float, typer.Option("--level", help="Error probability of each statistical test.", metavar="SHARE")
]
Snapshots = Annotated[
    str | None,
    typer.Option(
        "--snapshots", help="Epochs whose weights are kept, as RUN@EPOCH: 1,2,5 or all.", metavar="EPOCHS"
    ),
]
StoreFile = Annotated[Path, typer.Option("--store", help="The store that keeps the runs.", metavar="FILE")]
Results = Annotated[
    Path | None,
    typer.Option(
        "--from",
        help="Read the runs from a directory that `pconv export` wrote; nothing is trained.",
        metavar="DIRECTORY",
    ),
]
KeepWeights = Annotated[
    bool, flag("--keep-weights", help="Keep weights in the store also if they exceed 50 MB.")
]
NoCensus = Annotated[
    bool, flag("--no-census", help="Do not evaluate the network on every unseen number at the end.")
]
Jobs = Annotated[
    int | None,
    typer.Option(
        help="Runs at a time. As many as cores if not given, or one with all cores where networks are large.",
        metavar="INT",
    ),
]
Retries = Annotated[int, typer.Option(help="How often a run is restarted if its worker died.", metavar="INT")]
Scheduler = Annotated[
    str | None,
    typer.Option(
        help="Run on the Dask cluster of this scheduler, tcp://HOST:PORT or tls://HOST:PORT.",
        metavar="ADDRESS",
    ),
]
Source = Annotated[
    str,
    typer.Argument(
        help="A run in the store (RUN@10: its snapshot after epoch 10), or a file of train --save, compile.",
        metavar="RUN|FILE",
        autocompletion=complete_run,
    ),
]
RunId = Annotated[
    str,
    typer.Argument(help="A run's id, or the start of it.", metavar="RUN", autocompletion=complete_run),
]
DryRun = Annotated[
    bool,
    flag("--dry-run", help="List the runs with their states, estimated time and memory, and stop."),
]
AsJson = Annotated[bool, flag("--json", help="Print one JSON document and nothing else.")]
Quiet = Annotated[bool, flag("--quiet", help="No progress; only the lines with accuracies and verdict.")]
