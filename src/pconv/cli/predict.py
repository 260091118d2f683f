"""`pconv predict`: ask a trained network for the class of single numbers."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from pconv.cli.options import DEFAULT_STORE, AsJson, StoreFile
from pconv.errors import InputError


def predict(
    model: Annotated[
        str,
        typer.Argument(help="A run in the store, or a file that `train --save` wrote.", metavar="RUN|FILE"),
    ],
    numbers: Annotated[list[str], typer.Argument(help="The numbers to classify.", metavar="N...")],
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
) -> None:
    """Name the class of each number, with the network's own probability for it."""
    wanted = [_whole(text) for text in numbers]
    from pconv.cli.weights_of import weights_of

    path = weights_of(model, store)
    from pconv.learn.weights import Model

    network = Model.load(path)
    modulus = network.config.modulus
    rows = []
    for n, shares in zip(wanted, network.probabilities(wanted), strict=True):
        answer = int(shares.argmax())
        rows.append(
            {
                "n": n,
                "class": answer,
                "probability": float(shares[answer]),
                "residue": n % modulus,
            }
        )
    if as_json:
        print(json.dumps(rows))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("n", "class", "probability", f"n mod {modulus}", box=None, header_style="bold")
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
