"""A run's result in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pconv._colours import VERDICTS_IN_TERMINAL
from pconv._json import strict_json
from pconv._text import format_groups, pluralize
from pconv.cli.views.console import bold, output_console
from pconv.cli.views.picture import draw_matrix
from pconv.config import RunConfig
from pconv.result import Census, Matrix, RunResult
from pconv.studies.mixing import CONFUSED, mixed_groups

if TYPE_CHECKING:
    from pconv.evaluate.comparison import Comparison
    from pconv.evaluate.verdict import Verdict

_WIDEST = 40  # classes that a confusion matrix may have to be drawn in a terminal


def show_result(result: RunResult, quiet: bool) -> None:
    """Prints epochs, accuracies and which classes are mixed; with quiet the accuracies alone."""
    console = output_console()
    answers = result.census.answers if result.census else result.test
    if not quiet:
        console.print(_epochs(result))
        where = "all unseen numbers" if result.census else "the test set"
        if len(answers.confusion) <= _WIDEST:
            console.print(draw_matrix(answers.confusion, where))
        console.print(_groups_in_words(answers.confusion))
        _show_snapshots(console, result)
    accuracies = Text.assemble(
        f"run {result.run_id}: validation accuracy ",
        bold(f"{result.best_accuracy:.4f}"),
        f" (best epoch {result.best_epoch}, {result.validation.size} numbers), test accuracy ",
        bold(f"{result.test.accuracy:.4f}"),
        f" ({result.test.size:,} numbers){_majority_baseline(result)}",
    )
    console.print(accuracies, soft_wrap=True)
    console.print(census_line(result.census), soft_wrap=True)


def _show_snapshots(console: Console, result: RunResult) -> None:
    """Prints the answers to the test numbers after each epoch of which a snapshot was taken."""
    for snapshot in result.snapshots:
        confusion = snapshot.test.confusion
        if len(confusion) <= _WIDEST:
            console.print(draw_matrix(confusion, f"the test set after epoch {snapshot.epoch}"))
        console.print(f"after epoch {snapshot.epoch}: test accuracy {snapshot.test.accuracy:.4f}")
        console.print(_groups_in_words(confusion))


def census_line(census: Census | None) -> Text:
    """The census in one line."""
    if census is None:
        return Text("census: none was taken of this run")
    which = "unseen numbers" if census.numbers == "unseen" else "numbers of the domain"
    epoch = f" (weights of epoch {census.epoch})" if census.epoch else ""  # compiled weights have none
    numbers = f"on all {census.size:,} {which}{epoch}"
    return Text.assemble(
        "census: accuracy ", bold(f"{census.accuracy:.4f}"), f", loss {census.loss:.4f} {numbers}"
    )


def _majority_baseline(result: RunResult) -> str:
    """The accuracy of the most frequent class; empty for residues, which are about equally likely."""
    if result.config.task == RunConfig.task:
        return ""
    return f"; always the most frequent class: {result.test.majority_baseline:.4f}"


def show_verdict(verdict: Verdict | str | None, all_theories: Comparison, quiet: bool) -> None:
    """Prints the verdict on a theory, or why there is none, and the theories that survive.

    Parameters
    ----------
    verdict
        The verdict; or the reason why there is none.
    all_theories
        The verdicts on all theories.
    quiet
        Print the status alone.
    """
    console = output_console()
    if verdict is None or isinstance(verdict, str):
        console.print(f"verdict: none. {verdict}", soft_wrap=True)
        if not quiet and verdict != all_theories.sentence:
            console.print(all_theories.sentence, soft_wrap=True)
        return
    word = verdict.status.upper(), f"bold {VERDICTS_IN_TERMINAL[verdict.status]}"
    console.print(Text.assemble(f"verdict on the theory '{verdict.theory}': ", word))
    if not quiet:
        console.print(_parts(verdict))
        console.print(verdict.conclusion, soft_wrap=True)
        console.print(all_theories.sentence, soft_wrap=True)


def _parts(verdict: Verdict) -> Table:
    """A table of the four parts: whether each holds, and its figure."""
    table = Table("part", "holds", "figure", box=None, header_style="bold")
    colours = {"yes": "green", "no": "red", "open": "blue"}
    for name, (holds, figure) in verdict.figures.items():
        table.add_row(name, Text(holds, style=colours[holds]), Text(figure))
    return table


def _epochs(result: RunResult) -> Table:
    table = Table("epoch", "loss", "held-out loss", "accuracy", "seconds", box=None, header_style="bold")
    for epoch in result.epochs:
        held_out = "" if epoch.held_out_loss is None else f"{epoch.held_out_loss:.4f}"
        accuracy = f"{epoch.accuracy:.4f}"
        table.add_row(
            str(epoch.epoch),
            f"{epoch.loss:.4f}",
            bold(held_out) if epoch.epoch == result.loss_epoch else held_out,
            bold(accuracy) if epoch.epoch == result.best_epoch else accuracy,
            f"{epoch.seconds:.1f}",
        )
    for column in table.columns:
        column.justify = "right"
    return table


def print_document(result: RunResult, verdict: Verdict | None, all_theories: Comparison) -> None:
    """Prints a run as one JSON document, with the verdict on one theory and the status of all.

    Parameters
    ----------
    result
        The run.
    verdict
        The verdict on the tested theory; None where it does not apply.
    all_theories
        The verdicts on all theories.
    """
    from pconv.evaluate.comparison import census_document

    document = result.to_dict()
    if result.census:
        document["census"] = census_document(result.census, verdict)
    document |= {"verdict": verdict and verdict.to_dict(), "theories": all_theories.words}
    print(strict_json(document))


def show_census(census: Census, quiet: bool) -> None:
    """Prints a census; with quiet one line."""
    console = output_console()
    confusion = census.answers.confusion
    if not quiet:
        if len(confusion) <= _WIDEST:
            console.print(draw_matrix(confusion, "all numbers evaluated"))
        console.print(_groups_in_words(confusion))
    console.print(census_line(census), soft_wrap=True)


def _groups_in_words(confusion: Matrix) -> str:
    groups, classes = mixed_groups(confusion), len(confusion)
    if not groups:
        return f"All {classes} classes are told apart (each at least {1 - CONFUSED:.0%} right).\n"
    count = classes - sum(map(len, groups)) + len(groups)  # a class that is not mixed is a group of its own
    return f"The {classes} classes form {pluralize(count, 'group')}. Mixed: {format_groups(groups)}.\n"
