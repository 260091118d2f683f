"""Command lines from a grammar: the commands and options are those that the program has."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

import typer

from pconv.cli.program import app
from tools.fuzz import values
from tools.fuzz.paths import PATHS
from tools.fuzz.valid_values import SAFEGUARDS, SIZES, SLOW, valid_value


@dataclass(frozen=True)
class Parameter:
    """An option or an argument of a command; `flags` is empty for an argument."""

    name: str
    flags: tuple[str, ...]
    type: type
    required: bool
    many: bool

    def written(self, rng: random.Random, value: str) -> list[str]:
        """The parameter with a value, in one of the ways in which a user may write it."""
        if not self.flags:
            return [value]
        flag = rng.choice(self.flags)
        if self.type is bool:
            return [flag] if rng.random() < 0.98 else [f"{flag}={value}"]
        if rng.random() < 0.7:
            return [flag, value]
        return [f"{flag}={value}" if flag.startswith("--") else f"{flag}{value}"]


@dataclass(frozen=True)
class Command:
    """A command with the words that name it, as in `figure losses`."""

    words: tuple[str, ...]
    parameters: tuple[Parameter, ...]

    @property
    def name(self) -> str:
        return " ".join(self.words)


@cache
def commands() -> tuple[Command, ...]:
    """All commands of the program."""
    group = typer.main.get_command(app)
    return tuple(_commands(group, ()))


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[Command]:
    context = typer.Context(command)
    if not hasattr(command, "list_commands"):
        yield Command(words, tuple(map(_parameter, command.params)))
        return
    for name in command.list_commands(context):
        yield from _commands(command.get_command(context, name), (*words, name))


def _parameter(parameter: Any) -> Parameter:
    positional = parameter.param_type_name == "argument"
    return Parameter(
        name=parameter.name,
        flags=() if positional else tuple(parameter.opts),
        type=_plain(parameter.type_descriptor.annotation),
        required=parameter.required,
        many=parameter.nargs == -1 or bool(getattr(parameter, "multiple", False)),
    )


def _plain(annotation: Any) -> type:
    """The type of one value: `list[int] | None` holds integers."""
    if get_origin(annotation) in (UnionType, list):
        return _plain(get_args(annotation)[0])
    return annotation if annotation in (int, float, bool, Path) else str


def command_line(rng: random.Random) -> list[str]:
    """A random command line: mostly that of one command, with some values that it must refuse."""
    choice = rng.random()
    if choice < 0.02:
        return _any_words(rng)
    command = _chosen(rng)
    line = _line(rng, command)
    if choice < 0.12:
        line = _disordered(rng, line)
    return [*command.words, *line]


def _chosen(rng: random.Random) -> Command:
    every = commands()
    weights = [SLOW.get(command.name, 1.0) for command in every]
    return rng.choices(every, weights)[0]


def _line(rng: random.Random, command: Command) -> list[str]:
    """Options with valid values, and mostly one or two with others."""
    given = [p for p in command.parameters if p.required or p.name in SIZES or rng.random() < 0.3]
    wrong = {p.name for p in rng.sample(given, min(len(given), rng.choice((0, 1, 1, 1, 2, 3))))}
    parts = []
    for parameter in given:
        for _ in range(rng.choice((1, 1, 2, 3)) if parameter.many else 1):
            value = (
                wrong_value(rng, parameter)
                if parameter.name in wrong
                else valid_value(rng, command.name, parameter.name, parameter.type)
            )
            parts.append(parameter.written(rng, value))
    rng.shuffle(parts)
    if rng.random() < 0.998:
        parts.append(list(SAFEGUARDS.get(command.name, ())))
    return [word for part in parts for word in part]


def wrong_value(rng: random.Random, parameter: Parameter) -> str:
    """A value that the parameter may refuse: of its type or another, or a path that cannot be used."""
    choice = rng.random()
    if choice < 0.15:
        return values.anything(rng)
    if parameter.type is int:
        return values.integer(rng)
    if parameter.type is float:
        return values.number(rng)
    if parameter.type is Path or choice < 0.3:
        return rng.choice(PATHS)
    return rng.choice((values.text, values.integers))(rng)


def _disordered(rng: random.Random, line: Sequence[str]) -> list[str]:
    """The line with a word left out, doubled, added or in another place."""
    words = list(line)
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.randrange(len(words) + 1)
        match rng.randrange(5):
            case 0 if words:
                del words[place % len(words)]
            case 1 if words:
                words.insert(place, rng.choice(words))
            case 2:
                words.insert(
                    place, rng.choice(("--", "--help", "-h", "--no-such-option", "-Z", "--version", "---"))
                )
            case 3:
                words.insert(place, values.anything(rng))
            case _:
                rng.shuffle(words)
    return words


def _any_words(rng: random.Random) -> list[str]:
    """Words in no order at all."""
    flags = [flag for command in commands() for p in command.parameters for flag in p.flags]
    names = [word for command in commands() for word in command.words]
    sources = (
        lambda: rng.choice(flags),
        lambda: rng.choice(names),
        lambda: values.anything(rng),
        lambda: rng.choice(PATHS),
    )
    return [rng.choice(sources)() for _ in range(rng.randrange(6))]
