"""`pconv theory`: what every theory predicts, before any training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

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
from pconv.config import MAX_CLASSES, RunConfig
from pconv.config_args import parse_window
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.data.domain import Domain
    from pconv.data.tasks import Task
    from pconv.theory import BasePrediction, Problem
    from pconv.theory.readers import TaskProblem


@command(10)
def theory(
    modulus: TaskModulus = None,
    successors: Successors = None,
    offsets: Offsets = None,
    primes: Columns = None,
    representation: RepresentationName = RunConfig.representation,
    task: Annotated[
        str | None,
        config_option("task", help="What is predicted about n; if given, with all readers, for 32 columns."),
    ] = None,
    task_file: TaskFile = None,
    limit: Annotated[
        int, typer.Option(help="Ceiling and loss floor are those on numbers below it ...", metavar="INT")
    ] = RunConfig.limit,
    smooth: Annotated[
        int, typer.Option(help="... with prime factors among the first K primes; 0: any.", metavar="K")
    ] = RunConfig.smooth,
    test_size: Annotated[
        int | None,
        typer.Option(help="Print the range of the accuracy on so many test numbers (95%).", metavar="INT"),
    ] = None,
    max_groups: Annotated[
        int, typer.Option(help="JSON lists groups up to so many classes.", metavar="INT")
    ] = 100_000,
    as_json: AsJson = False,
) -> None:
    """Predict which classes a window tells apart: every theory's groups and ceilings, and why.

    With --task also what four readers reach, from the limit of all integers to the whole grid.
    """
    from pconv.cli.task_options import TASK_COLUMNS, chosen_domain, chosen_modulus, chosen_task, task_problem
    from pconv.data.representations import representation_named
    from pconv.theory import Problem

    chosen = chosen_task(task, task_file)
    m = chosen_modulus(chosen, modulus)
    with_readers = task is not None or task_file is not None
    columns = TASK_COLUMNS if with_readers and primes is None else primes
    encoding = representation_named(representation)
    problem = Problem(m, parse_window(successors, offsets), columns, encoding.cap, encoding.shows)
    domain = chosen_domain(problem.offsets, limit, smooth, 1 if test_size is None else test_size)
    readable = None
    if with_readers and (chosen.name != RunConfig.task or m <= MAX_CLASSES):
        readable = task_problem(chosen, m, problem.offsets, columns, representation, domain)
    about_groups = chosen.of_residue and encoding.shows.of_primes
    if not about_groups and readable is None:
        raise InputError("representation", representation, "the signature theory does not apply to it")
    if as_json:
        document = predictions(problem, chosen, domain, test_size, max_groups) if about_groups else {}
        print(strict_json({**document, **(readings(readable) if readable else {})}))
        return
    if about_groups:
        from pconv.cli.views.theory import show_theory

        show_theory(problem, chosen, domain, test_size)
    if readable:
        _show_readers(readable, after_groups=about_groups)


def _show_readers(problem: TaskProblem, after_groups: bool) -> None:
    from pconv.cli.views.progress import status
    from pconv.cli.views.readers import show_readers
    from pconv.theory.readers import Readers

    with status(f"counting what readers reach on {problem.domain.size:,} numbers"):
        readers = Readers(problem)
        found = readers.readings()
    if after_groups:
        print()
    show_readers(readers, found)


def readings(problem: TaskProblem) -> dict[str, Any]:
    """What all readers reach, as a JSON document."""
    from pconv.cli.views.progress import status
    from pconv.theory.readers import Readers

    with status(f"counting what readers reach on {problem.domain.size:,} numbers"):
        found = Readers(problem).readings()
    return {
        "modulus": problem.modulus,
        "task": problem.task.name,
        "offsets": list(problem.offsets),
        "rows": len(problem.offsets),
        "columns": problem.columns,
        "representation": problem.representation.name,
        "labels": list(problem.task.label_names(problem.modulus)),
        "domain": {
            "limit": problem.domain.limit,
            "smooth": problem.domain.smooth,
            "size": problem.domain.size,
        },
        "readers": {name: reading.to_dict() for name, reading in found.items()},
    }


def predictions(
    problem: Problem, task: Task, domain: Domain, test_size: int | None, max_groups: int
) -> dict[str, Any]:
    """The predictions of all theories as one JSON document.

    Parameters
    ----------
    problem
        The modulus, the window and its columns.
    task
        The task; the predictions are about its labels.
    domain
        The domain that exact ceilings and loss floors refer to.
    test_size
        The size of a test set whose range of accuracy is included, if any.
    max_groups
        The most classes whose groups are listed.
    """
    from pconv.theory import for_task, law_of, predict, signature, theories

    residues = predict(problem.modulus, problem.offsets, problem.primes, problem.cap, problem.shows)
    prediction = for_task(residues, task)
    others = {
        name: theory.predict(problem) for name, theory in theories().items() if name != prediction.theory
    }
    rivals = {name: other and for_task(other, task) for name, other in others.items()}
    document = _document(prediction, domain, max_groups)
    return {
        "modulus": problem.modulus,
        "task": task.name,
        "offsets": list(problem.offsets),
        "rows": problem.rows,
        "law": law_of(problem),
        **document,
        "accuracy_range": test_size and prediction.accuracy_range(test_size, document["exact_ceiling"]),
        "components": [
            {
                "prime": part.factor.prime,
                "exponent": part.factor.exponent,
                "totient": part.factor.totient,
                "distinguishable": part.count,
                "solved": part.solved,
            }
            for part in signature.parts(problem)
        ],
        "rivals": {name: rival and _document(rival, domain, max_groups) for name, rival in rivals.items()},
    }


def _document(prediction: BasePrediction, domain: Domain, max_groups: int) -> dict[str, Any]:
    exact = {
        "exact_ceiling": prediction.exact_ceiling(domain),
        "exact_loss_floor": prediction.exact_loss_floor(domain),
    }
    return {**prediction.to_dict(max_groups), **exact}
