"""The help of commands: a flag is shown without a placeholder for a value, also those that typer adds."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class ProgramCommand(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_placeholders(super().get_params(ctx))


class ProgramGroup(TyperGroup):
    """A group of commands, such as the program itself."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_placeholders(super().get_params(ctx))


def _without_placeholders(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""  # typer would show <bool>
    return parameters
