"""`pconv crucial`: the experiments that decide between two theories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from pconv._json import strict_json
from pconv.cli.options import AsJson
from pconv.cli.registry import command
from pconv.config import MAX_CLASSES
from pconv.errors import InputError
from pconv.window import parse_offsets

if TYPE_CHECKING:
    from pconv.cli.views.progress import Update
    from pconv.theory import Disagreement, Problem, Theory


@command(40)
def crucial(
    successors: Annotated[
        str,
        typer.Option("--successors", "-B", help="The B to try: A:B (half-open) or a,b,c.", metavar="A:B"),
    ] = "2:11",
    max_modulus: Annotated[int, typer.Option(help="The largest m to try.", metavar="m")] = 100,
    theories: Annotated[
        str, typer.Option(help="The two theories to compare.", metavar="NAME,NAME")
    ] = "signature,paper",
    confidence: Annotated[
        float, typer.Option(help="Confidence at which the test numbers decide.", metavar="P")
    ] = 0.95,
    as_json: AsJson = False,
) -> None:
    """List the (m, B) on which two theories disagree, the smallest m first, and by how much."""
    from pconv.cli.views.progress import progress
    from pconv.theory.crucial import crucial_experiments, smallest_first

    if not 2 <= max_modulus <= MAX_CLASSES:
        raise InputError("max_modulus", max_modulus, f"must be from 2 to {MAX_CLASSES}")
    first, second = _pair(theories)
    counts = _counts(successors)
    with progress("search", "problems", quiet=False) as on_progress:
        problems = _counted(smallest_first(max_modulus, counts), (max_modulus - 1) * len(counts), on_progress)
        found = list(crucial_experiments(first, second, problems, confidence))
    if as_json:
        print(strict_json([disagreement.to_dict() for disagreement in found]))
    else:
        _show(found, first, second, confidence)


def _counted(problems: Iterable[Problem], total: int, on_progress: Update | None) -> Iterator[Problem]:
    for done, problem in enumerate(problems):
        if on_progress:
            on_progress(done, total)
        yield problem


def _counts(text: str) -> tuple[int, ...]:
    try:
        return parse_offsets(text)
    except InputError as error:
        raise InputError("successors", error.value, error.allowed) from None


def _pair(names: str) -> tuple[Theory, Theory]:
    from pconv.theory import theories

    known = theories()
    chosen = names.split(",")
    if len(chosen) != 2 or not set(chosen) <= set(known):
        raise InputError("theories", names, f"must be two of: {', '.join(known)}, with a comma between")
    return known[chosen[0]], known[chosen[1]]


def _show(found: list[Disagreement], first: Theory, second: Theory, confidence: float) -> None:
    from rich.table import Table
    from rich.text import Text

    from pconv.cli.views.console import output_console
    from pconv.cli.views.theory import abbreviated

    console = output_console()
    for theory in (first, second):
        console.print(Text.assemble((theory.name, "bold"), f": {theory.claim}"))
    if not found:
        console.print("\nThe two agree on all of these.")
        return
    table = Table(
        "m", "B", first.name, second.name, "tests", "classes in dispute", box=None, header_style="bold"
    )
    for column in table.columns[:-1]:
        column.justify = "right"
    for one in found:
        table.add_row(
            str(one.problem.modulus),
            str(one.problem.successors),
            f"{float(one.first.ceiling):.4f}",
            f"{float(one.second.ceiling):.4f}",
            "-" if one.test_numbers is None else f"{one.test_numbers:,}",
            abbreviated(one.classes),
        )
    console.print()
    console.print(table)
    console.print(
        f"\n{len(found)} experiments. tests: how many test numbers tell the two ceilings apart at "
        f"{confidence:.0%} confidence; where there is none, the confusion pattern decides."
    )
