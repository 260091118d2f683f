"""The options that select runs of a store, for the commands that list or write them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pconv.cli.completion import complete_status, complete_study, complete_verdict

if TYPE_CHECKING:
    from pconv.store.sqlite import Store
    from pconv.store.summary import Summary

_OPTIONS: dict[str, Any] = {
    "modulus": Annotated[
        str | None, typer.Option("--modulus", "-m", help="Only these moduli, as in 11,13.", metavar="m")
    ],
    "successors": Annotated[
        str | None, typer.Option("--successors", "-B", help="Only these windows, as in 8,16.", metavar="B")
    ],
    "status": Annotated[
        str | None,
        typer.Option(
            help="Only finished, running, failed or interrupted runs.",
            metavar="NAME",
            autocompletion=complete_status,
        ),
    ],
    "verdict": Annotated[
        str | None,
        typer.Option(
            help="Only runs with this verdict on the signature theory.",
            metavar="NAME",
            autocompletion=complete_verdict,
        ),
    ],
    "study": Annotated[
        str | None,
        typer.Option(
            help="Only runs of this study, at any preset and seed.",
            metavar="NAME",
            autocompletion=complete_study,
        ),
    ],
    "where": Annotated[
        list[str] | None,
        typer.Option(
            help="A condition on any field, as in 'primes>=64', architecture=mlp or 'test_accuracy<0.9'; "
            "repeatable, all must hold.",
            metavar="CONDITION",
        ),
    ],
}


@dataclass(frozen=True)
class RunFilter:
    """The selection of runs that a user has given."""

    equal: dict[str, str]  # values of fields, several with commas between them
    study: str | None
    where: tuple[str, ...]

    def runs(self, store: Store, sort: str | None = None) -> list[Summary]:
        """The runs of a store that are selected."""
        from pconv.store.filter import Condition, select

        conditions = [Condition.equal(name, value) for name, value in self.equal.items()]
        conditions += [Condition.parse(text) for text in self.where]
        found = select(store.summaries(), conditions, sort)
        return self._of_study(found) if self.study else found

    def _of_study(self, runs: list[Summary]) -> list[Summary]:
        from pconv.config import RunConfig
        from pconv.studies.catalog import studies

        chosen = studies([self.study or ""])
        return [run for run in runs if any(one.has(RunConfig.from_dict(run.config)) for one in chosen)]


def with_run_filter(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command with a parameter `filter: RunFilter` the options that select runs."""
    signature = inspect.signature(command, eval_str=True)
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in _OPTIONS.items()
    ]
    others = [parameter for name, parameter in signature.parameters.items() if name != "filter"]

    @wraps(command)
    def with_options(**given: Any) -> None:
        values = {name: given.pop(name) for name in _OPTIONS}
        study, where = values.pop("study"), tuple(values.pop("where") or ())
        equal = {name: value for name, value in values.items() if value is not None}
        command(filter=RunFilter(equal, study, where), **given)

    with_options.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*options, *(other.replace(kind=Parameter.KEYWORD_ONLY) for other in others)]
    )
    return with_options
