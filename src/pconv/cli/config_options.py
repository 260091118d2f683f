"""An option for each field of a run's configuration, for commands that take one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field
from functools import wraps
from inspect import Parameter
from typing import Annotated, Any, get_args

from pconv.cli.options import Offsets, Preset, Successors, config_option
from pconv.config import PRESETS, RunConfig
from pconv.config_args import argument_name, config_from_args, ordered_fields
from pconv.config_fields import Sizes, Switch, option_of


def with_config_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command with a parameter `config: RunConfig` the options that describe a configuration.

    The options replace `config` in the command's signature, from which typer makes the command line. With
    `config: RunConfig | None` the modulus may be left out, and `config` is then None.
    """
    signature = inspect.signature(command, eval_str=True)
    optional = signature.parameters["config"].annotation != RunConfig
    options = [_optional(each) if optional and each.name == "modulus" else each for each in _parameters()]
    others = [parameter for name, parameter in signature.parameters.items() if name != "config"]

    @wraps(command)
    def with_options(**given: Any) -> None:
        fields = {option.name: given.pop(option.name) for option in options}
        missing = fields["modulus"] is None
        command(config=None if missing else config_from_args(**fields), **given)

    with_options.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*options, *(other.replace(kind=Parameter.KEYWORD_ONLY) for other in others)]
    )
    return with_options


def _parameters() -> Iterator[Parameter]:
    for field in ordered_fields():
        if field.name == "offsets":
            yield _parameter("successors", Successors, None)
            yield _parameter("offsets", Offsets, None)
        else:
            annotation, default = _type_and_default(field)
            annotated: Any = Annotated[annotation, config_option(field.name)]
            yield _parameter(argument_name(field), annotated, default)
    yield _parameter("preset", Preset, "quick")


def _optional(parameter: Parameter) -> Parameter:
    """The same option with None in place of a value that is not given."""
    kind, option = get_args(parameter.annotation)
    return parameter.replace(default=None, annotation=Annotated[kind | None, option])


def _type_and_default(field: Field[Any]) -> tuple[Any, Any]:
    """The type of a field's option, and its default as written on the command line."""
    values = option_of(field).values
    if field.default is MISSING:
        return values.written, Parameter.empty
    if any(field.name in preset for preset in PRESETS.values()):  # the preset has the default
        return values.written | None, None
    if isinstance(values, Switch):
        return bool, False
    if isinstance(values, Sizes):
        return str, values.format(field.default)
    return values.written, field.default


def _parameter(name: str, annotation: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
