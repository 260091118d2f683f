"""`pconv predict`: ask a trained network for the class of single numbers."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from pconv.cli.options import DEFAULT_STORE, AsJson, Source, StoreFile
from pconv.errors import InputError


def predict(
    source: Source,
    numbers: Annotated[list[str], typer.Argument(help="The numbers to classify.", metavar="N...")],
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
) -> None:
    """Name the class of each number, with the network's probability, and what in its window decides it."""
    wanted = [_whole(text) for text in numbers]
    from pconv.cli.weights_of import weights_of

    path = weights_of(source, store)
    from pconv.learn.weights import Model
    from pconv.theory import explain_number
    from pconv.verify.verdict import question_of

    model = Model.load(path)
    question = question_of(model.config)
    answers = []
    for n, shares in zip(wanted, model.probabilities(wanted), strict=True):
        answer = int(shares.argmax())
        answers.append(
            {
                "n": n,
                "class": answer,
                "probability": float(shares[answer]),
                "residue": n % model.config.modulus,
                "why": " ".join(explain_number(question, n).sentences),
            }
        )
    if as_json:
        print(json.dumps(answers))
    else:
        _show(answers, model.config.modulus)


def _show(answers: list[dict[str, Any]], modulus: int) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("n", "class", "probability", f"n mod {modulus}", box=None, header_style="bold")
    for row in answers:
        style = "green" if row["class"] == row["residue"] else "red"
        shown = f"[{style}]{row['class']}[/]", f"{row['probability']:.4f}", str(row["residue"])
        table.add_row(str(row["n"]), *shown)
    for column in table.columns:
        column.justify = "right"
    console = Console(highlight=False)
    console.print(table)
    for row in answers:
        console.print(f"\n[bold]{row['n']}[/]: {row['why']}")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError("number", repr(text), "must be a whole number") from None
