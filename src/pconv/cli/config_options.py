"""An option for each field of a run's configuration, for commands that take one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field
from functools import wraps
from inspect import Parameter
from typing import Annotated, Any

from pconv.cli.options import Offsets, Preset, Successors, config_option
from pconv.config import PRESETS, RunConfig
from pconv.config_args import argument_name, config_from_args, ordered_fields
from pconv.config_fields import Sizes, Switch, option_of


def with_config_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command with a parameter `config: RunConfig` the options that describe a configuration.

    The options replace `config` in the command's signature, from which typer makes the command line. With
    `config: RunConfig | None` and no modulus, `config` is None.
    """
    signature = inspect.signature(command, eval_str=True)
    optional = signature.parameters["config"].annotation != RunConfig
    options = list(_parameters())
    others = [parameter for name, parameter in signature.parameters.items() if name != "config"]

    @wraps(command)
    def with_options(**given: Any) -> None:
        arguments = {option.name: given.pop(option.name) for option in options}
        if optional and arguments["modulus"] is None:
            return command(config=None, **given)
        if arguments["modulus"] is None:
            arguments["modulus"] = _modulus_of(arguments["task"])
        return command(config=config_from_args(**arguments), **given)

    with_options.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*options, *(other.replace(kind=Parameter.KEYWORD_ONLY) for other in others)]
    )
    return with_options


def _modulus_of(task: str) -> int:
    """The modulus of a task that has one of its own; an error for others."""
    from pconv.cli.task_options import chosen_modulus
    from pconv.data.tasks import task_named

    return chosen_modulus(task_named(task), None)


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


def _type_and_default(field: Field[Any]) -> tuple[Any, Any]:
    """The type of a field's option, and its default as written on the command line."""
    values = option_of(field).values
    in_preset = any(field.name in preset for preset in PRESETS.values())
    if in_preset or field.default is MISSING:  # the preset has the default, or the task
        return values.written | None, None
    if isinstance(values, Switch):
        return bool, False
    if isinstance(values, Sizes):
        return str, values.format(field.default)
    return values.written, field.default


def _parameter(name: str, annotation: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
