"""The predictions of the theories in the terminal."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from pconv.cli.views.console import bold, output_console
from pconv.cli.views.picture import WIDEST, draw
from pconv.cli.views.progress import status
from pconv.data.domain import Domain
from pconv.data.tasks import Task
from pconv.theory import (
    BasePrediction,
    LabelPrediction,
    Problem,
    explain_modulus,
    for_task,
    predict,
    theories,
)

_SHOWN_GROUPS = 12
_SHOWN_CLASSES = 8
_FLOOR = "Loss floor: least cross-entropy of a reader of the groups on the domain, nats."


def show_theory(problem: Problem, task: Task, domain: Domain, test_size: int | None) -> None:
    """Prints the law and its reasons, a table of all theories, the mixed groups and a small pattern.

    Parameters
    ----------
    problem
        The modulus, the window and its columns.
    task
        The task; the predictions are about its labels.
    domain
        The domain that ceilings and loss floors refer to.
    test_size
        The size of a test set whose range of accuracy is printed, if any.
    """
    prediction = for_task(
        predict(problem.modulus, problem.offsets, problem.primes, problem.cap, problem.shows), task
    )
    console = output_console()
    explanation = explain_modulus(problem)
    console.print(bold(explanation.title), end="\n\n")
    for sentence in explanation.paragraphs:
        console.print(sentence)
    if isinstance(prediction, LabelPrediction):
        console.print(f"The task {task.name}: {task.description}. {labels_in_words(prediction)}")
    console.print()
    with status("counting the numbers of the domain"):
        table = _theories(problem, task, domain)
    console.print(table)
    console.print(_FLOOR, style="dim")
    if test_size is not None:
        low, high = prediction.accuracy_range(test_size, prediction.exact_ceiling(domain))
        console.print(
            f"\nAccuracy on {test_size:,} test numbers will fall into {low:.4f} .. {high:.4f} (95%)."
        )
    if problem.modulus <= domain.limit and not prediction.solved:
        console.print(f"\nMixed: {mixed_in_words(prediction)}")
    if prediction.classes <= WIDEST:
        console.print()
        console.print(draw(prediction, coloured=console.color_system is not None))


def labels_in_words(prediction: LabelPrediction) -> str:
    """Whether residues that look alike have different labels.

    >>> from pconv.data.tasks import task_named
    >>> labels_in_words(for_task(predict(11, range(9)), task_named("quadratic")))
    'Residues 1, 2 look alike, and their labels are 1, 0.'
    """
    for group in prediction.residues.mixed:
        labels = prediction.label_of[list(group)]
        if len(set(labels.tolist())) > 1:
            shown = abbreviated(tuple(labels.tolist()))
            return f"Residues {abbreviated(group)} look alike, and their labels are {shown}."
    return "Residues that look alike have the same label, so every label is identified."


def mixed_in_words(prediction: BasePrediction) -> str:
    """The groups of more than one class, the first of them if they are many.

    >>> mixed_in_words(predict(16, range(3)))
    '{1, 5, 9, 13}, {2, 10}, {3, 11}, {4, 12}'
    """
    mixed = prediction.mixed
    shown = ["{" + abbreviated(group) + "}" for group in mixed[:_SHOWN_GROUPS]]
    more = f", ... ({len(mixed)} groups)" if len(mixed) > _SHOWN_GROUPS else ""
    return ", ".join(shown) + more


def abbreviated(classes: tuple[int, ...]) -> str:
    """Classes, the first of them if they are many.

    >>> abbreviated((1, 2)), abbreviated(tuple(range(20)))
    ('1, 2', '0, 1, 2, 3, 4, 5, 6, 7, ... (20)')
    """
    shown = ", ".join(map(str, classes[:_SHOWN_CLASSES]))
    return shown if len(classes) <= _SHOWN_CLASSES else f"{shown}, ... ({len(classes)})"


def _theories(problem: Problem, task: Task, domain: Domain) -> Table:
    table = Table(box=None, header_style="bold")
    for title in ("theory", "solved", "groups", "ceiling", "on the domain", "loss floor"):
        table.add_column(title, justify="left" if title == "theory" else "right")
    for name, theory in theories().items():
        about_residues = theory.predict(problem)
        if about_residues is None:
            table.add_row(name, "does not apply", style="dim")
            continue
        prediction = for_task(about_residues, task)
        solved = Text("yes", "green") if prediction.solved else Text("no", "red")
        exact = prediction.exact_ceiling(domain), prediction.exact_loss_floor(domain)
        table.add_row(
            name,
            solved,
            str(prediction.distinguishable),
            "1" if prediction.solved else f"{float(prediction.ceiling):.4g} = {prediction.ceiling}",
            *("-" if value is None else f"{value:.4f}" for value in exact),
        )
    return table
