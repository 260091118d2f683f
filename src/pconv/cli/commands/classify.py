"""`pconv classify`: the class of single numbers by a trained network."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pconv._json import strict_json
from pconv.cli.options import DEFAULT_STORE, AsJson, Source, StoreFile
from pconv.cli.registry import command
from pconv.config import RunConfig
from pconv.errors import InputError


@command(60, context_settings={"ignore_unknown_options": True})  # -5 is a number, if a wrong one
def classify(
    source: Source,
    numbers: Annotated[list[str], typer.Argument(help="The numbers to classify.", metavar="N...")],
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
) -> None:
    """Name the class of each number, with the network's probability, and what in its window decides it."""
    wanted = [_whole(text) for text in numbers]
    from pconv.cli.weights_of import weights_of

    path = weights_of(source, store)
    from pconv.data.examples import labels_of
    from pconv.evaluate.predict_run import NotApplicable, predict_run
    from pconv.models.weights import Model
    from pconv.theory.readers import TaskProblem, why_label

    model = Model.load(path)
    prediction = predict_run(model.config)
    no_reason = prediction.reason if isinstance(prediction, NotApplicable) and prediction.nor_others else None
    problem = None if no_reason else TaskProblem.of(model.config)
    probabilities = model.probabilities(wanted)  # checks the numbers
    answers = []
    for n, truth, shares in zip(wanted, labels_of(model.config, wanted), probabilities, strict=True):
        answer = int(shares.argmax())
        answers.append(
            {
                "n": n,
                "class": answer,
                "probability": float(shares[answer]),
                "residue": n % model.config.modulus,
                "label": int(truth),
                "why": why_label(problem, n) if problem else no_reason,
            }
        )
    if as_json:
        print(strict_json(answers))
    else:
        config = model.config
        _show(answers, config.task if config.task != RunConfig.task else f"n mod {config.modulus}")


def _show(answers: list[dict[str, Any]], truth: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from pconv.cli.views.console import output_console

    table = Table("n", "class", "probability", truth, box=None, header_style="bold")
    for row in answers:
        answer = Text(str(row["class"]), style="green" if row["class"] == row["label"] else "red")
        table.add_row(str(row["n"]), answer, f"{row['probability']:.4f}", str(row["label"]))
    for column in table.columns:
        column.justify = "right"
    console = output_console()
    console.print(table)
    for row in answers:
        console.print(Text.assemble("\n", (str(row["n"]), "bold"), f": {row['why']}"))


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError("number", repr(text), "must be a whole number") from None
