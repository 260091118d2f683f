"""`pconv predict`: ask a trained network for the class of single numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pconv.cli.options import AsJson
from pconv.errors import InputError


def predict(
    file: Annotated[Path, typer.Argument(help="Weights that `pconv train --save` wrote.", metavar="FILE")],
    numbers: Annotated[list[str], typer.Argument(help="The numbers to classify.", metavar="N...")],
    as_json: AsJson = False,
) -> None:
    """Name the class of each number, with the network's own probability for it."""
    wanted = [_whole(text) for text in numbers]
    from pconv.learn.weights import Model

    model = Model.load(file)
    rows = []
    for n, shares in zip(wanted, model.probabilities(wanted), strict=True):
        answer = int(shares.argmax())
        rows.append(
            {
                "n": n,
                "class": answer,
                "probability": float(shares[answer]),
                "residue": n % model.config.modulus,
            }
        )
    if as_json:
        print(json.dumps(rows))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("n", "class", "probability", f"n mod {model.config.modulus}", box=None, header_style="bold")
    for row in rows:
        style = "green" if row["class"] == row["residue"] else "red"
        table.add_row(
            str(row["n"]), f"[{style}]{row['class']}[/]", f"{row['probability']:.4f}", str(row["residue"])
        )
    for column in table.columns:
        column.justify = "right"
    Console().print(table)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError("number", repr(text), "must be a whole number") from None
