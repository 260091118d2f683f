"""What the theories say, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from pconv.cli.views.picture import WIDEST, draw
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


def show_theory(question: Problem, task: Task, domain: Domain, test_size: int | None) -> None:
    """The law and why, in words; the theories side by side; the groups; and the pattern where it fits."""
    asked = question.modulus, question.offsets, question.primes, question.cap, question.shows
    says = for_task(predict(*asked), task)
    console = Console(highlight=False)
    explanation = explain_modulus(question)
    console.print(f"[bold]{explanation.title}[/]\n")
    for sentence in explanation.paragraphs:
        console.print(sentence)
    if isinstance(says, LabelPrediction):
        console.print(f"The task {task.name}: {task.description}. {labels_in_words(says)}")
    console.print()
    console.print(_theories(question, task, domain))
    console.print(_FLOOR, style="dim")
    if test_size is not None:
        low, high = says.accuracy_range(test_size, says.exact_ceiling(domain))
        console.print(
            f"\nAccuracy on {test_size:,} test numbers will fall into {low:.4f} .. {high:.4f} (95%)."
        )
    if question.modulus <= domain.limit and not says.solved:
        console.print(f"\nMixed: {mixed_in_words(says)}")
    if says.classes <= WIDEST:
        console.print()
        console.print(draw(says))


def labels_in_words(says: LabelPrediction) -> str:
    """What residues that look alike mean for labels.

    >>> from pconv.data.tasks import task_named
    >>> labels_in_words(for_task(predict(11, range(9)), task_named("quadratic")))
    'Residues 1, 2 look alike, and their labels are 1, 0.'
    """
    for group in says.residues.mixed:
        labels = says.label_of[list(group)]
        if len(set(labels.tolist())) > 1:
            told = abbreviated(tuple(labels.tolist()))
            return f"Residues {abbreviated(group)} look alike, and their labels are {told}."
    return "Residues that look alike have the same label, so every label is identified."


def mixed_in_words(says: BasePrediction) -> str:
    """The groups of more than one class, the first of them if they are many.

    >>> mixed_in_words(predict(16, range(3)))
    '{1, 5, 9, 13}, {2, 10}, {3, 11}, {4, 12}'
    """
    mixed = says.mixed
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


def _theories(question: Problem, task: Task, domain: Domain) -> Table:
    table = Table(box=None, header_style="bold")
    for title in ("theory", "solved", "told apart", "ceiling", "on the domain", "loss floor"):
        table.add_column(title, justify="left" if title == "theory" else "right")
    for name, theory in theories().items():
        prediction = theory.predict(question)
        if prediction is None:
            table.add_row(name, "does not apply", style="dim")
            continue
        says = for_task(prediction, task)
        solved = "[green]yes[/]" if says.solved else "[red]no[/]"
        exact = says.exact_ceiling(domain), says.exact_loss_floor(domain)
        table.add_row(
            name,
            solved,
            str(says.distinguishable),
            "1" if says.solved else f"{float(says.ceiling):.4g} = {says.ceiling}",
            *("-" if value is None else f"{value:.4f}" for value in exact),
        )
    return table
