"""`pconv design`: the window that a network needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pconv._json import strict_json
from pconv.cli.options import AsJson, Modulus, flag
from pconv.cli.registry import command
from pconv.errors import InputError
from pconv.window import parse_offsets

if TYPE_CHECKING:
    from pconv.pacing.fastest import Candidate
    from pconv.theory import Design


@command(30)
def design(
    modulus: Modulus,
    offsets: Annotated[
        str | None,
        typer.Option(help="Choose few of these offsets: A:B (half-open) or a,b,c.", metavar="A:B|a,b,c"),
    ] = None,
    time: Annotated[
        bool, flag("--time", help="Also choose k and N for the shortest training to the loss floor.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find what solves m: the smallest B, few offsets, and the columns up to its largest prime."""
    from pconv.theory import design_window

    pool = None if offsets is None else parse_offsets(offsets)
    found = design_window(modulus, pool)
    trainings = _trainings(found) if time else []
    if as_json:
        listed = {"trainings": [each.to_dict() for each in trainings]} if time else {}
        print(strict_json({**found.to_dict(), **listed}))
        return
    _show(found, pool)
    if time:
        from pconv.cli.views.pace import show_trainings

        show_trainings(trainings)


def _trainings(found: Design) -> list[Candidate]:
    """Trainings with the window found, the shortest first."""
    if found.offsets is None or found.primes is None:
        raise InputError("modulus", found.modulus, "--time needs a window and columns that solve it")
    from pconv.pacing.fastest import fastest_trainings

    first = found.offsets[0]
    rows = found.offsets if len(found.offsets) > 1 else (first, first + 1)  # pooling needs two
    return fastest_trainings(found.modulus, rows, found.primes)


def _show(found: Design, pool: tuple[int, ...] | None) -> None:
    from rich.table import Table
    from rich.text import Text

    from pconv.cli.views.console import output_console

    console = output_console()
    table = Table("component", "phi: rows it needs", box=None, header_style="bold")
    for factor in found.factors:
        name = f"{factor.prime}^{factor.exponent}" if factor.exponent > 1 else str(factor.prime)
        table.add_row(name, str(factor.totient))
    console.print(table)
    console.print(
        Text.assemble(
            f"\nThe smallest B that identifies every class modulo {found.modulus} is ",
            (str(found.successors), "bold"),
            f": {found.rows} rows. No window of any shape has fewer.",
        )
    )
    if found.primes is not None:
        console.print(f"Its largest prime is column {found.primes}: -N {found.primes} or more.")
    if pool is not None:
        console.print(_chosen(found, pool))


def _chosen(found: Design, pool: tuple[int, ...]) -> str:
    if found.offsets is None:
        return f"The {len(pool)} offsets given do not identify every class."
    least = "no fewer do" if found.minimal else "perhaps fewer do"
    listed = ",".join(map(str, found.offsets))
    return f"Of the {len(pool)} offsets given, these {len(found.offsets)} suffice ({least}): {listed}"
