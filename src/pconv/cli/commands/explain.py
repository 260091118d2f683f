"""`pconv explain`: why classes are identified or mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pconv._json import strict_json
from pconv.cli.options import AsJson, Columns, Modulus, Offsets, Successors
from pconv.cli.registry import command
from pconv.config_args import parse_window
from pconv.errors import InputError, PconvError

if TYPE_CHECKING:
    from pconv.theory import Explanation


@command(20)
def explain(
    modulus: Modulus,
    successors: Successors = None,
    offsets: Offsets = None,
    primes: Columns = None,
    number: Annotated[
        int | None, typer.Option("--number", "-n", help="Explain the class of this number.", metavar="n")
    ] = None,
    residue: Annotated[
        int | None, typer.Option("--class", "-c", help="Explain this class.", metavar="c")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain why classes look alike or not: for the modulus, for one class or for one number."""
    from pconv.theory import explain as explained

    rows = parse_window(successors, offsets)
    try:
        explanation = explained(modulus, rows, primes, residue=residue, number=number)
    except InputError as error:
        if error.name == "number":  # elsewhere a number is an argument; here it belongs to a flag
            raise PconvError(f"--number {error.value}: {error.allowed}") from None
        raise
    if as_json:
        problem = {"modulus": modulus, "offsets": list(rows), "class": residue, "number": number}
        print(strict_json({**problem, **explanation.to_dict()}))
    else:
        _show(explanation)


def _show(explanation: Explanation) -> None:
    from rich.table import Table

    from pconv.cli.views.console import bold, output_console

    console = output_console()
    console.print(bold(explanation.title), end="\n\n")
    for sentence in explanation.paragraphs:
        console.print(sentence)
    for table in explanation.tables:
        console.print(f"\n{table.caption}")
        shown = Table(*table.header, box=None, header_style="bold")
        for row in table.rows:
            shown.add_row(*row)
        for column in shown.columns:
            column.justify = "right"
            column.overflow = "fold"  # a number cut short could not be checked by hand
        console.print(shown)
