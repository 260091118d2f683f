"""The four readers of a task in the terminal."""

from __future__ import annotations

import numpy as np
from rich.table import Table

from pconv.cli.views.console import output_console
from pconv.evaluate.reader_path import ReaderPath
from pconv.theory.readers import READERS, Density, Readers, Reading

_SHOWN_NAMES = 12


def show_readers(readers: Readers, found: dict[str, Reading]) -> None:
    """Prints the accuracy and the loss of each reader on the domain, and what readers see.

    Parameters
    ----------
    readers
        The readers of the problem.
    found
        The readings, by reader.
    """
    problem = readers.problem
    console = output_console()
    names = problem.task.label_names(problem.modulus)
    shown = ", ".join(names[:_SHOWN_NAMES]) + (", ..." if len(names) > _SHOWN_NAMES else "")
    console.print(f"The task {problem.task.name}: {problem.task.description}. Labels: {shown}.")
    console.print(
        f"Readers of {problem.problem.window} in {problem.columns:,} columns "
        f"({problem.representation.name}), on the {len(problem.numbers):,} numbers of the domain:\n"
    )
    console.print(_table(found))
    most = int(np.bincount(problem.labels).max())
    console.print(f"Always the most frequent label: {most / len(problem.labels):.4f}.", style="dim")
    console.print()
    for reader, sees in READERS.items():
        console.print(f"{reader}: {sees}.")
    density = found["limit"].density
    if density is not None:
        console.print(f"\n{density_in_words(density)}")


def show_reader_path(path: ReaderPath) -> None:
    """Prints what readers reach, and the held-out losses of a run's epochs with the nearest reader."""
    console = output_console()
    console.print(_table(dict(path.readings)))
    epochs = Table(box=None, header_style="bold")
    for title in ("epoch", "held-out loss", "test accuracy", "nearest reader"):
        epochs.add_column(title, justify="right")
    for epoch, reader in path.nearest.items():
        accuracy = path.accuracies.get(epoch)
        shown = "" if accuracy is None else f"{accuracy:.4f}"
        epochs.add_row(str(epoch), f"{path.losses[epoch]:.4f}", shown, reader or "none")
    console.print()
    console.print(epochs)
    if None in path.nearest.values():
        console.print(
            "none: the loss is above that of a guess, all labels being equally likely.", style="dim"
        )
    for reader in path.readings:
        first = path.passed(reader)
        when = "never" if first is None else f"first after epoch {first}"
        console.print(f"Below the loss of {reader}: {when}.")


def density_in_words(density: Density) -> str:
    """The Bayes accuracy among all integers.

    >>> density_in_words(Density(0.625, 0.6065, "exact", 0.625, 0.625))
    'Among all integers the accuracy of the limit reader is 0.6250, its loss 0.6065 nats.'
    """
    between = "" if density.low == density.high else f" (between {density.low:.6f} and {density.high:.6f}"
    if between:
        between += ", from a sample, 99%)" if density.kind == "interval" else ")"
    return (
        f"Among all integers the accuracy of the limit reader is {density.accuracy:.4f}{between}, "
        f"its loss {density.loss_floor:.4f} nats."
    )


def _table(found: dict[str, Reading]) -> Table:
    table = Table(box=None, header_style="bold")
    for title in ("reader", "accuracy", "loss floor", "kinds of evidence"):
        table.add_column(title, justify="left" if title == "reader" else "right")
    for name, reading in found.items():
        floor = "infinite" if reading.loss_floor is None else f"{reading.loss_floor:.4f}"
        table.add_row(name, f"{reading.accuracy:.4f}", floor, f"{reading.evidence_classes:,}")
    return table
