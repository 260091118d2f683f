"""The registry of commands: every module of `pconv.cli.commands` is found and adds its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import typer

from pconv.cli import commands
from pconv.cli.help import ProgramCommand
from pconv.registry import import_modules

F = TypeVar("F", bound=Callable[..., None])


@dataclass(frozen=True)
class Command:
    """A command, or a group of commands, and its place in the help."""

    order: int
    add_to: Callable[[typer.Typer], object]


_commands: list[Command] = []


def command(order: int, **settings: Any) -> Callable[[F], F]:
    """Decorator that adds a function as the command of its name.

    Parameters
    ----------
    order
        Its place in `pconv --help`; smaller ones come first.
    **settings
        Settings of `typer.Typer.command`.
    """

    settings.setdefault("cls", ProgramCommand)

    def register(function: F) -> F:
        _commands.append(Command(order, lambda app: app.command(**settings)(function)))
        return function

    return register


def command_group(order: int, name: str, group: typer.Typer) -> typer.Typer:
    """Add a group of commands, such as those of `pconv figure`.

    Parameters
    ----------
    order
        Its place in `pconv --help`; smaller ones come first.
    name
        The name on the command line.
    group
        The commands.
    """
    _commands.append(Command(order, lambda app: app.add_typer(group, name=name)))
    return group


def add_commands(app: typer.Typer) -> None:
    """Add the commands of all modules to the program."""
    import_modules(commands.__name__)
    for each in sorted(_commands, key=lambda each: each.order):
        each.add_to(app)
