"""`pconv explain`: why classes are identified or mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pconv._json import strict_json
from pconv.cli.options import (
    AsJson,
    Columns,
    Offsets,
    RepresentationName,
    Successors,
    TaskFile,
    TaskModulus,
    config_option,
)
from pconv.cli.registry import command
from pconv.config import RunConfig
from pconv.config_args import parse_window
from pconv.errors import InputError, PconvError

if TYPE_CHECKING:
    from pconv.theory import Explanation
    from pconv.theory.readers import TaskProblem


@command(20)
def explain(
    modulus: TaskModulus = None,
    successors: Successors = None,
    offsets: Offsets = None,
    primes: Columns = None,
    number: Annotated[
        int | None, typer.Option("--number", "-n", help="Explain the class of this number.", metavar="n")
    ] = None,
    residue: Annotated[
        int | None, typer.Option("--class", "-c", help="Explain this class.", metavar="c")
    ] = None,
    task: Annotated[
        str | None,
        config_option("task", help="Explain the label of a number in this task, for 32 columns."),
    ] = None,
    task_file: TaskFile = None,
    representation: RepresentationName = RunConfig.representation,
    limit: Annotated[
        int, typer.Option(help="With --task: the domain is the numbers below it ...", metavar="INT")
    ] = RunConfig.limit,
    smooth: Annotated[
        int, typer.Option(help="... with prime factors among the first K primes; 0: any.", metavar="K")
    ] = RunConfig.smooth,
    as_json: AsJson = False,
) -> None:
    """Explain why classes look alike or not: for the modulus, for one class or for one number.

    With --task and a number: what its visible part determines of the label, and what is left to chance.
    """
    from pconv.cli.task_options import chosen_domain, chosen_modulus, chosen_task, task_problem
    from pconv.theory import explain as explained

    rows = parse_window(successors, offsets)
    chosen = chosen_task(task, task_file)
    modulus = chosen_modulus(chosen, modulus)
    try:
        if task is None and task_file is None:
            explanation = explained(modulus, rows, primes, residue=residue, number=number)
        else:
            if number is None or residue is not None:
                raise InputError("task", chosen.name, "explains the label of one number: give -n, and no -c")
            domain = chosen_domain(rows, limit, smooth)
            problem = task_problem(chosen, modulus, rows, primes, representation, domain)
            explanation = _of_label(problem, number)
    except InputError as error:
        if error.name == "number":  # elsewhere a number is an argument; here it belongs to a flag
            raise PconvError(f"--number {error.value}: {error.allowed}") from None
        raise
    if as_json:
        asked = {"modulus": modulus, "offsets": list(rows), "class": residue, "number": number}
        print(strict_json({**asked, "task": chosen.name, **explanation.to_dict()}))
    else:
        _show(explanation)


def _of_label(problem: TaskProblem, number: int) -> Explanation:
    from pconv.cli.views.progress import status
    from pconv.theory.readers import Readers, explain_label

    with status(f"counting what readers know on {problem.domain.size:,} numbers"):
        return explain_label(Readers(problem), number)


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
