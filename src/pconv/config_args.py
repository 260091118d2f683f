"""How what a user writes, on the command line or in a sweep's file, becomes a configuration."""

from __future__ import annotations

from typing import Any

from pconv.config import PRESETS, RunConfig, parse_offsets, successors
from pconv.errors import InputError


def window(count: int | None, offsets: str | None) -> tuple[int, ...]:
    """The window that -B or --offsets ask for: both is one too many, neither is n and 8 successors."""
    if count is not None and offsets is not None:
        raise InputError("offsets", offsets, f"cannot stand beside --successors {count}: give one of the two")
    if offsets is not None:
        return parse_offsets(offsets)
    return successors(8 if count is None else count)


def sizes(name: str, text: str) -> tuple[int, ...]:
    """A size for each layer, as `7` or `7,3`.

    >>> sizes("kernel", "7,3")
    (7, 3)
    """
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            name, repr(text), "must be a whole number, or one for each layer as in 8,16"
        ) from None


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


def run_config(preset: str, count: int | None, offsets: str | None, **given: Any) -> RunConfig:
    """The preset's defaults, overridden by the flags that were given."""
    if preset not in PRESETS:
        raise InputError("preset", repr(preset), f"must be one of: {', '.join(PRESETS)}")
    told = {name: value for name, value in given.items() if value is not None}
    try:
        return RunConfig(offsets=window(count, offsets), **{**PRESETS[preset], **told})
    except InputError as error:
        if error.name == "offsets" and count is not None and offsets is None:  # name the flag that was used
            raise InputError("successors", count, error.allowed) from None
        raise


def as_flags(config: RunConfig) -> str:
    """The run as `pconv train` would be asked for it; what is at its default is left out.

    >>> as_flags(RunConfig(modulus=11, offsets=(0, 1, 2), seed=3))
    '-m 11 -B 2 -k 7 -N 32 --seed 3'
    >>> as_flags(RunConfig(modulus=11, architecture="mlp", representation="binary"))
    '-m 11 -B 8 -N 32 --architecture mlp --representation binary'
    >>> as_flags(RunConfig(modulus=11, learning_rate=3e-3, weight_decay=0.1))
    '-m 11 -B 8 -k 7 -N 32 --learning-rate 0.003 --weight-decay 0.1'
    """
    last = config.offsets[-1]
    straight = config.offsets == tuple(range(last + 1))
    window = f"-B {last}" if straight else f"--offsets={_listed(config.offsets)}"
    kernel = [f"-k {_listed(config.kernel)}"] if config.architecture == RunConfig.architecture else []
    flags = [f"-m {config.modulus} {window}", *kernel, f"-N {config.primes}"]
    if config.channels != RunConfig.channels:
        flags.append(f"-C {_listed(config.channels)}")
    for name, flag in _OTHERS.items():
        if getattr(config, name) != getattr(RunConfig, name):
            flags.append(f"{flag} {getattr(config, name)}")
    return " ".join(flags if config.early_stop else [*flags, "--no-early-stop"])


_OTHERS = {
    "batches": "-r",
    "batch_size": "-s",
    "epochs": "-t",
    "learning_rate": "--learning-rate",
    "weight_decay": "--weight-decay",
    "seed": "--seed",
    "limit": "--limit",
    "smooth": "--smooth",
    "test_size": "--test-size",
    "architecture": "--architecture",
    "representation": "--representation",
    "task": "--task",
}


def _listed(values: tuple[int, ...]) -> str:
    return ",".join(map(str, values))
