"""`pconv explain`: why classes are identified or mixed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from pconv.cli.options import AsJson, Columns, Modulus, Offsets, Successors
from pconv.config_args import parse_window
from pconv.errors import InputError, PconvError

if TYPE_CHECKING:
    from pconv.theory import Explanation, Problem


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
    """Say why classes look alike or not: for the modulus, for one class or for one number."""
    from pconv.theory import Problem

    question = Problem(modulus, parse_window(successors, offsets), primes)
    explanation = _explanation(question, number, residue)
    if as_json:
        asked = {"modulus": modulus, "offsets": list(question.offsets), "class": residue, "number": number}
        print(json.dumps({**asked, **explanation.to_dict()}))
    else:
        _show(explanation)


def _explanation(question: Problem, number: int | None, residue: int | None) -> Explanation:
    from pconv.theory import explain_class, explain_modulus, explain_number

    if number is not None and residue is not None:
        raise InputError("class", residue, f"cannot stand beside --number {number}: give one of the two")
    if residue is not None:
        return explain_class(question, residue)
    if number is None:
        return explain_modulus(question)
    try:
        return explain_number(question, number)
    except InputError as error:  # here, unlike elsewhere, the number stands behind a flag
        raise PconvError(f"--number {error.value}: {error.allowed}") from None


def _show(explanation: Explanation) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(f"[bold]{explanation.title}[/]\n")
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
