"""`pconv theory`: what every theory predicts, before any training."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pconv.cli.options import AsJson, Columns, Modulus, Offsets, RepresentationName, Successors, TaskName
from pconv.cli.registry import command
from pconv.config import RunConfig
from pconv.config_args import parse_window
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.data.domain import Domain
    from pconv.data.tasks import Task
    from pconv.theory import BasePrediction, Problem


@command(10)
def theory(
    modulus: Modulus,
    successors: Successors = None,
    offsets: Offsets = None,
    primes: Columns = None,
    representation: RepresentationName = RunConfig.representation,
    task: TaskName = RunConfig.task,
    limit: Annotated[
        int, typer.Option(help="Ceiling and loss floor on numbers below it.", metavar="INT")
    ] = RunConfig.limit,
    smooth: Annotated[
        int, typer.Option(help="... with prime factors among the first K primes; 0: any.", metavar="K")
    ] = RunConfig.smooth,
    test_size: Annotated[
        int | None,
        typer.Option(help="Say where accuracy on so many test numbers will fall (95%).", metavar="INT"),
    ] = None,
    max_groups: Annotated[
        int, typer.Option(help="JSON lists groups up to so many classes.", metavar="INT")
    ] = 100_000,
    as_json: AsJson = False,
) -> None:
    """Say which classes a window tells apart: every theory's groups and ceilings, and why."""
    from pconv.data.domain import Domain
    from pconv.data.representations import ColumnContent, representation_named
    from pconv.data.tasks import task_named
    from pconv.theory import Problem

    shown = representation_named(representation)
    if shown.shows is ColumnContent.OTHER:
        raise InputError("representation", representation, "the signature theory does not apply to it")
    question = Problem(modulus, parse_window(successors, offsets), primes, shown.cap, shown.shows)
    # a run's configuration knows which values its fields may have
    given = RunConfig(modulus=2, limit=limit, smooth=smooth, test_size=1 if test_size is None else test_size)
    domain = Domain(given.limit, given.smooth, lowest_offset=min(0, question.offsets[0]))
    asked = task_named(task)
    if as_json:
        print(json.dumps(answer(question, asked, domain, test_size, max_groups)))
        return
    from pconv.cli.views.theory import show_theory

    show_theory(question, asked, domain, test_size)


def answer(
    question: Problem, task: Task, domain: Domain, test_size: int | None, max_groups: int
) -> dict[str, Any]:
    """All that is said about a question and a task, as one JSON document."""
    from pconv.theory import for_task, law_of, predict, signature, theories

    asked = question.modulus, question.offsets, question.primes, question.cap, question.shows
    says = for_task(predict(*asked), task)
    others = {name: theory.predict(question) for name, theory in theories().items() if name != says.theory}
    rivals = {name: other and for_task(other, task) for name, other in others.items()}
    said = _said(says, domain, max_groups)
    return {
        "modulus": question.modulus,
        "task": task.name,
        "offsets": list(question.offsets),
        "rows": question.rows,
        "law": law_of(question),
        **said,
        "accuracy_range": test_size and says.accuracy_range(test_size, said["exact_ceiling"]),
        "components": [
            {
                "prime": part.factor.prime,
                "exponent": part.factor.exponent,
                "totient": part.factor.totient,
                "distinguishable": part.count,
                "solved": part.solved,
            }
            for part in signature.parts(question)
        ],
        "rivals": {name: rival and _said(rival, domain, max_groups) for name, rival in rivals.items()},
    }


def _said(says: BasePrediction, domain: Domain, max_groups: int) -> dict[str, Any]:
    exact = {"exact_ceiling": says.exact_ceiling(domain), "exact_loss_floor": says.exact_loss_floor(domain)}
    return {**says.to_dict(max_groups), **exact}
