"""`pconv bench`: the engines side by side."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from pconv.cli.options import AsJson, Quiet
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.learn.bench import Measurement

SIZES = ("quick", "paper")


def bench(
    size: Annotated[
        str, typer.Option(help="quick: N = 32 and 64; paper: N = 5,000, some minutes.", metavar="NAME")
    ] = "quick",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Measure a training step in turns: the plain PyTorch loop, the sparse engine, and Adam alone.

    Adam alone is the floor: one fused pass that takes its gradient from memory as any optimizer does.
    """
    if size not in SIZES:
        raise InputError("size", repr(size), f"must be one of: {', '.join(SIZES)}")
    from pconv.learn.bench import cases, measure
    from pconv.learn.threads import available_cores

    found = []
    for case in cases(size, available_cores()):
        if not quiet and sys.stderr.isatty():
            print(f"B={case.successors} k={case.kernel} N={case.primes} ...", file=sys.stderr)
        found.append(measure(case))
    if as_json:
        print(json.dumps([one.to_dict() for one in found]))
    else:
        _show(found)


def _show(found: list[Measurement]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    sizes = "B", "k", "N", "threads"
    table = Table(
        *sizes,
        "dense ms",
        "sparse ms",
        "speedup",
        "floor ms",
        "over floor",
        "engine GB",
        "peak GB",
        box=None,
        header_style="bold",
    )
    split = Table(*sizes[:3], *found[0].split_ms, box=None, header_style="bold")
    for one in found:
        shape = str(one.successors), str(one.kernel), str(one.primes)
        times = f"{one.dense_ms:.1f}", f"{one.sparse_ms:.1f}", f"{one.speedup:.1f}x"
        floor = f"{one.floor_ms:.1f}", f"{one.over_floor:.2f}x"
        memory = f"{one.engine_gb:.2f}", "-" if one.peak_gb is None else f"{one.peak_gb:.2f}"
        table.add_row(*shape, str(one.threads), *times, *floor, *memory)
        split.add_row(*shape, *(f"{ms:.1f}" for ms in one.split_ms.values()))
    for column in (*table.columns, *split.columns):
        column.justify = "right"
    console.print(table)
    console.print("\nA sparse step in its parts, in milliseconds:\n")
    console.print(split)
    console.print(
        "\nfloor: Adam alone on as many parameters, its gradient read from memory as in any optimizer."
    )
