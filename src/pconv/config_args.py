"""Configurations from arguments, as the command line or a sweep's file has them, and back to flags."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any

from pconv.config import RunConfig, preset_fields
from pconv.config_fields import Switch, option_of
from pconv.errors import InputError
from pconv.window import parse_offsets, successor_window

_FIRST = (
    "modulus",
    "offsets",
    "kernel",
    "primes",
    "channels",
    "batches",
    "batch_size",
    "epochs",
    "learning_rate",
    "weight_decay",
)
"""The fields whose flags come first in help texts; all others follow in the order of their declaration."""


def ordered_fields() -> tuple[Field[Any], ...]:
    """The fields of a configuration in the order in which the command line lists them."""
    declared = {field.name: field for field in fields(RunConfig)}
    return tuple(declared.pop(name) for name in _FIRST) + tuple(declared.values())


def argument_name(field: Field[Any]) -> str:
    """The argument that sets a field: its name, or `no_NAME` for a switch that is on by default."""
    off = isinstance(option_of(field).values, Switch) and field.default is True
    return f"no_{field.name}" if off else field.name


def flags_of(field: Field[Any]) -> tuple[str, ...]:
    """The flags of a field on the command line, the long one first.

    >>> [flags_of(field) for field in ordered_fields() if field.name in ("batch_size", "early_stop")]
    [('--batch-size', '-s'), ('--no-early-stop',)]
    """
    long, short = "--" + argument_name(field).replace("_", "-"), option_of(field).short
    return (long, short) if short else (long,)


def argument_names() -> frozenset[str]:
    """All that `config_from_args` takes."""
    names = {name for field in fields(RunConfig) for name in (field.name, argument_name(field))}
    return frozenset(names | {"preset", "successors"})


def config_from_args(
    preset: str = "quick", successors: int | None = None, offsets: str | None = None, **given: Any
) -> RunConfig:
    """The configuration that arguments describe.

    Parameters
    ----------
    preset
        The preset whose values replace the defaults of fields.
    successors, offsets
        The window, see `parse_window`.
    **given
        Other fields by the names of their arguments, with values as written on the command line; None means
        not given.

    Examples
    --------
    >>> config_from_args(modulus=11, successors=4, kernel="7,3", channels="8,16").kernels
    (7, 3)
    >>> config_from_args("paper", modulus=11, no_early_stop=True).early_stop
    False
    """
    defaults = preset_fields(preset)
    values = {name: value for name, value in given.items() if value is not None}
    for field in fields(RunConfig):
        argument = argument_name(field)
        if argument != field.name and argument in values:
            off = values.pop(argument)
            values[field.name] = not off if isinstance(off, bool) else off  # the field's check refuses others
        if field.name in values:
            values[field.name] = option_of(field).values.parse(field.name, values[field.name])
    window = parse_window(successors, offsets)
    try:
        return RunConfig(offsets=window, **{**defaults, **values})
    except InputError as error:
        if error.name == "offsets" and successors is not None:  # name the argument that was given
            raise InputError("successors", successors, error.allowed) from None
        raise


def parse_window(successors: int | None, offsets: str | None) -> tuple[int, ...]:
    """The window of the options -B and --offsets, of which at most one is given; without both, B is 8.

    >>> parse_window(2, None), parse_window(None, "-1,0")
    ((0, 1, 2), (-1, 0))
    """
    if successors is not None and offsets is not None:
        allowed = f"cannot be combined with --successors {successors}: give one of the two"
        raise InputError("offsets", offsets, allowed)
    if offsets is not None:
        return parse_offsets(offsets)
    return RunConfig.offsets if successors is None else successor_window(successors)


def parse_epochs(text: str | None, last: int) -> tuple[int, ...]:
    """The epochs of `--snapshots`, ascending: a list `1,2,5` or `all`.

    >>> parse_epochs("5,1", 10), parse_epochs("all", 3), parse_epochs(None, 3)
    ((1, 5), (1, 2, 3), ())
    """
    if text is None:
        return ()
    if text == "all":
        return tuple(range(1, last + 1))
    allowed = f"must be `all` or a list of epochs from 1 to {last}, as in 1,2,5"
    try:
        epochs = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise InputError("snapshots", repr(text), allowed) from None
    if not 1 <= epochs[0] <= epochs[-1] <= last:
        raise InputError("snapshots", text, allowed)
    return tuple(epochs)


def as_flags(config: RunConfig) -> str:
    """The flags with which `pconv train` computes the run.

    Modulus, window, kernel and primes are always among them, other fields if they are not at their default.

    >>> as_flags(RunConfig(modulus=11, offsets=(0, 1, 2), seed=3))
    '-m 11 -B 2 -k 7 -N 32 --seed 3'
    >>> as_flags(RunConfig(modulus=11, architecture="mlp", representation="binary"))
    '-m 11 -B 8 -N 32 --architecture mlp --representation binary'
    >>> as_flags(RunConfig(modulus=11, learning_rate=3e-3, early_stop=False))
    '-m 11 -B 8 -k 7 -N 32 --learning-rate 0.003 --no-early-stop'
    """
    always = {"modulus", "offsets", "primes"} | ({"kernel"} if config.convolves else set())
    return " ".join(
        _as_flag(config, field)
        for field in ordered_fields()
        if field.name in always or getattr(config, field.name) != field.default
    )


def _as_flag(config: RunConfig, field: Field[Any]) -> str:
    values, flag = option_of(field).values, flags_of(field)[-1]
    written = values.format(getattr(config, field.name))
    if isinstance(values, Switch):
        return flag
    if field.name == "offsets":
        return f"--offsets={written}" if config.successors is None else f"-B {config.successors}"
    return f"{flag} {written}"
