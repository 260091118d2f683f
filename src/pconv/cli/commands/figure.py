"""`pconv figure`: print-ready figures, one command each.

The commands are made from the registered figures when `pconv figure` runs, because those load matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from pconv._atomic import check_output
from pconv.cli.completion import complete_run
from pconv.cli.help import ProgramCommand, ProgramGroup
from pconv.cli.options import DEFAULT_STORE, Columns, Modulus, Offsets, StoreFile, Successors
from pconv.cli.registry import command_group
from pconv.errors import PconvError

if TYPE_CHECKING:
    from pconv.report.figures.registry import FigureSpec

SHARED: dict[str, Any] = {
    "modulus": Modulus,
    "successors": Successors,
    "offsets": Offsets,
    "primes": Columns,
    "store": StoreFile,
}
"""The options of a figure's parameters of these names, shared with other commands."""


class FigureGroup(ProgramGroup):
    """A command for every registered figure."""

    def list_commands(self, ctx: Any) -> list[str]:
        from pconv.report.figures.registry import figures

        return list(figures())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from pconv.report.figures.registry import figures

        spec = figures().get(cmd_name)
        return spec and _command(spec)


figure = command_group(
    140,
    "figure",
    typer.Typer(cls=FigureGroup, help="Draw a print-ready figure; the file's ending decides the format."),
)


def _command(spec: FigureSpec[Any]) -> Any:
    app = typer.Typer(add_completion=False)
    app.command(spec.name, cls=ProgramCommand)(_function(spec))
    return typer.main.get_command(app)


def _function(spec: FigureSpec[Any]) -> Callable[..., None]:
    """The command's function, with the signature from which typer makes the options."""

    def write(output: Path, **given: Any) -> None:
        from pconv.cli.views.progress import status

        check_output(output, spec.endings)
        with status(f"drawing {output}"):
            spec.write(spec.make(**given), output)

    endings = f"{', '.join(spec.endings[:-1])} or {spec.endings[-1]}"
    option = typer.Option("--output", "-o", help=f"The file to write: {endings}.", metavar="FILE")
    output = Parameter("output", Parameter.KEYWORD_ONLY, annotation=Annotated[Path, option])
    given = map(_parameter, signature(spec.make, eval_str=True).parameters.values())
    write.__dict__["__signature__"] = Signature([output, *given])
    write.__doc__ = spec.make.__doc__
    write.__annotations__ = {}
    return write


def _parameter(parameter: Parameter) -> Parameter:
    """A parameter of a figure with typer's description of its option."""
    from pconv.report.figures.options import Option

    default = parameter.default
    kind, *described = get_args(parameter.annotation) or (parameter.annotation,)
    own = next((each for each in described if isinstance(each, Option)), None)
    if own is None:
        if parameter.name not in SHARED:
            raise PconvError(f"the figure's parameter {parameter.name} needs an Option")
        annotation = SHARED[parameter.name]
        if parameter.name == "store" and default is Parameter.empty:
            default = DEFAULT_STORE
    else:
        describe = typer.Argument if own.positional else typer.Option
        complete = complete_run if own.positional else None  # the arguments of figures are runs
        shown = describe(*own.flags, help=own.help, metavar=own.metavar, autocompletion=complete)
        annotation = Annotated[kind, shown]
    return Parameter(parameter.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
