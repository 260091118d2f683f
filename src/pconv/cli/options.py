"""The flags that commands share. Short flags are the paper's letters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Modulus = Annotated[int, typer.Option("--modulus", "-m", help="The classes are n modulo m.", metavar="m")]
Successors = Annotated[
    int | None,
    typer.Option(
        "--successors",
        "-B",
        help="The window is n and its B successors: B + 1 rows. 8 if not given.",
        metavar="B",
    ),
]
Offsets = Annotated[
    str | None,
    typer.Option(
        "--offsets",
        help="The window's offsets in place of -B: A:B (half-open) or a,b,c.",
        metavar="A:B|a,b,c",
    ),
]
Columns = Annotated[
    int | None,
    typer.Option(
        "--primes", "-N", help="Only the first N primes are columns. All if not given.", metavar="N"
    ),
]
TaskName = Annotated[
    str,
    typer.Option(
        "--task",
        help="What is asked of n: residue, divisibility, quadratic, omega, primality, or one of your own.",
        metavar="NAME",
    ),
]
RepresentationName = Annotated[
    str,
    typer.Option(
        "--representation",
        help="What is shown of a window: exponents, capped, binary, residues, or one of your own.",
        metavar="NAME",
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
    bool, typer.Option("--keep-weights", help="Keep weights in the store also where they exceed 50 MB.")
]
NoCensus = Annotated[
    bool, typer.Option("--no-census", help="Do not ask the network every unseen number at the end.")
]
Jobs = Annotated[
    int | None,
    typer.Option(
        help="Runs at a time. As many as cores if not given, or one with all cores where networks are large.",
        metavar="INT",
    ),
]
Retries = Annotated[int, typer.Option(help="How often a run is restarted whose worker died.", metavar="INT")]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Run on the Dask cluster of this scheduler, tcp://HOST:PORT.", metavar="ADDRESS"),
]
Source = Annotated[
    str,
    typer.Argument(
        help="A run in the store (RUN@10: its snapshot after epoch 10), or a file that train --save wrote.",
        metavar="RUN|FILE",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, and only the last line of the result.")]

DEFAULT_STORE = Path("pconv.db")
